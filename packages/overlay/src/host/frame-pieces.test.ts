import { multiaddr } from '@multiformats/multiaddr'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startIntruder, startPeer, stopAll, until } from '../../test/peers.ts'
import { FramePieces } from './frame-pieces.ts'

afterEach(stopAll)

const frame = (length: number): Uint8Array => Uint8Array.of(0x80 | (length & 0x7f), length >> 7, ...new Uint8Array(length))

test('pieces count until their frame is complete', () => {
  const pieces = new FramePieces()
  for (const byte of frame(300)) {
    expect(pieces.count).toBeLessThan(302)
    pieces.add(Uint8Array.of(byte))
  }
  expect(pieces.count).toBe(0)
  pieces.add(Uint8Array.of(...frame(300), ...frame(200), ...frame(500).subarray(0, 90)))
  expect(pieces.count).toBe(1)
  pieces.add(frame(500).subarray(90))
  expect(pieces.count).toBe(0)
  for (let sent = 0; sent < 5_000; sent++) pieces.add(frame(130))
  expect(pieces.count).toBe(0)
})

test('a message of gossipsub that comes byte by byte ends its stream', async () => {
  const victim = await startPeer()
  const { libp2p } = await startIntruder()
  const connection = await libp2p.dial(multiaddr(victim.address).encapsulate(`/p2p/${victim.id}`))
  const [protocol = ''] = victim.host.libp2p.services.pubsub.protocols
  const stream = await connection.newStream(protocol)
  stream.send(Uint8Array.of(0xff, 0x7f))
  for (let sent = 0; sent < 4_000 && stream.status === 'open'; sent++) {
    stream.send(Uint8Array.of(0))
    if (sent % 200 === 0) await sleep(5)
  }
  await until(() => stream.status !== 'open')
})

test.each([
  ['empty messages in one piece', [0], 250_000],
  ['messages of two bytes in one piece', [2, 0x0a, 0x00], 250_000],
  ['empty messages in many pieces', [0], 4_000],
])('thousands of %s end their stream of gossipsub before all are handled', async (_what, message, piece) => {
  const victim = await startPeer()
  const { libp2p } = await startIntruder()
  const connection = await libp2p.dial(multiaddr(victim.address).encapsulate(`/p2p/${victim.id}`))
  const [protocol = ''] = victim.host.libp2p.services.pubsub.protocols
  const stream = await connection.newStream(protocol)
  await sleep(200)
  let handled = 0
  const { pubsub } = victim.host.libp2p.services
  const internals = pubsub as unknown as { handleReceivedRpc(...given: unknown[]): Promise<void> }
  const handle = internals.handleReceivedRpc.bind(pubsub)
  internals.handleReceivedRpc = async (...given) => {
    handled += 1
    await handle(...given)
  }
  const flood = Uint8Array.from({ length: 250_000 }, (_, at) => message[at % message.length] ?? 0)
  for (let at = 0; at < flood.length && stream.status === 'open'; at += piece) stream.send(flood.subarray(at, at + piece))
  await until(() => stream.status !== 'open')
  // One turn has a bound. A busy machine may take some turns.
  expect(handled).toBeLessThan(100_000)
})
