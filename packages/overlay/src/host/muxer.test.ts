import type { Connection, Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startIntruder, startPeer, stopAll, until } from '../../test/peers.ts'
import { answers } from './muxer.ts'

afterEach(stopAll)

/** The private parts of a connection that are used here: yamux over noise. */
interface Internals {
  readonly muxer: {
    readonly maConn: { send(data: Uint8Array): boolean; readonly maxWriteBufferLength?: number }
    readonly decoder: { readonly buffer: { readonly byteLength: number; readonly bufs: readonly Uint8Array[] } }
  }
}

/** Connects an intruder to a victim. Returns both ends of the connection. */
async function connect(): Promise<{ intruder: Connection & Internals; victim: Connection & Internals }> {
  const victim = await startPeer()
  const { libp2p } = await startIntruder()
  const own = await libp2p.dial(multiaddr(victim.address).encapsulate(`/p2p/${victim.id}`))
  await until(() => victim.host.libp2p.getConnections().length === 1)
  return { intruder: own as Connection & Internals, victim: victim.host.libp2p.getConnections()[0] as Connection & Internals }
}

/** Returns the header of a data frame for a stream that is not open. */
function header(length: number): Uint8Array {
  const bytes = new Uint8Array(12)
  const view = new DataView(bytes.buffer)
  view.setUint16(2, 1)
  view.setUint32(4, 1_001)
  view.setUint32(8, length)
  return bytes
}

test('a frame that is larger than a window ends the connection before it is complete', async () => {
  const { intruder, victim } = await connect()
  intruder.muxer.maConn.send(header(2 ** 31))
  for (let sent = 0; sent < 16 && intruder.status === 'open'; sent++) {
    intruder.muxer.maConn.send(new Uint8Array(65_000))
    await sleep(2)
  }
  await until(() => victim.status !== 'open')
})

test('a frame that comes byte by byte is held in few pieces', async () => {
  const { intruder, victim } = await connect()
  intruder.muxer.maConn.send(header(262_000))
  for (let sent = 0; sent < 8_000; sent++) {
    intruder.muxer.maConn.send(new Uint8Array(1))
    if (sent % 500 === 0) await sleep(5)
  }
  const { decoder } = victim.muxer
  await until(() => victim.muxer.decoder.buffer.byteLength === 8_012)
  expect(decoder.buffer.bufs.length).toBeLessThanOrEqual(1_024)
})

test('few bytes wait on a connection for a peer that reads nothing, such as answers to its pings', async () => {
  const { victim } = await connect()
  const { maConn } = victim.muxer
  expect(maConn.maxWriteBufferLength).toBeLessThanOrEqual(2 * 1_048_576)
  // The peer's socket is full.
  Object.assign(maConn, { sendData: () => ({ sentBytes: 0, canSendMore: false }) })
  for (let sent = 0; sent < 200 && victim.status === 'open'; sent++) maConn.send(new Uint8Array(12_000))
  await until(() => victim.status !== 'open')
})

test('bytes that nobody reads are held in few pieces, and all come once somebody reads', async () => {
  const victim = await startPeer()
  const { libp2p } = await startIntruder()
  const streams: Stream[] = []
  await victim.host.libp2p.handle('/unread/1', (stream) => void streams.push(stream))
  const stream = await libp2p.dialProtocol(multiaddr(victim.address).encapsulate(`/p2p/${victim.id}`), '/unread/1')
  for (let sent = 0; sent < 6_000; sent++) {
    stream.send(new Uint8Array(1))
    if (sent % 500 === 0) await sleep(5)
  }
  await until(() => streams[0]?.readBufferLength === 6_000)
  const { readBuffer } = streams[0] as unknown as { readBuffer: { readonly bufs: readonly Uint8Array[] } }
  expect(readBuffer.bufs.length).toBeLessThanOrEqual(1_024 + 6_000 / 64 + 1)
  let read = 0
  streams[0]!.addEventListener('message', ({ data }) => (read += data.byteLength))
  await until(() => read === 6_000)
})

test('a connection on which bytes come in answers, though the question waits behind other bytes', async () => {
  const [one, other] = [await startPeer(), await startPeer()]
  await other.host.libp2p.handle('/sink', (stream) => stream.addEventListener('message', () => {}))
  const connection = await one.host.libp2p.dial(multiaddr(other.address).encapsulate(`/p2p/${other.id}`))
  const { muxer } = connection as unknown as { muxer: { ping: (options: { signal: AbortSignal }) => Promise<number> } }
  // The question never leaves, as behind a megabyte on a slow line.
  muxer.ping = async ({ signal }) => await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('late'))))
  expect(await answers(connection, 300)).toBe(false)
  const asked = answers(connection, 300)
  await (await connection.newStream('/sink')).close()
  expect(await asked).toBe(true)
})
