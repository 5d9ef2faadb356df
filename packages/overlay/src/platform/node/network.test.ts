import dns from 'node:dns'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

// Look-ups wait for those before them in the same process. Each test has modules of its own.
beforeEach(() => void vi.resetModules())
afterEach(() => void vi.restoreAllMocks())

test('look-ups of names that never resolve end with their probes', async () => {
  // The name server does not answer.
  let pending = 0
  vi.spyOn(dns, 'lookup').mockImplementation(() => void (pending += 1))
  const { probeAddress } = await import('./network.ts')
  const names = Array.from({ length: 100 }, (_, i) => multiaddr(`/dns4/host${i}.example/tcp/4001`).bytes)
  const outcomes = await Promise.all(names.map(async (name) => await probeAddress(name, 50)))
  expect(new Set(outcomes)).toEqual(new Set(['silent']))
  expect(pending).toBe(1)
})

test('a name is looked up although thousands of look-ups before it were given up', async () => {
  const answers: (() => void)[] = []
  vi.spyOn(dns, 'lookup').mockImplementation(((_host: string, _options: object, done: (error: Error | null) => void) => {
    answers.push(() => done(new Error('no such name')))
  }) as never)
  const { lookUp } = await import('./lookups.ts')
  const outcomes: string[] = []
  const ask = (name: string, isWanted: boolean): void => lookUp(() => isWanted)(name, {}, () => outcomes.push(name))
  ask('first', true)
  for (let given = 0; given < 20_000; given++) ask('given up', false)
  ask('last', true)
  for (const answer of answers) answer()
  expect(outcomes).toEqual(['first', 'last'])
})
