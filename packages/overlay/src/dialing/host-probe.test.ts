import dns from 'node:dns'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { probeAddress } from './host-probe.ts'

afterEach(() => void vi.restoreAllMocks())

test('look-ups of names that never resolve end with their probes', async () => {
  // The name server does not answer.
  let pending = 0
  vi.spyOn(dns, 'lookup').mockImplementation(() => void (pending += 1))
  const names = Array.from({ length: 100 }, (_, i) => multiaddr(`/dns4/host${i}.example/tcp/4001`).bytes)
  const outcomes = await Promise.all(names.map(async (name) => await probeAddress(name, 50)))
  expect(new Set(outcomes)).toEqual(new Set(['silent']))
  expect(pending).toBe(1)
})
