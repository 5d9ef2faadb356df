import { Socket } from 'node:net'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { Stream } from '@libp2p/interface'
import { concat } from 'uint8arrays'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytes, maxFrameBytes, startIntruder, startPeer, stopAll, until } from '../../test/peers.ts'
import { encodePrefix } from './framing.ts'

afterEach(stopAll)

describe('a link', () => {
  test('carries frames both ways, in order', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => b.links.has(a.id))
    const sent = Array.from({ length: 500 }, (_, index) => `frame ${index}`)
    for (const text of sent) a.links.send(b.id, bytes(text))
    b.links.send(a.id, bytes('answer'))
    await until(() => b.log.length === 501 && a.log.length === 2)
    expect(b.log).toEqual([`up ${a.id}`, ...sent])
    expect(a.log).toEqual([`up ${b.id}`, 'answer'])
  })

  test('sends all frames of a tick in one piece', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const connection = await a.link(b)
    const stream = connection.streams.find(({ protocol }) => protocol.startsWith('/jel/'))!
    const pieces: number[] = []
    const send = stream.send.bind(stream)
    stream.send = (data) => {
      pieces.push(data.byteLength)
      return send(data)
    }
    await until(() => b.links.has(a.id))
    await new Promise((resolve) => setTimeout(resolve, 50)) // until the line is quiet
    const packets = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev')]
    for (let count = 0; count < 10; count += 1) a.links.send(b.id, new Uint8Array(9))
    await until(() => b.log.length === 11)
    expect(packets.map(({ mock }) => mock.calls.length)).toEqual([0, 1])
    vi.restoreAllMocks()
    expect(pieces).toEqual([100])
  })

  test('takes in far more than one window, and does not confirm each frame on its own', async () => {
    const receiver = await startPeer()
    const sender = await startIntruder()
    const stream = (await sender.open(receiver)) as Stream & { sendWindowCapacity: number }
    await until(() => receiver.links.has(sender.libp2p.peerId.toString()))
    const before = stream.sendWindowCapacity
    stream.send(Uint8Array.of(2, 104, 105))
    await until(() => receiver.log.includes('hi'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(stream.sendWindowCapacity).toBe(before - 3)
    const frame = concat([encodePrefix(maxFrameBytes), new Uint8Array(maxFrameBytes)])
    for (let count = 0; count < 500; count += 1) stream.send(frame)
    await until(() => receiver.log.length === 502)
  })

  test('takes its connection along when the other end closes its stream and nothing else', async () => {
    const receiver = await startPeer({ idleTime: 200 })
    const sender = await startIntruder()
    const stream = await sender.open(receiver)
    await until(() => receiver.links.count === 1)
    await new Promise((resolve) => setTimeout(resolve, 300)) // past what is allowed to a connection that never had a link
    expect(receiver.host.libp2p.getConnections()).toHaveLength(1)
    await stream.close()
    await until(() => receiver.links.count === 0)
    await until(() => receiver.host.libp2p.getConnections().length === 0)
  })

  test('is down on both sides at once when either closes it, after everything sent has arrived', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => b.links.has(a.id))
    a.links.send(b.id, bytes('last words'))
    const closed = a.links.close(b.id)
    expect(a.log.at(-1)).toBe(`down ${b.id}`)
    await closed
    await until(() => b.log.length === 3)
    expect(b.log).toEqual([`up ${a.id}`, 'last words', `down ${a.id}`])
    await until(() => a.host.libp2p.getConnections().length === 0 && b.host.libp2p.getConnections().length === 0)
  })

  test('is down within milliseconds when the connection breaks', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const connection = await a.link(b)
    await until(() => b.links.has(a.id))
    connection.abort(new Error('cable cut'))
    expect(a.log.at(-1)).toBe(`down ${b.id}`)
    const start = performance.now()
    await until(() => b.log.at(-1) === `down ${a.id}`)
    expect(performance.now() - start).toBeLessThan(100)
  })

  test('is one for the protocol when both sides dial at once, and lives as long as one stream does', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const [fromA] = await Promise.all([a.link(b), b.link(a)])
    await until(() => a.host.libp2p.getConnections().length === 2 && b.host.libp2p.getConnections().length === 2)
    await until(() => a.links.has(b.id) && b.links.has(a.id))
    a.links.send(b.id, bytes('one'))
    await until(() => b.log.includes('one'))
    fromA.abort(new Error('cable cut'))
    await until(() => b.host.libp2p.getConnections().length === 1)
    a.links.send(b.id, bytes('two'))
    b.links.send(a.id, bytes('three'))
    await until(() => b.log.includes('two') && a.log.includes('three'))
    expect(a.log).toEqual([`up ${b.id}`, 'three'])
    expect(b.log).toEqual([`up ${a.id}`, 'one', 'two'])
    a.host.libp2p.getConnections()[0]!.abort(new Error('cable cut'))
    await until(() => b.log.at(-1) === `down ${a.id}`)
    expect(a.log.at(-1)).toBe(`down ${b.id}`)
  })

  test('ends and begins anew when another process of the peer connects, as after a power failure', async () => {
    const survivor = await startPeer()
    const privateKey = await generateKeyPair('Ed25519')
    const former = await startIntruder({ privateKey, instance: [1, 1, 1, 1, 1, 1, 1, 1] })
    await former.open(survivor)
    const id = former.libp2p.peerId.toString()
    await until(() => survivor.links.has(id))
    const successor = await startIntruder({ privateKey, instance: [2, 2, 2, 2, 2, 2, 2, 2] })
    const stream = await successor.open(survivor)
    stream.send(Uint8Array.of(2, 104, 105))
    await until(() => survivor.log.length === 4)
    expect(survivor.log).toEqual([`up ${id}`, `down ${id}`, `up ${id}`, 'hi'])
    let received = 0
    stream.addEventListener('message', ({ data }) => (received += data.byteLength))
    survivor.links.send(id, bytes('welcome'))
    await until(() => received === 9 + 8)
    await until(() => former.libp2p.getConnections().length === 0)
  })

  test('drops what is sent to a peer without one', async () => {
    const a = await startPeer()
    a.links.send('12D3KooWnobody', bytes('hello?'))
    expect(a.log).toEqual([])
  })

  test('keeps its connection when the application has a stream on it', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await b.host.libp2p.handle('/app/1', () => {})
    const connection = await a.link(b)
    const stream = await connection.newStream('/app/1')
    await a.links.close(b.id)
    expect(stream.status).toBe('open')
    expect(connection.status).toBe('open')
  })
})

