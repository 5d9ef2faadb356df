import type { Introducer } from '@jel/protocol'
import type { PeerInfo } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, test } from 'vitest'
import { poolNames } from '../base/names.ts'
import { Discovery, wantsDiscovery } from './discovery.ts'

const on = (...texts: string[]) => texts.map((text) => multiaddr(text))

// Nothing here is started: tests send nothing to the network.
describe('discovery', () => {
  test('is wanted unless one listens on loopback only, whatever was asked for', () => {
    expect(wantsDiscovery(undefined, on('/ip4/0.0.0.0/tcp/0'))).toBe(true)
    expect(wantsDiscovery(undefined, on('/ip4/127.0.0.1/tcp/0', '/ip4/192.168.1.5/tcp/0'))).toBe(true)
    expect(wantsDiscovery(false, on('/ip4/0.0.0.0/tcp/0'))).toBe(false)
    for (const wanted of [undefined, true]) expect(wantsDiscovery(wanted, on('/ip4/127.0.0.1/tcp/0', '/ip6/::1/tcp/0'))).toBe(false)
  })

  test('asks for the service of its pool, and hands on each address of who is found', () => {
    const found: Introducer[] = []
    const { service } = poolNames('test')
    const discovery = new Discovery(service, (introducer) => found.push(introducer))
    const logger = { forComponent: () => Object.assign(() => {}, { error: () => {}, trace: () => {}, newScope: () => undefined }) }
    const created = discovery.create({ logger, addressManager: {} } as never)
    expect(created).toMatchObject({ serviceTag: service, interval: 600_000 })
    const id = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
    const detail: PeerInfo = { id: peerIdFromString(id), multiaddrs: on('/ip4/192.168.1.5/tcp/1', `/ip4/192.168.1.6/tcp/1/p2p/${id}`) }
    created.dispatchEvent(new CustomEvent('peer', { detail }))
    expect(found).toEqual([
      { id, address: multiaddr('/ip4/192.168.1.5/tcp/1').bytes },
      { id, address: multiaddr('/ip4/192.168.1.6/tcp/1').bytes },
    ])
  })
})
