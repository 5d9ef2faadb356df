import { expect, it } from 'vitest'
import { acceptance, type TestRunner } from './acceptance.ts'
import { mustFail } from './impossible.ts'
import type { Swarm } from './swarm.ts'

/** A test runner that only lists. */
function list(): { runner: TestRunner; run: Map<string, () => Promise<void>>; skipped: string[] } {
  const run = new Map<string, () => Promise<void>>()
  const skipped: string[] = []
  const it = Object.assign((name: string, body: () => Promise<void>) => run.set(name, body), { skip: (name: string) => skipped.push(name) })
  return { runner: { describe: (_name, body) => body(), it }, run, skipped }
}

it('a case that there is no time for is skipped with the reason', () => {
  const all = list()
  const create = (): Promise<Swarm> => Promise.reject(new Error('not now'))
  acceptance({ name: 'any', create, size: 8 }, all.runner)
  expect(all.skipped).toEqual([])
  expect(all.run.size).toBeGreaterThan(40)

  const some = list()
  acceptance({ name: 'any', create, size: 8, lacks: { slow: 'takes minutes' } }, some.runner)
  expect(some.skipped).toContain(
    'a member that pauses for 60 s dies, and comes back with a higher incarnation and a whole view (skipped: takes minutes)',
  )
  expect(some.run.size + some.skipped.length).toBe(all.run.size)
})

it('a case that is called impossible is tried, and must fail', async () => {
  const { runner, run } = list()
  let tried = 0
  const create = (): Promise<Swarm> => Promise.reject(new Error(`not now, ${++tried}`))
  acceptance({ name: 'any', create, size: 8, lacks: { watch: 'no' } }, runner)
  const impossible = [...run].filter(([name]) => name.endsWith('(impossible: no)'))
  expect(impossible).toHaveLength(1)
  for (const [, body] of impossible) await body()
  expect(tried).toBe(1)
  await expect(mustFail(() => Promise.resolve(), ['watch'])).rejects.toThrow('it passes, though this swarm is said to lack watch')
})

it('the swarm is closed after a case that failed', async () => {
  const { runner, run } = list()
  let closed = 0
  const swarm = {
    spawn: () => Promise.reject(new Error('no node today')),
    close: () => {
      closed += 1
      return Promise.resolve()
    },
  }
  acceptance({ name: 'any', create: () => Promise.resolve(swarm as unknown as Swarm), size: 8 }, runner)
  const [first] = run.values()
  await expect(first?.()).rejects.toThrow('no node today')
  expect(closed).toBe(1)
})