describe('a peer that breaks the rules is cut off and named', () => {
  test.each([
    ['an oversized frame', encodePrefix(maxFrameBytes + 1), `bad a frame of ${maxFrameBytes + 1} bytes; ${maxFrameBytes} are allowed`],
    ['garbage', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff), 'bad garbage: the length of a frame takes more than 4 bytes'],
  ])('for %s', async (_what, data, problem) => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    const stream = await intruder.open(victim)
    const id = intruder.libp2p.peerId.toString()
    await until(() => victim.links.has(id))
    stream.send(data)
    await until(() => victim.log.length === 3)
    expect(victim.log).toEqual([`up ${id}`, problem, `down ${id}`])
    await until(() => intruder.libp2p.getConnections().length === 0)
  })

  test('for garbage from the first byte on', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder({ instance: [7] })
    await intruder.open(victim)
    await until(() => victim.log.length === 3)
    expect(victim.log[1]).toBe('bad garbage: a link that opens with 1 bytes instead of 8')
  })

  test('for reading too slowly', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    const stream = await intruder.open(victim)
    const id = intruder.libp2p.peerId.toString()
    await until(() => victim.links.has(id))
    stream.pause()
    const frame = new Uint8Array(maxFrameBytes)
    for (let sent = 0; victim.links.has(id) && sent < 16 * 1_048_576; sent += frame.length) {
      victim.links.send(id, frame)
      if (sent % (64 * frame.length) === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(victim.log.at(-2)).toMatch(/^bad reads too slowly: 4\d{6} bytes wait for it; 4194304 are allowed$/u)
    expect(victim.log.at(-1)).toBe(`down ${id}`)
  })

  test('but a slow reader that catches up loses nothing', async () => {
    const sender = await startPeer()
    const reader = await startIntruder()
    const stream = await reader.open(sender)
    const id = reader.libp2p.peerId.toString()
    await until(() => sender.links.has(id))
    let received = 0
    stream.addEventListener('message', ({ data }) => (received += data.byteLength))
    await until(() => received === 9)
    stream.pause()
    for (let count = 0; count < 500; count += 1) sender.links.send(id, new Uint8Array(maxFrameBytes))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(received).toBe(9)
    stream.resume()
    await until(() => received === 9 + 500 * (maxFrameBytes + 2))
    expect(sender.log).toEqual([`up ${id}`])
  })

  test('for opening streams without end', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    const first = await intruder.open(victim)
    const others = await Promise.all(Array.from({ length: 5 }, async () => await intruder.open(victim)))
    await until(() => others.filter(({ status }) => status !== 'open').length === 2)
    expect(first.status).toBe('open')
    expect(victim.log).toEqual([`up ${intruder.libp2p.peerId.toString()}`])
  })
})
