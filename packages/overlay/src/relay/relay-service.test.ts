import type { Connection, Stream } from '@libp2p/interface'
import { afterEach, describe, expect, it } from 'vitest'
import { startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { poolNames } from '../base/names.ts'
import { circuitAddress } from '../circuits/circuit-address.ts'
import { isDirect } from '../circuits/circuit-transport.ts'
import { absent } from '../circuits/relay-refusal.ts'
import { generatePoolKey } from '../identity/pool-key.ts'
import { RelayService } from './relay-service.ts'

const { circuits } = poolNames('test')
const ECHO = '/echo/1'

afterEach(stopAll)

interface Threesome {
  readonly relay: Peer
  readonly service: RelayService
  readonly one: Peer
  readonly other: Peer
}

/** Two peers with a connection to a relay. */
async function threesome({
  key,
  isMember = () => true,
}: { key?: Uint8Array; isMember?: (id: string) => boolean } = {}): Promise<Threesome> {
  const start = async (): Promise<Peer> => await startPeer({ idleTime: 60_000, ...(key && { key }) })
  const [relay, one, other] = await Promise.all([start(), start(), start()])
  const service = new RelayService({
    libp2p: relay.host.libp2p,
    protocols: circuits,
    isMember,
    connect: async () => await Promise.resolve(absent),
  })
  await service.start()
  for (const peer of [one, other]) {
    await peer.dialer.connect(relay.id, [relay.address])
    await peer.host.libp2p.handle(ECHO, (stream) => {
      stream.addEventListener('message', ({ data }) => void (stream.writeStatus === 'writable' && stream.send(data)))
    })
  }
  return { relay, service, one, other }
}

async function dial(from: Peer, relay: Peer, to: Peer): Promise<Connection> {
  return await from.host.libp2p.dial(circuitAddress(relay.id, to.id), { signal: AbortSignal.timeout(5_000) })
}

/** Sends this many bytes, and returns how many came back. */
async function echoed(stream: Stream, bytes: number): Promise<number> {
  let got = 0
  stream.addEventListener('message', ({ data }) => (got += data.byteLength))
  for (let sent = 0; sent < bytes; sent += 50_000) {
    if (!stream.send(new Uint8Array(50_000))) await new Promise((resolve) => stream.addEventListener('drain', resolve, { once: true }))
  }
  await until(() => got >= bytes || stream.status !== 'open', 20_000)
  return got
}

describe('a circuit', () => {
  it.each([false, true])('carries streams both ways, encrypted from end to end (pool key: %s)', async (isPrivate) => {
    const key = isPrivate ? generatePoolKey() : undefined
    const { relay, service, one, other } = await threesome(key && { key })
    const connection = await dial(one, relay, other)
    expect([connection.remotePeer.toString(), isDirect(connection), service.circuits]).toEqual([other.id, false, 1])
    expect(await echoed(await connection.newStream(ECHO), 3_000_000)).toBe(3_000_000)
    const [back] = other.host.libp2p.getConnections().filter((each) => !isDirect(each))
    expect(back?.remotePeer.toString()).toBe(one.id)
    expect(await echoed((await back?.newStream(ECHO)) as Stream, 200_000)).toBe(200_000)
  })

  it('ends at both ends if one end closes it, and if the relay ends', async () => {
    const { relay, service, one, other } = await threesome()
    const connection = await dial(one, relay, other)
    await connection.close()
    const circuitsOf = (peer: Peer): number => peer.host.libp2p.getConnections().filter((each) => !isDirect(each)).length
    await until(() => circuitsOf(other) === 0 && service.circuits === 0, 5_000)
    await dial(one, relay, other)
    await relay.stop()
    await until(() => circuitsOf(one) + circuitsOf(other) === 0, 10_000)
  })

  it('is not made for strangers, to members that are not here, or over a circuit', async () => {
    let members = new Set<string>()
    const { relay, one, other } = await threesome({ isMember: (id) => members.has(id) })
    await expect(dial(one, relay, other)).rejects.toThrow('not a member')
    members = new Set([one.id])
    await expect(dial(one, relay, other)).rejects.toThrow('not here')
    members = new Set([one.id, other.id])
    await expect(dial(one, relay, one)).rejects.toThrow(/self/u)
    const far = await startPeer()
    members.add(far.id)
    await expect(dial(one, relay, far)).rejects.toThrow('not here')
    const circuit = await dial(one, relay, other)
    const stream = await circuit.newStream(circuits.circuit)
    await until(() => stream.status !== 'open', 5_000)
  })

  it('does not begin if the other end stays silent, and does not last if nobody speaks', async () => {
    const { relay, service, one, other } = await threesome()
    await other.host.libp2p.unhandle(circuits.circuit)
    await other.host.libp2p.handle(circuits.circuit, () => {})
    const began = performance.now()
    await expect(dial(one, relay, other)).rejects.toThrow('no answer')
    expect(performance.now() - began).toBeLessThan(6_000)
    await until(() => service.circuits === 0, 5_000)
  })

  it('is one of few for each pair of members', async () => {
    const { service, one, other } = await threesome()
    const [connection] = one.host.libp2p.getConnections()
    const ask = async (): Promise<Stream> => {
      const stream = await (connection as Connection).newStream(circuits.relay)
      stream.send(new TextEncoder().encode(`${other.id}\n`))
      return stream
    }
    const asked = await Promise.allSettled(Array.from({ length: 10 }, ask))
    await until(() => service.circuits === 4, 10_000)
    for (const each of asked) if (each.status === 'fulfilled') each.value.abort(new Error('done'))
    await until(() => service.circuits === 0, 10_000)
  })

  it('that a member does not get leaves no stream at the relay, even if the member reads nothing', async () => {
    const { relay, one, other } = await threesome({ isMember: () => false })
    const [connection] = one.host.libp2p.getConnections()
    const stream = await (connection as Connection).newStream(circuits.relay)
    stream.pause()
    for (let sent = 0; sent < 60 && stream.writeStatus === 'writable'; sent++) stream.send(new Uint8Array(4_000))
    const open = (): number =>
      relay.host.libp2p
        .getConnections()
        .flatMap((each) => each.streams)
        .filter(({ protocol }) => protocol === circuits.relay).length
    await until(() => open() === 0, 5_000)
    expect(other.id).not.toBe(one.id)
  })

  it('that ends at the other end can be made again, any number of times', async () => {
    const { relay, one, other } = await threesome()
    for (let turn = 0; turn < 70; turn++) {
      await dial(one, relay, other)
      const back = (): Connection[] => other.host.libp2p.getConnections().filter((each) => !isDirect(each))
      await until(() => back().length > 0, 5_000)
      for (const each of back()) each.abort(new Error('enough'))
      await until(() => one.host.libp2p.getConnections().every(isDirect), 5_000)
    }
  })

  it('with a slow reader takes bounded memory at the relay, and outlives a sender that is killed', async () => {
    const { relay, service, one, other } = await threesome()
    await other.host.libp2p.unhandle(circuits.circuit)
    const slow: Stream[] = []
    await other.host.libp2p.handle(circuits.circuit, (stream) => {
      slow.push(stream)
      stream.addEventListener('message', () => {})
      stream.send(new TextEncoder().encode('ok\n'))
      stream.pause()
    })
    const [connection] = one.host.libp2p.getConnections()
    const stream = await (connection as Connection).newStream(circuits.relay)
    stream.send(new TextEncoder().encode(`${other.id}\n`))
    await until(() => service.circuits === 1 && slow.length === 1, 5_000)
    const waiting = (): number =>
      relay.host.libp2p
        .getConnections()
        .flatMap((each) => each.streams)
        .reduce((sum, { writeBufferLength, readBufferLength }) => sum + writeBufferLength + readBufferLength, 0)
    const toSlow = (): Stream[] =>
      relay.host.libp2p.getConnections().flatMap((each) => each.streams.filter(({ protocol }) => protocol === circuits.circuit))
    let most = 0
    for (let turn = 0; turn < 40; turn++) {
      if (stream.writeStatus === 'writable') stream.send(new Uint8Array(250_000))
      // A few bytes of window are enough for this event.
      for (const each of toSlow()) each.dispatchEvent(new Event('drain'))
      await new Promise((resolve) => setTimeout(resolve, 5))
      most = Math.max(most, waiting())
    }
    expect(most).toBeLessThan(2_000_000)
    // The relay has bytes of this sender that nobody takes.
    const left = toSlow()
    for (const each of one.host.libp2p.getConnections()) each.abort(new Error('killed'))
    for (let turn = 0; turn < 10; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      for (const each of left) each.dispatchEvent(new Event('drain'))
    }
    await until(() => service.circuits === 0, 10_000)
  })

  it('is offered by members only, in the name of a member', async () => {
    const { relay, other } = await threesome()
    const toOther = (): Connection | undefined => relay.host.libp2p.getConnections().find((each) => each.remotePeer.toString() === other.id)
    await until(() => toOther() !== undefined, 5_000)
    const connection = toOther()
    for (const name of [`${other.id}/ip4/1.2.3.4/tcp/1/p2p/${other.id}`, '../x', '', '\u001b[31m']) {
      const stream = await (connection as Connection).newStream(circuits.circuit)
      stream.send(new TextEncoder().encode(`${name}\n`))
      await until(() => stream.status !== 'open', 5_000)
    }
    expect(other.host.libp2p.getConnections().every(isDirect)).toBe(true)
  })
})
