import dns from 'node:dns'
import { setImmediate as turn } from 'node:timers/promises'
import type { Logger, Upgrader } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { lookUp, preferNames } from './lookups.ts'
import { tcpTransport, type Components } from './tcp.ts'

/** The answers to all look-ups of a test. */
const answers: (() => void)[] = []

afterEach(() => {
  // Look-ups wait for those before them, also for those of another test.
  for (let answered = 0; answered < answers.length; answered++) answers[answered]?.()
  answers.length = 0
  vi.restoreAllMocks()
})

const silence: Logger = Object.assign(() => {}, { error: () => {}, trace: () => {}, enabled: false, newScope: () => silence })

/** Holds look-ups until the test answers them. Returns their names. */
function holdLookUps(): string[] {
  const looked: string[] = []
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _options: unknown, done: (error: Error) => void) => {
    looked.push(host)
    answers.push(() => done(new Error('no such name')))
  }) as never)
  return looked
}

test('a dial that was given up begins no look-up later', async () => {
  const looked = holdLookUps()
  const components: Components = { logger: { forComponent: () => silence }, upgrader: {} as Upgrader }
  const { dial } = tcpTransport((upgrader) => upgrader)(components)
  const { signal } = new AbortController()
  const names = ['a.example', 'b.example', 'c.example']
  // The socket gives each connect up. It does not abort the signal of the dial.
  const dials = names.map(async (name) => await dial(multiaddr(`/dns4/${name}/tcp/1`), { signal, upgrader: {} } as never))
  for (const given of await Promise.allSettled(dials)) expect(given.status).toBe('rejected')
  lookUp(() => true)('wanted.example', {}, () => {})
  answers[0]?.()
  await turn()
  answers[1]?.()
  expect(looked).toEqual(['a.example', 'wanted.example'])
})

test('the names of introducers that the user gave do not wait for the names of members', () => {
  const looked = holdLookUps()
  preferNames(['given.example', 'other.example'])
  for (const name of ['silent.example', 'member.example', 'given.example', 'other.example']) lookUp(() => true)(name, {}, () => {})
  expect(looked).toEqual(['silent.example', 'given.example'])
  answers[1]?.()
  expect(looked).toEqual(['silent.example', 'given.example', 'other.example'])
})
