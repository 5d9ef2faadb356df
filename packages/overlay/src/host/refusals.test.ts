import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, test } from 'vitest'
import { poolNames } from '../base/names.ts'
import { whyNoLink } from '../engine/unlinked-peers.ts'
import { Refusals } from './refusals.ts'

describe('refusals', () => {
  test('are reported once for each host and reason, with the address', () => {
    const reported: string[] = []
    const refusals = new Refusals((message) => reported.push(message))
    for (const port of [1, 2, 3]) refusals.add(multiaddr(`/ip4/192.0.2.7/tcp/${port}`), 'why')
    refusals.add(multiaddr('/ip4/192.0.2.7/tcp/4'), 'another why')
    refusals.add(multiaddr('/ip6/2001:db8::7/tcp/5'), 'why')
    expect(reported).toEqual([
      '/ip4/192.0.2.7/tcp/1 is refused: why',
      '/ip4/192.0.2.7/tcp/4 is refused: another why',
      '/ip6/2001:db8::7/tcp/5 is refused: why',
    ])
  })

  test('of very many hosts are reported in part', () => {
    const reported: string[] = []
    const refusals = new Refusals((message) => reported.push(message))
    for (let i = 0; i < 10_000; i += 1) refusals.add(multiaddr(`/ip4/10.0.${i >> 8}.${i & 255}/tcp/1`), 'why')
    expect(reported.length).toBeLessThan(20)
  })
})

test('the protocols that a peer speaks say why it has no link', () => {
  const names = poolNames('a')
  const [ours] = names.links as [string]
  expect(whyNoLink(['/ipfs/id/1.0.0', ours], names)).toBeUndefined()
  expect(whyNoLink([ours.replace('2.0.0', '3.1.0')], names)).toBe("speaks version 3.1.0 of this pool's protocol, and this node 2.0.0")
  expect(whyNoLink([...poolNames('b').links], names)).toBe('belongs to another pool')
  for (const theirs of [[], ['/ipfs/id/1.0.0', '/jel/nonsense']]) expect(whyNoLink(theirs, names)).toBe('is no node of jel')
})
