import type { Introducer } from '@jel/protocol'
import type { PeerInfo } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, test } from 'vitest'
import { serviceName } from '../base/names.ts'
import { MdnsDiscovery, wantsDiscovery } from './mdns-discovery.ts'
import type { mdns } from './libp2p-mdns.ts'

const on = (...texts: string[]) => texts.map((text) => multiaddr(text))

// Nothing here is started, so the tests send nothing to the network.
describe('discovery', () => {
  test('is on by default, but never for a host that listens on loopback only', () => {
    expect(wantsDiscovery(undefined, on('/ip4/0.0.0.0/tcp/0'))).toBe(true)
    expect(wantsDiscovery(undefined, on('/ip4/127.0.0.1/tcp/0', '/ip4/192.168.1.5/tcp/0'))).toBe(true)
    expect(wantsDiscovery(false, on('/ip4/0.0.0.0/tcp/0'))).toBe(false)
    for (const wanted of [undefined, true]) expect(wantsDiscovery(wanted, on('/ip4/127.0.0.1/tcp/0', '/ip6/::1/tcp/0'))).toBe(false)
  })

  /** Services that log their names, in the order in which they start and stop. */
  function fake() {
    const log: string[] = []
    const made: EventTarget[] = []
    const make = (({ serviceTag, interval }: { serviceTag: string; interval: number }) =>
      () => {
        const service = Object.assign(new EventTarget(), {
          start: async () => void log.push(`start ${serviceTag} ${interval}`),
          stop: async () => void log.push(`stop ${serviceTag}`),
        })
        made.push(service)
        return service
      }) as unknown as typeof mdns
    return { log, made, make }
  }

  test('asks for the service of its pool, and passes on each address of the peers that it finds', async () => {
    const found: Introducer[] = []
    const { log, made, make } = fake()
    const service = serviceName('test')
    const discovery = new MdnsDiscovery([service], (introducer) => found.push(introducer), make).create({} as never)
    await discovery.start()
    expect(log).toEqual([`start ${service} 600000`])
    const id = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
    const detail: PeerInfo = { id: peerIdFromString(id), multiaddrs: on('/ip4/192.168.1.5/tcp/1', `/ip4/192.168.1.6/tcp/1/p2p/${id}`) }
    made[0]!.dispatchEvent(new CustomEvent('peer', { detail }))
    expect(found).toEqual([
      { id, address: multiaddr('/ip4/192.168.1.5/tcp/1').bytes },
      { id, address: multiaddr('/ip4/192.168.1.6/tcp/1').bytes },
    ])
  })

  test('ignores what is no TCP address, whoever sends it', async () => {
    const found: Introducer[] = []
    const { made, make } = fake()
    new MdnsDiscovery(['one'], (introducer) => found.push(introducer), make).create({} as never)
    const id = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
    const multiaddrs = on('/onion/x', '/dnsaddr/example.org', '/ip4/192.168.1.5/udp/1', '/unix/a', '/ip4/192.168.1.5/tcp/1')
    made[0]!.dispatchEvent(new CustomEvent('peer', { detail: { id: peerIdFromString(id), multiaddrs } }))
    expect(found).toEqual([{ id, address: multiaddr('/ip4/192.168.1.5/tcp/1').bytes }])
  })

  test('asks and answers under each key for as long as it is installed', async () => {
    const { log, make } = fake()
    const discovery = new MdnsDiscovery(['one'], () => {}, make).create({} as never)
    await discovery.start()
    await discovery.add('two')
    await discovery.ask()
    await discovery.remove('one')
    await discovery.stop()
    const events = ['start one', 'start two', 'stop one', 'start one', 'stop two', 'start two', 'stop one', 'stop two']
    expect(log.map((each) => each.replace(' 600000', ''))).toEqual(events)
  })
})
