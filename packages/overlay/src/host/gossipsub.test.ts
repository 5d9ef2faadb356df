import { TopicValidatorResult } from '@libp2p/gossipsub'
import type { Connection, PeerId } from '@libp2p/interface'
import { afterEach, describe, expect, test } from 'vitest'
import { bytes, maxFrameBytes, startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { atOnce } from './gossipsub.ts'

afterEach(stopAll)

/** Hosts in a row, each linked with the next, and the messages that each received. */
async function row(count: number, judge: (text: string, index: number) => 'accept' | 'ignore' | 'reject' = () => 'accept') {
  const peers: Peer[] = []
  const heard: string[][] = []
  for (let index = 0; index < count; index += 1) {
    const peer = await startPeer()
    heard.push([])
    peer.host.topic.join((data) => {
      const text = new TextDecoder().decode(data)
      heard[index]!.push(text)
      return judge(text, index)
    })
    if (index > 0) await peer.link(peers[index - 1]!)
    peers.push(peer)
  }
  const neighbours = (index: number): number => Number(index > 0) + Number(index < count - 1)
  await until(() =>
    peers.every(
      ({ host }, index) =>
        host.libp2p.services.pubsub.getSubscribers(host.libp2p.services.pubsub.getTopics()[0]!).length === neighbours(index),
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 100)) // until the mesh exists
  return { peers, heard }
}

describe('the topic', () => {
  test('delivers a broadcast once to every other peer, and not back to its sender', async () => {
    const { peers, heard } = await row(4)
    peers[0]!.host.topic.publish(bytes('news'))
    await until(() => heard[3]!.length === 1)
    peers[3]!.host.topic.publish(bytes('more'))
    await until(() => heard[0]!.length === 1)
    expect(heard).toEqual([['more'], ['news', 'more'], ['news', 'more'], ['news']])
  })

  test('does not pass on messages that a node ignores or rejects', async () => {
    const { peers, heard } = await row(3, (text, index) => (index === 1 && text !== 'fine' ? (text as 'ignore' | 'reject') : 'accept'))
    for (const text of ['ignore', 'fine', 'reject']) peers[0]!.host.topic.publish(bytes(text))
    await until(() => heard[1]!.length === 3 && heard[2]!.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(heard[2]).toEqual(['fine'])
  })

  test('refuses oversized messages before the protocol sees them', async () => {
    const { peers, heard } = await row(2)
    peers[0]!.host.topic.publish(new Uint8Array(maxFrameBytes + 1))
    peers[0]!.host.topic.publish(bytes('fine'))
    await until(() => heard[1]!.length > 0)
    expect(heard[1]).toEqual(['fine'])
  })

  test('goes on over the other connection when one of two breaks', async () => {
    const { peers, heard } = await row(1)
    const [a] = peers as [Peer]
    const b = await startPeer()
    const heardByB: string[] = []
    b.host.topic.join((data) => {
      heardByB.push(new TextDecoder().decode(data))
      return 'accept'
    })
    const [first] = await Promise.all([a.link(b), b.link(a)])
    await until(() => a.host.libp2p.getConnections().length === 2 && b.host.libp2p.getConnections().length === 2)
    await new Promise((resolve) => setTimeout(resolve, 100))
    first.abort(new Error('cable cut'))
    await until(() => b.host.libp2p.getConnections().length === 1)
    await new Promise((resolve) => setTimeout(resolve, 200))
    a.host.topic.publish(bytes('from a'))
    b.host.topic.publish(bytes('from b'))
    await until(() => heardByB.length === 1 && heard[0]!.length === 1)
    expect([heardByB, heard[0]]).toEqual([['from a'], ['from b']])
  })

  test('limits the messages that it takes from one peer, passes on no others, and still hears other peers', async () => {
    const { peers, heard } = await row(3)
    const [flooder, middle, end] = peers as [Peer, Peer, Peer]
    const start = performance.now()
    for (let i = 0; i < 3_000; i += 1) {
      flooder.host.topic.publish(bytes(`flood ${i}`))
      if (i % 100 === 0) await flooder.host.topic.flushed()
    }
    await until(() => heard[1]!.length >= 1_000)
    await new Promise((resolve) => setTimeout(resolve, 500))
    // The limiter accepts 1,000 messages at once, and 100 more each second.
    const most = 1_000 + ((performance.now() - start) / 1_000) * 100 + 1
    expect(heard[1]!.length).toBeLessThanOrEqual(most)
    expect(heard[2]!.length).toBeLessThanOrEqual(heard[1]!.length)
    end.host.topic.publish(bytes('by another'))
    await until(() => heard[1]!.includes('by another'))
    expect(middle.host.libp2p.getConnections()).toHaveLength(2)
  })

  test('reports a peer that floods it, for each message, and still hears others', async () => {
    const { host } = await startPeer()
    const reports: [peer: string, problem: string][] = []
    host.topic.join(
      () => 'accept',
      (...report) => reports.push(report),
    )
    // Called directly: a second gossipsub could deliver only as fast as the machine allows.
    const judge = [...host.libp2p.services.pubsub.topicValidators.values()][0]!
    const [flooder, other] = [await startPeer(), await startPeer()].map((peer) => peer.host.libp2p.peerId) as [PeerId, PeerId]
    const message = { data: bytes('flood') } as Parameters<typeof judge>[1]
    const start = performance.now()
    const heard = (count: number): number =>
      Array.from({ length: count }, () => judge(flooder, message)).filter((verdict) => verdict === TopicValidatorResult.Accept).length
    const first = heard(20_000)
    expect(reports).toEqual([])
    const second = heard(20_000)
    expect(reports.length).toBeGreaterThan(0)
    expect(reports[0]).toEqual([flooder.toString(), 'more than 2000 broadcasts a second'])
    expect(first + second).toBeLessThanOrEqual(1_000 + (performance.now() - start) / 10 + 1)
    expect(judge(other, message)).toBe('accept')
  })

  test('publishes without an error where it has no peers', async () => {
    const { peers } = await row(1)
    peers[0]!.host.topic.publish(bytes('anybody?'))
    await expect(peers[0]!.host.topic.flushed()).resolves.toBeUndefined()
  })
})

describe('the streams that gossipsub opens', () => {
  const peer = (id: string): PeerId => ({ toString: () => id }) as PeerId
  const connection = (id: string): Connection => ({ id }) as Connection

  test('wait for no other peer, and for one stream of the same peer', async () => {
    const opened: string[] = []
    const pending = new Map<string, () => void>()
    const open = atOnce(async (to, { id }) => {
      opened.push(`${to.toString()} ${id}`)
      await new Promise<void>((resolve) => pending.set(id, resolve))
    })
    for (const id of ['1', '2', '3']) await open(peer('silent'), connection(id))
    await open(peer('other'), connection('4'))
    expect(opened).toEqual(['silent 1', 'other 4'])
    pending.get('1')!()
    await until(() => opened.length === 3)
    // The latest connection of three.
    expect(opened.at(-1)).toBe('silent 3')
    pending.get('3')!()
    await new Promise(setImmediate)
    await open(peer('silent'), connection('5'))
    expect(opened.at(-1)).toBe('silent 5')
  })
})
