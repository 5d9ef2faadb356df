import { joinPool, type Pool, type Stream } from '@jel/jel'
import { lpStream } from '@libp2p/utils'
import { afterEach, describe, expect, it } from 'vitest'
import { Channels } from '../src/index.ts'

const PROTOCOL = '/channel-test/1.0.0'
const pools: Pool[] = []
const open: Channels[] = []
afterEach(async () => {
  for (const channels of open.splice(0)) channels.close()
  await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))
})

let count = 0
async function pair(): Promise<[Pool, Pool]> {
  const name = `channels-${process.pid}-${count++}`
  for (let at = 0; at < 2; at++) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    pools.push(await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap }))
  }
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(2)
  return pools as unknown as [Pool, Pool]
}

interface Side {
  readonly channels: Channels
  readonly received: number[]
  readonly failed: string[]
}

async function sideOf(pool: Pool, onMessage?: (number: number) => void | Promise<void>): Promise<Side> {
  const received: number[] = []
  const failed: string[] = []
  const channels = new Channels(pool, {
    protocol: PROTOCOL,
    maxBytes: 1000,
    onMessage: (_, bytes) => {
      const number = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
      received.push(number)
      return onMessage?.(number)
    },
    onFailed: (member) => failed.push(member),
  })
  open.push(channels)
  await channels.start(new AbortController().signal)
  return { channels, received, failed }
}

function numbered(number: number, size = 4): Uint8Array {
  const bytes = new Uint8Array(size)
  new DataView(bytes.buffer).setUint32(0, number)
  return bytes
}

const numbers = (end: number): number[] => Array.from({ length: end }, (_, at) => at)

function streamsOf(pool: Pool): Stream[] {
  return pool.libp2p
    .getConnections()
    .flatMap(({ streams }) => streams)
    .filter(({ protocol }) => protocol === PROTOCOL)
}

describe('channels', () => {
  it('bring each message once and in order, however often their streams break', async () => {
    const [a, b] = await pair()
    const [from, to] = [await sideOf(a), await sideOf(b)]
    for (const number of numbers(300)) {
      from.channels.send(b.self.id, numbered(number))
      if (number % 50 === 49) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        for (const stream of streamsOf(number % 100 === 49 ? a : b)) stream.abort(new Error('cut'))
      }
    }
    await expect.poll(() => to.received.length, { timeout: 10_000 }).toBe(300)
    expect(to.received).toEqual(numbers(300))
    await expect.poll(() => from.channels.waiting(b.self.id)).toBe(0)
  })

  it('wait at the sender while the receiver is busy', async () => {
    const [a, b] = await pair()
    const busy = Promise.withResolvers<void>()
    const from = await sideOf(a)
    const to = await sideOf(b, () => busy.promise)
    for (const number of numbers(100)) from.channels.send(b.self.id, numbered(number, 900))
    let isDrained = false
    const drained = from.channels.drained(b.self.id, 0).then(() => (isDrained = true))
    await expect.poll(() => to.received.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect([to.received.length, isDrained, from.channels.waiting(b.self.id)]).toEqual([1, false, 90_400])
    busy.resolve()
    await drained
    expect(to.received).toEqual(numbers(100))
  })

  it('say that a member does not speak the protocol', async () => {
    const [a, b] = await pair()
    const from = await sideOf(a)
    from.channels.send(b.self.id, numbered(1))
    await expect.poll(() => from.failed).toEqual([b.self.id])
    expect(from.channels.waiting(b.self.id)).toBe(0)
    await from.channels.drained(b.self.id, 0)
  })

  it('refuse a message that is too long, and bring the next ones', async () => {
    const [a, b] = await pair()
    const [from, to] = [await sideOf(a), await sideOf(b)]
    expect(() => from.channels.send(b.self.id, numbered(0, 1001))).toThrow(
      new RangeError(`a message of ${PROTOCOL} has 1001 bytes; at most 1000 are allowed`),
    )
    from.channels.send(b.self.id, numbered(1, 1000))
    await expect.poll(() => to.received).toEqual([1])
    await expect.poll(() => from.channels.waiting(b.self.id)).toBe(0)
    expect(from.failed).toEqual([])
  })

  it('keep streams open that carry nothing yet, and open them again', async () => {
    const [a, b] = await pair()
    const from = await sideOf(a)
    from.channels.keep(new Set([b.self.id]))
    await new Promise((resolve) => setTimeout(resolve, 300))
    // A member that does not speak the protocol missed no message.
    expect(from.failed).toEqual([])
    const to = await sideOf(b)
    from.channels.keep(new Set([b.self.id]))
    await expect.poll(() => streamsOf(b).length).toBe(1)
    const [first] = streamsOf(b)
    first?.abort(new Error('cut'))
    await expect.poll(() => streamsOf(b).filter((stream) => stream !== first && stream.status === 'open').length).toBe(1)
    from.channels.send(b.self.id, numbered(0))
    await expect.poll(() => to.received).toEqual([0])
  })

  it('forget the messages for a member that is gone', async () => {
    const [a, b] = await pair()
    const from = await sideOf(a)
    await sideOf(b, async () => await new Promise(() => {}))
    for (const number of numbers(3)) from.channels.send(b.self.id, numbered(number))
    expect(from.channels.waiting(b.self.id)).toBeGreaterThan(0)
    await b.leave()
    await expect.poll(() => from.channels.waiting(b.self.id)).toBe(0)
    expect(from.failed).toEqual([])
  })

  it('end the streams of a member that sends too much, out of order, or nonsense', async () => {
    const [a, b] = await pair()
    const to = await sideOf(b)
    const session = new TextEncoder().encode('session')
    const attacks: [string, Uint8Array[]][] = [
      ['a long name of a session', [new Uint8Array(65)]],
      ['a message without a number', [session, Uint8Array.of(1)]],
      ['a message out of order', [session, numbered(7, 8)]],
      ['a message that is too long', [session, numbered(1, 1005)]],
    ]
    for (const [what, frames] of attacks) {
      const stream = await a.open(b.self.id, PROTOCOL)
      const closed = new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }))
      for (const frame of frames) await lpStream(stream).write(frame)
      await Promise.race([closed, new Promise((_, reject) => setTimeout(() => reject(new Error(`${what}: still open`)), 3000))])
    }
    expect(to.received).toEqual([])
    const many = await Promise.all(numbers(6).map(async () => await a.open(b.self.id, PROTOCOL)))
    await expect.poll(() => many.filter(({ status }) => status === 'open').length).toBe(3)
    for (const stream of many) stream.abort(new Error('done'))
    const from = await sideOf(a)
    from.channels.send(b.self.id, numbered(0))
    await expect.poll(() => to.received).toEqual([0])
  })
})
