import { expect, it } from 'vitest'
import type { Life } from '../fold/events.ts'
import { MAX_ELECTIONS } from '../fold/elections.ts'
import { Candidacies } from './candidacies.ts'

function setUp() {
  const entries: string[] = []
  let life: Life | undefined = { id: 'me', incarnation: 1 }
  let failure: Error | undefined
  const candidacies = new Candidacies(
    () => life,
    async (entry) => {
      const { kind, body } = entry() ?? { kind: '', body: new Uint8Array() }
      const { incarnation, election, sequence } = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>
      entries.push(`${kind} ${String(election)} ${String(incarnation)}.${String(sequence)}`)
      await Promise.resolve()
      if (failure !== undefined) throw failure
    },
  )
  return { candidacies, entries, live: (next: Life | undefined) => void (life = next), fail: (error?: Error) => void (failure = error) }
}

it('writes no entry if the member stands already', async () => {
  const { candidacies, entries } = setUp()
  await Promise.all([candidacies.stand('x'), candidacies.stand('x')])
  await candidacies.stand('x')
  expect(entries).toEqual(['stand x 1.1'])
})

it('stands anew after a withdrawal, and in the next life', async () => {
  const { candidacies, entries, live } = setUp()
  await candidacies.stand('x')
  await candidacies.withdraw('x')
  await candidacies.stand('x')
  live({ id: 'me', incarnation: 2 })
  candidacies.resume()
  expect(entries).toEqual(['stand x 1.1', 'withdraw x 1.1', 'stand x 1.2', 'stand x 2.3'])
})

it('a candidacy that got no answer is proposed again', async () => {
  const { candidacies, entries, fail } = setUp()
  fail(new Error('no majority'))
  await expect(candidacies.stand('x')).rejects.toThrow('no majority')
  fail()
  await candidacies.stand('x')
  expect(entries).toEqual(['stand x 1.1', 'stand x 1.2'])
})

it('stands in a bounded number of elections', async () => {
  const { candidacies } = setUp()
  for (let at = 0; at < MAX_ELECTIONS; at++) await candidacies.stand(String(at))
  await expect(candidacies.stand('one more')).rejects.toMatchObject({ code: 'ELECTIONS_FULL' })
})
