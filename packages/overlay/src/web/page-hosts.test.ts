import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PageHosts } from './page-hosts.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const of = (...texts: string[]) => ({ addresses: texts.map((text) => multiaddr(text).bytes) })

it('pages are those at IP addresses of members, and no names', () => {
  const members = [
    of('/ip4/11.0.0.7/tcp/8080/ws', '/ip4/11.0.0.7/tcp/4001'),
    of('/ip6/2001:db8::7/tcp/443/tls/ws'),
    of('/dns4/evil.example/tcp/80/ws'),
    { addresses: [Uint8Array.of(0xff), Uint8Array.of(0xff, 0xdd, 0x03), new Uint8Array()] },
  ]
  const hosts = new PageHosts(() => members)
  expect(['11.0.0.7:8080', '[2001:db8::7]:443', 'evil.example:80', '11.0.0.7:4001'].map((host) => hosts.has(host))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

it('requests of strangers do not make the node read its view again and again', () => {
  let reads = 0
  const hosts = new PageHosts(() => {
    reads += 1
    return []
  })
  for (let request = 0; request < 1_000; request++) hosts.has(`11.0.0.${request}:80`)
  expect(reads).toBe(1)
  vi.advanceTimersByTime(1_000)
  hosts.has('11.0.0.1:80')
  expect(reads).toBe(2)
})
