import { once } from 'node:events'
import { connect } from 'node:net'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { webEndpointOf } from '../base/web-address.ts'
import { generatePoolKey } from '../identity/pool-key.ts'
import { PoolKeys } from '../identity/pool-keys.ts'
import { Protector } from '../host/protector.ts'
import { TrafficMeter } from '../host/traffic.ts'
import { tuned } from '../host/upgrades.ts'
import { webDialer } from '../platform/browser/web-dialer.ts'

const ECHO = '/echo/1'
const tabs: Libp2p[] = []

afterEach(async () => {
  await Promise.all(tabs.splice(0).map(async (tab) => await tab.stop()))
  await stopAll()
})

interface Server {
  readonly peer: Peer
  readonly address: Multiaddr
  readonly port: number
  /** Connections that are open at the peer. */
  readonly connections: () => Connection[]
}

async function serve({ key, isMember = () => false }: { key?: Uint8Array; isMember?: (host: string) => boolean } = {}): Promise<Server> {
  const peer = await startPeer({
    ...(key && { key }),
    web: {
      listen: multiaddr('/ip4/127.0.0.1/tcp/0/ws'),
      origins: { allowed: ['https://pool.example.org'], isMember },
      serve: (_, response) => response.end('a page'),
    },
  })
  await peer.host.libp2p.handle(ECHO, (stream) => {
    stream.addEventListener('message', ({ data }) => void (stream.writeStatus === 'writable' && stream.send(data)))
  })
  const address = peer.host.addresses().find((each) => webEndpointOf(each) !== undefined) as Multiaddr
  return { peer, address, port: webEndpointOf(address)?.port ?? 0, connections: () => peer.host.libp2p.getConnections() }
}

/** A host as in a browser: it dials WebSockets, and nobody dials it. */
async function tab(key?: Uint8Array, meter = new TrafficMeter()): Promise<Libp2p> {
  const libp2p = await createLibp2p({
    transports: [webDialer((upgrader) => tuned(upgrader, meter, () => {}))],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
    connectionGater: { denyDialMultiaddr: () => false },
    ...(key && { connectionProtector: () => new Protector(new PoolKeys([key])) }),
  })
  tabs.push(libp2p)
  return libp2p
}

async function echoed(stream: Stream, bytes: number): Promise<number> {
  let got = 0
  stream.addEventListener('message', ({ data }) => (got += data.byteLength))
  for (let sent = 0; sent < bytes; sent += 50_000)
    if (!stream.send(new Uint8Array(50_000))) await new Promise((resolve) => stream.addEventListener('drain', resolve, { once: true }))
  await until(() => got >= bytes || stream.status !== 'open', 20_000)
  return got
}

describe('a connection over a WebSocket', () => {
  it.each([false, true])('carries streams both ways, in a private pool or not: %s', async (isPrivate) => {
    const key = isPrivate ? generatePoolKey() : undefined
    const { address, connections, peer } = await serve(key && { key })
    const meter = new TrafficMeter()
    const client = await tab(key, meter)
    await client.handle(ECHO, (stream) => stream.addEventListener('message', ({ data }) => void stream.send(data)))
    const connection = await client.dial(address)
    expect(await echoed(await connection.newStream(ECHO), 3_000_000)).toBe(3_000_000)
    await until(() => connections().length === 1)
    expect(await echoed((await connections()[0]?.newStream(ECHO)) as Stream, 200_000)).toBe(200_000)
    expect(peer.host.traffic.total.received).toBeGreaterThan(3_000_000)
    expect(meter.total.sent).toBeGreaterThan(3_000_000)
    expect(meter.total.received).toBeGreaterThan(3_000_000)
    expect(meter.total.connections).toBe(1)
    await connection.close()
    await until(() => connections().length === 0 && peer.host.traffic.total.connections === 0 && meter.total.connections === 0)
  })

  it('that one end aborts has no socket left at the other', async () => {
    const { address, connections, peer } = await serve()
    const client = await tab()
    const connection = await client.dial(address)
    await until(() => connections().length === 1)
    connections()[0]?.abort(new Error('enough'))
    await until(() => client.getConnections().length === 0 && peer.host.traffic.total.connections === 0, 1_000)
    expect(connection.status).not.toBe('open')
    const second = await client.dial(address)
    await until(() => connections().length === 1)
    second.abort(new Error('enough'))
    await until(() => connections().length === 0 && peer.host.traffic.total.connections === 0, 1_000)
  })

  it('needs the key of a private pool', async () => {
    const { address, connections } = await serve({ key: generatePoolKey() })
    for (const key of [undefined, generatePoolKey()]) {
      const client = await tab(key)
      await expect(client.dial(address, { signal: AbortSignal.timeout(3_000) })).rejects.toThrow(/./u)
    }
    expect(connections()).toEqual([])
  })

  it('ends with its host', async () => {
    const { address, peer } = await serve()
    const client = await tab()
    await client.dial(address)
    const began = performance.now()
    await peer.stop()
    expect(performance.now() - began).toBeLessThan(2_500)
    await until(() => client.getConnections().length === 0)
  })
})

