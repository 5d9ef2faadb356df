import { createServer, connect, type Socket } from 'node:net'
import type { Stream } from '@libp2p/interface'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { bytes, startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { ApplicationStreams } from './application-streams.ts'
import { introducerOf, tcpEndpoint } from '../base/addresses.ts'
import { multiaddr } from '@multiformats/multiaddr'

afterEach(stopAll)

const protocol = '/test/1.0.0'

/** A relay of bytes to a peer. After `cut` it holds the bytes, and its sockets stay open. */
async function cable(to: Peer): Promise<{ readonly address: Uint8Array; cut(): void }> {
  const sockets: Socket[] = []
  const port = tcpEndpoint(to.address)!.port
  const server = createServer((inner) => {
    const outer = connect(port, '127.0.0.1')
    for (const each of [inner, outer]) each.on('error', () => {})
    inner.pipe(outer).pipe(inner)
    sockets.push(inner, outer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { address } = introducerOf(multiaddr(`/ip4/127.0.0.1/tcp/${(server.address() as { port: number }).port}`))
  return {
    address,
    cut: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}

/** Streams from a host to another host, which echoes. */
async function applications(from: Peer, to: Peer, address: () => Uint8Array): Promise<ApplicationStreams> {
  await to.host.libp2p.handle(protocol, (stream) => {
    stream.addEventListener('message', ({ data }) => void stream.send(data))
  })
  const { libp2p } = from.host
  const member = {
    id: to.id,
    incarnation: 1,
    location: '',
    tag: new Uint8Array(),
    constants: new Map(),
    reach: 'direct',
    joinedAt: 0,
  } as const
  return new ApplicationStreams({
    libp2p,
    paths: {
      connect: async ({ id, addresses }, signal) => await from.dialer.connect(id, addresses, signal),
      overRelay: async () => await Promise.reject(new Error('nobody relays')),
    },
    find: () => ({ ...member, addresses: [address()] }),
    onUnused: () => {},
  })
}

async function echo(stream: Stream): Promise<boolean> {
  let isHeard = false
  stream.addEventListener('message', () => (isHeard = true))
  stream.send(bytes('hello'))
  await until(() => isHeard || stream.status !== 'open', 1_000)
  return isHeard
}

describe('at the end of a life', () => {
  test('a connection that answers keeps its streams: its peer lives on, or again', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const streams = await applications(a, b, () => b.address)
    const stream = await streams.open(b.id, protocol, undefined)
    await streams.died(b.id)
    expect(await echo(stream)).toBe(true)
  })

  test('a connection that stays silent is closed, and the next stream takes another', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const { address, cut } = await cable(b)
    let current = address
    const streams = await applications(a, b, () => current)
    const stream = await streams.open(b.id, protocol, undefined)
    expect(await echo(stream)).toBe(true)
    cut()
    current = b.address
    await streams.died(b.id)
    expect(stream.status).toBe('aborted')
    expect(await echo(await streams.open(b.id, protocol, undefined))).toBe(true)
  })

  test('a stream does not wait for a connection that was cut unnoticed', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const { address, cut } = await cable(b)
    let current = address
    const streams = await applications(a, b, () => current)
    await streams.open(b.id, protocol, undefined)
    cut()
    current = b.address
    expect(await echo(await streams.open(b.id, protocol, AbortSignal.timeout(8_000)))).toBe(true)
  })

  test('streams take the youngest connection while the end is not known yet', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const { address, cut } = await cable(b)
    const streams = await applications(a, b, () => address)
    await streams.open(b.id, protocol, undefined)
    cut()
    await b.host.libp2p.dial(multiaddr(a.address).encapsulate(`/p2p/${a.id}`), { force: true })
    await until(() => a.host.libp2p.getConnections().length === 2)
    expect(await echo(await streams.open(b.id, protocol, undefined))).toBe(true)
  })
})
