import { expect, it } from 'vitest'
import { acceptance, type TestRunner } from './acceptance.ts'
import type { Swarm } from './swarm.ts'

/** A test runner that only lists. */
function list(): { runner: TestRunner; run: Map<string, () => Promise<void>>; skipped: string[] } {
  const run = new Map<string, () => Promise<void>>()
  const skipped: string[] = []
  const it = Object.assign((name: string, body: () => Promise<void>) => run.set(name, body), { skip: (name: string) => skipped.push(name) })
  return { runner: { describe: (_name, body) => body(), it }, run, skipped }
}

it('skips what the swarm can’t do, and says why', () => {
  const all = list()
  const create = (): Promise<Swarm> => Promise.reject(new Error('not now'))
  acceptance({ name: 'any', create, size: 8 }, all.runner)
  expect(all.skipped).toEqual([])
  expect(all.run.size).toBeGreaterThan(40)

  const some = list()
  acceptance({ name: 'any', create, size: 8, lacks: { kill: 'nobody can be killed' } }, some.runner)
  expect(some.skipped).toContain('who is killed has died, and nobody else (skipped: nobody can be killed)')
  expect(some.run.size + some.skipped.length).toBe(all.run.size)
})

it('closes the swarm after a case that failed', async () => {
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