describe('the port of WebSockets', () => {
  it('serves pages, and 404 for other upgrades', async () => {
    const { port } = await serve()
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('a page')
    const socket = new WebSocket(`ws://127.0.0.1:${port}/other`)
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toContain('404')
  })

  it.each<[string, string, boolean]>([
    ['this port', 'http://127.0.0.1:PORT', true],
    ['an origin that the user allows', 'https://pool.example.org', true],
    ['a member', 'http://11.0.0.7:8080', true],
    ['another site', 'http://evil.example.org', false],
    ['another port of this machine', 'http://127.0.0.1', false],
    ['a name that leads here', 'http://evil.example.org:PORT', false],
    ['an opaque origin', 'null', false],
    ['a long origin', `http://${'a'.repeat(10_000)}.example.org`, false],
  ])('takes sockets of pages of %s (%#)', async (_, origin, isTaken) => {
    const { port } = await serve({ isMember: (host) => host === '11.0.0.7:8080' })
    const given = origin.replace('PORT', String(port))
    // A browser sends the name of the page's own host, wherever that name leads.
    const host = given.includes('evil.example.org:') ? { host: new URL(given).host } : {}
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { origin: given, ...host } })
    const answer = await new Promise((resolve) => {
      socket.on('open', () => resolve('open'))
      socket.on('error', ({ message }) => resolve(message))
    })
    socket.terminate()
    expect(answer).toContain(isTaken ? 'open' : '403')
  })

  it('survives malformed and large frames, which end their socket', async () => {
    const { port, peer } = await serve()
    const bad = [
      Buffer.from('838000000000', 'hex'), // a reserved opcode
      Buffer.from('82ff0000000006400000', 'hex'), // 100 MiB
      Buffer.concat([Buffer.from('82fe80000000000000', 'hex'), Buffer.alloc(32_768)]),
      Buffer.from('8180deadbeef', 'hex'), // text
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
    ]
    const memory = process.memoryUsage().rss
    for (const bytes of bad) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      )
      await once(socket, 'data')
      socket.write(bytes)
      await until(() => socket.destroyed || socket.readableEnded || (socket.resume(), false), 8_000).catch(() => {
        throw new Error(`the frame ${bytes.subarray(0, 8).toString('hex')} did not end its socket`)
      })
      socket.destroy()
    }
    expect(process.memoryUsage().rss - memory).toBeLessThan(60_000_000)
    await until(() => peer.host.traffic.total.connections === 0)
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('a page')
  })

  it('keeps no socket of a refused request, whatever follows', async () => {
    const { port, peer } = await serve()
    const head = 'Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
    const clients = Array.from({ length: 20 }, (_, i) => {
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      client.on('error', () => {})
      client.write(`GET ${i % 2 === 0 ? '/other' : '/ws'} HTTP/1.1\r\nOrigin: http://evil.example.org\r\n${head}`)
      client.on('data', () => client.write('x'))
      // Only a socket that is gone answers this with a reset.
      client.on('end', () => setTimeout(() => client.write('x'), 100))
      return client
    })
    await Promise.all(clients.map(async (client) => await new Promise((resolve) => client.on('close', resolve))))
    expect(peer.host.traffic.total.connections).toBe(0)
  })

  it('ends the oldest socket that reads no page, and keeps the WebSockets', { timeout: 20_000 }, async () => {
    const { port, address, connections } = await serve()
    const client = await tab()
    await client.dial(address)
    await until(() => connections().length === 1)
    const silent = Array.from({ length: 140 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await until(() => silent.filter(({ destroyed }) => destroyed).length >= 12, 10_000)
    expect(connections()).toHaveLength(1)
    for (const each of silent) each.destroy()
  })

  it('takes a message in few fragments only', async () => {
    const { port } = await serve()
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    socket.on('error', () => {})
    await once(socket, 'open')
    for (let i = 0; i < 70; i++) socket.send(Buffer.alloc(1), { fin: false })
    await once(socket, 'close')
  })

  it('ends sockets that say nothing, before and after the upgrade', { timeout: 20_000 }, async () => {
    const { port } = await serve()
    const silent = connect(port, '127.0.0.1')
    const half = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    for (const each of [silent, half]) each.on('error', () => {})
    silent.resume()
    await Promise.all([once(silent, 'close'), once(half, 'close')])
  })
})
