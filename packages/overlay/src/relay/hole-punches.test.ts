import type { Member, NodeId, Reach } from '@jel/protocol'
import type { Connection } from '@libp2p/interface'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, it } from 'vitest'
import { startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { poolNames } from '../base/names.ts'
import { circuitAddress } from '../circuits/circuit-address.ts'
import { directConnections, isDirect } from '../circuits/circuit-transport.ts'
import { HolePunches, punchDelay } from './hole-punches.ts'
import { RelayService } from './relay-service.ts'

const { circuits, punch, links } = poolNames('test')

afterEach(stopAll)

interface Dial {
  readonly to: string
  readonly from: number
  readonly direction: Connection['direction']
  readonly at: number
}

interface End {
  readonly peer: Peer
  readonly dials: Dial[]
  readonly connected: Connection[]
}

interface Situation {
  /** Of the one with the lower id, which takes the circuit, and of the other. */
  readonly reach?: readonly [Reach, Reach]
  /** The addresses at which the relay sees the two. */
  readonly seen?: readonly [string, string]
  /** The other end answers by hand, and says this address. */
  readonly says?: string
  /** The answers of further relays about the first end. Undefined: it does not answer. */
  readonly others?: readonly (string | undefined)[]
  /** Whether dials reach the other end. */
  readonly works?: boolean
}

/** A relay, and two peers with a circuit over it. The second one has the higher id. */
async function ends({
  reach = ['hidden', 'hidden'],
  seen = ['/ip4/11.0.0.1/tcp/5001', '/ip4/11.0.0.2/tcp/5002'],
  works = true,
  says,
  others = [],
}: Situation): Promise<[End, End]> {
  const [relay, ...both] = await Promise.all([1, 2, 3].map(async () => await startPeer({ idleTime: 60_000 })))
  if (relay === undefined) throw new Error('no relay')
  const further = await Promise.all(others.map(async () => await startPeer({ idleTime: 60_000 })))
  const relays = [relay, ...further].map(({ id }) => id)
  const service = new RelayService({
    libp2p: relay.host.libp2p,
    protocols: circuits,
    isMember: () => true,
    connect: async () => await Promise.reject(new Error('it is connected')),
  })
  await service.start()
  const peers = both.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const find = (id: NodeId): Member => {
    const index = peers.findIndex((peer) => peer.id === id)
    return { id, reach: reach[index] ?? 'direct', addresses: [peers[index]?.address] } as unknown as Member
  }
  const made = peers.map((peer, index): End => {
    const other = peers[1 - index] as Peer
    const end: End = { peer, dials: [], connected: [] }
    const { libp2p } = peer.host
    const punching = {
      portOf: (connection: Connection) => (relays.includes(connection.remotePeer.toString()) ? 4000 + index : undefined),
      dial: async (address: { toString(): string }, { from, direction }: { from: number; direction: Connection['direction'] }) => {
        end.dials.push({ to: address.toString(), from, direction, at: performance.now() })
        if (!works) throw new Error('refused')
        if (direction === 'outbound')
          await libp2p.dial(multiaddr(other.address).encapsulate(`/p2p/${other.id}`), { force: true, signal: AbortSignal.timeout(2_000) })
      },
    }
    const seenBy = async ({ remotePeer }: Connection, signal: AbortSignal): Promise<Multiaddr> => {
      const said = remotePeer.toString() === relay.id ? seen[index] : others[relays.indexOf(remotePeer.toString()) - 1]
      if (said !== undefined) return await Promise.resolve(multiaddr(said))
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('silence'))))
    }
    const host = { libp2p, punching, seenBy }
    const onConnected = (connection: Connection): void => void end.connected.push(connection)
    if (says === undefined || index === 0)
      void new HolePunches({ host, protocol: punch, self: () => find(peer.id), find, onConnected }).start()
    else
      void libp2p.handle(punch, (stream) => {
        for (const line of [says, 'sync']) stream.send(new TextEncoder().encode(`${line}\n`))
      })
    return end
  })
  for (const { peer } of made) await peer.dialer.connect(relay.id, [relay.address])
  for (const other of further) await made[0]?.peer.dialer.connect(other.id, [other.address])
  const [one, other] = made as [End, End]
  await other.peer.host.libp2p.dial(circuitAddress(relay.id, one.peer.id), { signal: AbortSignal.timeout(5_000) })
  return [one, other]
}

const silence = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, punchDelay + 500))

