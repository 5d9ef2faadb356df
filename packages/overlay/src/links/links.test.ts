import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { Connection, Stream } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytes, maxFrameBytes, startIntruder, startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { poolNames } from '../base/names.ts'
import { encodeFrame } from './frames.ts'

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
    pieces.length = 0
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
    const frame = encodeFrame(new Uint8Array(maxFrameBytes))
    for (let count = 0; count < 500; count += 1) stream.send(frame)
    await until(() => receiver.log.length === 502)
  })

  test('closes its connection when the other end closes only its stream', async () => {
    const receiver = await startPeer({ idleTime: 200 })
    const sender = await startIntruder()
    const stream = await sender.open(receiver)
    await until(() => receiver.links.count === 1)
    // A connection that never had a link may not stay open for so long.
    await new Promise((resolve) => setTimeout(resolve, 300))
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

  test('is down as soon as the connection breaks', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    const connection = await a.link(b)
    await until(() => b.links.has(a.id))
    connection.abort(new Error('cable cut'))
    await turn()
    expect(a.log.at(-1)).toBe(`down ${b.id}`)
    // Without the end of the connection this takes 15 s.
    await until(() => b.log.at(-1) === `down ${a.id}`, 5_000)
  })

  test('is a single one when both sides dial at once, and lives as long as one of its streams', async () => {
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
    await until(() => b.log.at(-1) === `down ${a.id}` && a.log.at(-1) === `down ${b.id}`)
  })

  test('goes over a new connection of the same process if the former one is dead', async () => {
    const asked: Connection[] = []
    const survivor = await startPeer({
      answers: async (connection) => {
        asked.push(connection)
        return await Promise.resolve(false)
      },
    })
    const other = await startPeer()
    const former = await other.link(survivor)
    await until(() => survivor.links.has(other.id))
    const [dead] = survivor.host.libp2p.getConnections()
    const again = await other.host.libp2p.dial(multiaddr(survivor.address).encapsulate(`/p2p/${survivor.id}`), { force: true })
    expect(other.links.add(await other.dialer.open(again), again)).toBe(true)
    await until(() => former.status !== 'open')
    survivor.links.send(other.id, bytes('hi'))
    await until(() => other.log.at(-1) === 'hi')
    expect(asked).toEqual([dead])
    expect(survivor.log).toEqual([`up ${other.id}`])
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

  test('is needed for sending: frames to a peer without one are dropped', async () => {
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
    [
      'an oversized frame',
      encodeFrame(new Uint8Array(maxFrameBytes + 1)).subarray(0, 9),
      `bad a frame of more than the ${maxFrameBytes} bytes that are allowed`,
    ],
    ['garbage', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff), 'bad a frame of a length without end'],
    ['thousands of empty frames', new Uint8Array(250_000), 'bad an empty frame'],
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

  test('for thousands of empty urgent frames', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    await intruder.open(victim)
    const id = intruder.libp2p.peerId.toString()
    await until(() => victim.links.has(id))
    const stream = await intruder.libp2p.getConnections()[0]!.newStream([...poolNames('test').urgent])
    stream.send(new Uint8Array(250_000))
    await until(() => victim.log.length >= 3)
    expect(victim.log).toEqual([`up ${id}`, 'bad an empty frame', `down ${id}`])
  })

  test('for garbage from the first byte on', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder({ instance: [7] })
    await intruder.open(victim)
    await until(() => victim.log.length === 3)
    expect(victim.log[1]).toBe('bad garbage: a link that opens with 1 bytes instead of 8')
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

/** Returns a link from a peer that does not read its data. */
async function slowReader(sender: Peer): Promise<{ id: string; stream: Stream; received: () => number }> {
  const reader = await startIntruder()
  const stream = await reader.open(sender)
  const id = reader.libp2p.peerId.toString()
  let received = 0
  stream.addEventListener('message', ({ data }) => (received += data.byteLength))
  await until(() => sender.links.has(id) && received === 9)
  stream.pause()
  return { id, stream, received: () => received }
}

describe('a slow reader', () => {
  const frame = new Uint8Array(maxFrameBytes)

  test('that catches up loses nothing, however large the answer is', async () => {
    const sender = await startPeer()
    const { id, stream, received } = await slowReader(sender)
    const count = 2_000 // 8 MB
    for (let i = 0; i < count; i += 1) sender.links.send(id, frame)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(received()).toBe(9)
    stream.resume()
    await until(() => received() === 9 + count * (maxFrameBytes + 2), 10_000)
    expect(sender.log).toEqual([`up ${id}`])
  })

  test('that takes nothing for long is cut off, without blame', async () => {
    const sender = await startPeer({ stallTimeout: 300 })
    const { id } = await slowReader(sender)
    for (let i = 0; i < 500; i += 1) sender.links.send(id, frame)
    await until(() => !sender.links.has(id))
    expect(sender.log).toEqual([`up ${id}`, `down ${id}`])
  })

  test('may rest for any time while nothing is sent to it', async () => {
    const sender = await startPeer({ stallTimeout: 100 })
    const { id } = await slowReader(sender)
    sender.links.send(id, frame)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(sender.log).toEqual([`up ${id}`])
  })

  test('that takes less than is sent is cut off before memory runs out, without blame', async () => {
    const sender = await startPeer()
    const { id } = await slowReader(sender)
    let sent = 0
    for (; sender.links.has(id) && sent < 32 * 1_048_576; sent += frame.length) {
      sender.links.send(id, frame)
      if (sent % (256 * frame.length) === 0) await turn()
    }
    expect(sent).toBeLessThan(20 * 1_048_576)
    expect(sender.log).toEqual([`up ${id}`, `down ${id}`])
  })
})

describe('an urgent frame', () => {
  const urgent = (peer: Peer): number =>
    peer.host.libp2p.getConnections().flatMap(({ streams }) => streams.filter(({ protocol }) => protocol.endsWith('/urgent'))).length

  async function linked(): Promise<[Peer, Peer]> {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => a.links.has(b.id) && b.links.has(a.id))
    return [a, b]
  }

  test('goes over one stream of its own for both ways, opened when it is first needed', async () => {
    const [a, b] = await linked()
    expect([urgent(a), urgent(b)]).toEqual([0, 0])
    a.links.send(b.id, bytes('probe'), true)
    a.links.send(b.id, bytes('another'), true)
    await until(() => b.log.length === 3)
    b.links.send(a.id, bytes('ack'), true)
    await until(() => a.log.includes('ack'))
    expect(b.log).toEqual([`up ${a.id}`, 'probe', 'another'])
    expect([urgent(a), urgent(b)]).toEqual([1, 1])
  })

  test('arrives when both sides begin at once, and right at the start of a link', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    a.links.send(b.id, bytes('from a'), true)
    await until(() => b.links.has(a.id))
    b.links.send(a.id, bytes('from b'), true)
    await until(() => a.log.includes('from b') && b.log.includes('from a'))
    for (const [one, other] of [[a, b] as const, [b, a] as const]) {
      one.links.send(other.id, bytes('again'), true)
      await until(() => other.log.includes('again'))
    }
    expect(urgent(a)).toBeLessThanOrEqual(2)
  })

  test('waits neither behind unread frames nor behind a pause', async () => {
    const [a, b] = await linked()
    b.links.pause(a.id, 60_000)
    for (let i = 0; i < 2_000; i += 1) a.links.send(b.id, new Uint8Array(maxFrameBytes))
    const start = performance.now()
    a.links.send(b.id, bytes('probe'), true)
    await until(() => b.log.includes('probe'))
    b.links.send(a.id, bytes('ack'), true)
    await until(() => a.log.includes('ack'))
    expect(performance.now() - start).toBeLessThan(10_000)
    expect(b.log).toEqual([`up ${a.id}`, 'probe'])
  })

  test('finds another stream when the first breaks, and the link stays up', async () => {
    const [a, b] = await linked()
    a.links.send(b.id, bytes('one'), true)
    await until(() => b.log.includes('one'))
    const [connection] = a.host.libp2p.getConnections()
    connection!.streams.find(({ protocol }) => protocol.endsWith('/urgent'))!.abort(new Error('broken'))
    await until(() => urgent(a) === 0 && urgent(b) === 0)
    a.links.send(b.id, bytes('two'), true)
    await until(() => b.log.includes('two'))
    expect(a.log).toEqual([`up ${b.id}`])
  })

  test('is heard only from a peer with a link', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    const connection = await intruder.libp2p.dial(multiaddr(victim.address).encapsulate(`/p2p/${victim.id}`))
    const stream = await connection.newStream([...poolNames('test').urgent])
    if (stream.status === 'open') stream.send(encodeFrame(bytes('probe')))
    await until(() => stream.status !== 'open')
    expect(victim.log).toEqual([])
  })

  test('is bounded in length like other frames', async () => {
    const victim = await startPeer()
    const intruder = await startIntruder()
    const link = await intruder.open(victim)
    const id = intruder.libp2p.peerId.toString()
    await until(() => victim.links.has(id))
    const connection = intruder.libp2p.getConnections()[0]!
    const stream = await connection.newStream([...poolNames('test').urgent])
    stream.send(encodeFrame(new Uint8Array(maxFrameBytes + 1)))
    await until(() => link.status !== 'open')
    expect(victim.log).toEqual([`up ${id}`, `bad a frame of more than the ${maxFrameBytes} bytes that are allowed`, `down ${id}`])
  })
})

describe('a pause', () => {
  test('holds back the frames of a peer, in the buffers of that peer, and loses none', async () => {
    const [receiver, sender] = [await startPeer(), await startIntruder()]
    const stream = await sender.open(receiver)
    const id = sender.libp2p.peerId.toString()
    await until(() => receiver.links.has(id))
    receiver.links.pause(id, 500)
    const began = performance.now()
    const count = 1_000 // 4 MB
    for (let i = 0; i < count; i += 1) stream.send(encodeFrame(new Uint8Array(maxFrameBytes)))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(receiver.log).toEqual([`up ${id}`])
    expect(stream.writeBufferLength).toBeGreaterThan((count * maxFrameBytes) / 2)
    await until(() => receiver.log.length === 1 + count)
    expect(performance.now() - began).toBeGreaterThan(450)
  })

  test('that is longer prevails, whichever comes first', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => b.links.has(a.id))
    b.links.pause(a.id, 400)
    b.links.pause(a.id, 10)
    a.links.send(b.id, bytes('late'))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(b.log).toEqual([`up ${a.id}`])
    await until(() => b.log.includes('late'))
  })

  test('hides neither frames that had arrived nor the end of the link', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => b.links.has(a.id))
    b.links.pause(a.id, 60_000)
    a.links.send(b.id, bytes('last words'))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await a.links.close(b.id)
    await until(() => b.log.length === 3)
    expect(b.log).toEqual([`up ${a.id}`, 'last words', `down ${a.id}`])
  })

  test('applies to every connection of the peer', async () => {
    const [a, b] = [await startPeer(), await startPeer()]
    await a.link(b)
    await until(() => b.links.has(a.id))
    b.links.pause(a.id, 10_000)
    const second = await a.host.libp2p.dial(multiaddr(b.address).encapsulate(`/p2p/${b.id}`), { force: true })
    const stream = await second.newStream([...poolNames('test').links])
    stream.send(encodeFrame(new Uint8Array(8)))
    stream.send(encodeFrame(bytes('early')))
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(b.log.includes('early')).toBe(false)
  })
})