describe('two hidden members with a circuit', () => {
  it('dial each other at the same time, at the addresses that a relay sees', async () => {
    const [one, other] = await ends({})
    await until(() => one.dials.length > 0 && other.dials.length > 0)
    expect(one.dials).toMatchObject([{ to: `/ip4/11.0.0.2/tcp/5002/p2p/${other.peer.id}`, from: 4000, direction: 'outbound' }])
    expect(other.dials).toMatchObject([{ to: `/ip4/11.0.0.1/tcp/5001/p2p/${one.peer.id}`, from: 4001, direction: 'inbound' }])
    expect(Math.abs((one.dials[0]?.at ?? 0) - (other.dials[0]?.at ?? 0))).toBeLessThan(100)
    await until(() => one.connected.length > 0)
    expect(isDirect(one.connected[0] as Connection)).toBe(true)
    expect(other.connected).toEqual([])
  })

  it('keep the circuit if no dial gets through, and do not try again at once', async () => {
    const [one, other] = await ends({ works: false })
    await until(() => one.dials.length === 3 && other.dials.length === 3)
    expect(one.connected).toEqual([])
    const circuitsOf = ({ peer }: End): number => peer.host.libp2p.getConnections().filter((each) => !isDirect(each)).length
    expect([circuitsOf(one), circuitsOf(other)]).toEqual([1, 1])
    const [relay] = one.peer.host.libp2p.getConnections().filter(isDirect)
    await one.peer.host.libp2p.dial(circuitAddress(relay?.remotePeer.toString() ?? '', other.peer.id), { force: true })
    await silence()
    expect([one.dials.length, other.dials.length]).toEqual([3, 3])
  })

  it('ask three relays, of which one may lie or be silent', async () => {
    const [, other] = await ends({ others: ['/ip4/11.66.66.66/tcp/22', '/ip4/11.0.0.1/tcp/6001'] })
    const [, third] = await ends({ others: [undefined] })
    const [, fourth] = await ends({ others: ['/ip6/2a00::1/tcp/5001'] })
    await until(() => [other, third, fourth].every(({ dials }) => dials.length > 0))
    expect(fourth.dials[0]?.to).toMatch(/^\/ip4\/11\.0\.0\.1\//u)
    expect(other.dials[0]?.to).toMatch(/^\/ip4\/11\.0\.0\.1\//u)
    expect(third.dials[0]?.to).toMatch(/^\/ip4\/11\.0\.0\.1\//u)
  })

  it.each<[string, Situation]>([
    [
      'the other end says an address with an id',
      { says: '/ip4/11.0.0.2/tcp/5002/p2p/12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp' },
    ],
    ['a relay sees a private address, which would mean another host', { seen: ['/ip4/192.168.1.2/tcp/5001', '/ip4/11.0.0.2/tcp/5002'] }],
    ['the other end says a private address', { says: '/ip4/192.168.1.2/tcp/5002' }],
    ['the other end says no address of a host', { says: '/unix/tmp/socket' }],
    ['they are direct', { reach: ['direct', 'direct'] }],
    ['they are tabs', { reach: ['tab', 'tab'] }],
  ])('dial nobody if %s', async (_, situation) => {
    const [one, other] = await ends(situation)
    await silence()
    expect([...one.dials, ...other.dials]).toEqual([])
  })
})

it('a hidden member dials a direct one that reached it over a relay', async () => {
  const [one, other] = await ends({ reach: ['hidden', 'direct'] })
  await until(() => one.connected.length > 0)
  expect(directConnections(one.peer.host.libp2p, other.peer.id)).toHaveLength(1)
  expect([...one.dials, ...other.dials]).toEqual([])
})

describe('a link over a circuit', () => {
  it('moves to a connection that passes no relay, and loses no frame', async () => {
    const [one, other] = await ends({ reach: ['tab', 'tab'] })
    const circuitOf = (): Connection | undefined => one.peer.host.libp2p.getConnections().find((each) => !isDirect(each))
    await until(() => circuitOf() !== undefined)
    const circuit = circuitOf() as Connection
    one.peer.links.add(await circuit.newStream([...links]), circuit)
    await until(() => other.peer.links.has(one.peer.id))
    const { libp2p } = one.peer.host
    const direct = await libp2p.dial(multiaddr(other.peer.address).encapsulate(`/p2p/${other.peer.id}`), {
      force: true,
      signal: AbortSignal.timeout(2_000),
    })
    const frames = Array.from({ length: 40 }, (_, index) => `frame ${index}`)
    for (const [index, frame] of frames.entries()) {
      one.peer.links.send(other.peer.id, new TextEncoder().encode(frame))
      other.peer.links.send(one.peer.id, new TextEncoder().encode(frame))
      if (index === 10) one.peer.links.add(await direct.newStream([...links]), direct)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await until(
      () =>
        directConnections(libp2p, other.peer.id).length ===
        libp2p.getConnections().filter((each) => each.remotePeer.toString() === other.peer.id).length,
    )
    for (const { peer } of [one, other]) {
      expect(peer.log.filter((line) => line.startsWith('frame')).toSorted()).toEqual(frames.toSorted())
      expect(peer.log.filter((line) => !line.startsWith('frame'))).toHaveLength(1)
    }
  })
})
