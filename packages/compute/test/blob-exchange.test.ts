import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinPool, type Pool } from '@jel/jel'
import type { Stream } from '@libp2p/interface'
import { FrameStream, SendQueue } from '@jel/overlay'
import { encode } from 'it-length-prefixed'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BlobExchange } from '../src/shell/blob-exchange.ts'
import { BLOB_PROTOCOL } from '../src/shell/blob-frames.ts'
import { hashOf } from '#platform/crypto'
import { BlobStore } from '../src/shell/blob-store.ts'
import { ByteRoom } from '../src/shell/byte-room.ts'
import { PeerBudget } from '../src/shell/peer-budget.ts'

/**
 * Bytes of a large blob. They don't fit into a slow reader's queue, and are not all sent while a
 * stream closes.
 */
const LARGE = 24 * 2 ** 20
/** Bytes of a blob of many frames. */
const FRAMES = 5 * 2 ** 20

let folder: string
let pools: Pool[]
let exchanges: BlobExchange[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-exchange-'))
  pools = []
  exchanges = []
})

afterEach(async () => {
  for (const exchange of exchanges) await exchange.close()
  for (const pool of pools) await pool.leave()
  rmSync(folder, { recursive: true })
})

async function pool(): Promise<Pool> {
  const bootstrap = pools[0]?.self.addresses ?? []
  const joined = await joinPool('exchange-test', { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap })
  pools.push(joined)
  return joined
}

/** Adds a member. `jobs`: the jobs of which it is a replica. */
async function member(
  disk?: number,
  jobs: readonly string[] = [],
): Promise<{ pool: Pool; store: BlobStore; exchange: BlobExchange; budget: PeerBudget }> {
  const joined = await pool()
  const store = new BlobStore(join(folder, String(pools.length)), disk)
  const budget = new PeerBudget()
  const exchange = new BlobExchange(joined, store, budget, (job, hash) => {
    if (!jobs.includes(job)) return undefined
    store.pin(hash, job)
    return () => store.release(hash, job)
  })
  await exchange.start()
  exchanges.push(exchange)
  return { pool: joined, store, exchange, budget }
}

/** Adds a member that answers every request with these frames. */
async function liar(frames: readonly Uint8Array[]): Promise<{ id: string; asked: () => number }> {
  const joined = await pool()
  let asked = 0
  await joined.handle(BLOB_PROTOCOL, (stream) => {
    asked++
    for (const frame of frames) stream.send(encode.single(frame))
  })
  return { id: joined.self.id, asked: () => asked }
}

async function meet({ pool: joined }: { pool: Pool }, count: number): Promise<void> {
  await expect.poll(() => joined.members().length).toBe(count)
}

describe('blobs between members', () => {
  it('are fetched once for several callers at the same time', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const bytes = new Uint8Array(FRAMES).fill(7)
    const hash = await one.store.put(bytes)
    const open = vi.spyOn(other.pool, 'open')
    const from = () => [one.pool.self.id]
    const [got] = await Promise.all([other.exchange.fetch(hash, from), other.exchange.fetch(hash, from)])
    expect(Buffer.compare(got, bytes)).toBe(0)
    expect(await other.exchange.fetch(hash, from)).toHaveLength(FRAMES)
    expect(open).toHaveBeenCalledOnce()
  })

  it('are pushed to other members', async () => {
    const [one, other] = [await member(), await member()]
    await meet(one, 2)
    const hashes = [await one.store.put(new Uint8Array(FRAMES).fill(8)), await one.store.put(new Uint8Array())]
    for (const hash of hashes) await one.exchange.push(hash, [other.pool.self.id])
    expect(await other.store.get(hashes[0] as string)).toHaveLength(FRAMES)
    expect(await other.store.get(hashes[1] as string)).toHaveLength(0)
  })

  it.each([
    ['other bytes', [Uint8Array.of(1, 2, 3)]],
    ['more bytes than there are', Array.from({ length: 40 }, () => new Uint8Array(256 * 1024))],
    ['what is no frame', [new Uint8Array(300 * 1024)]],
    ['nothing', [new Uint8Array()]],
  ])('are not taken from a member that sends %s', async (_, frames) => {
    const [one, other] = [await member(), await member()]
    const bad = await liar(frames)
    await meet(other, 3)
    const bytes = Uint8Array.of(4, 5, 6)
    const hash = await one.store.put(bytes)
    expect(await other.exchange.fetch(hash, () => [bad.id, one.pool.self.id], bytes.length)).toEqual(bytes)
    expect(bad.asked()).toBe(1)
    await expect(other.exchange.fetch(await hashOf(Uint8Array.of(9)), () => [bad.id], 1)).rejects.toMatchObject({ code: 'BLOB_MISSING' })
  })

  it('are requested from the next member if one does not answer', async () => {
    const [one, other] = [await member(), await member()]
    const silent = await liar([])
    await meet(other, 3)
    const hash = await one.store.put(Uint8Array.of(4, 5, 6))
    const sooner = (act: () => void, ms?: number): NodeJS.Timeout => later(act, ms === 15_000 ? 300 : ms)
    const later = setTimeout
    vi.stubGlobal('setTimeout', sooner)
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await other.exchange.fetch(hash, () => [silent.id, one.pool.self.id])).toHaveLength(3)
    expect(silent.asked()).toBe(1)
  })

  it('are requested from nobody else if this disk is full, which is no fault of others', async () => {
    const [one, other] = [await member(), await member()]
    const next = await liar([Uint8Array.of(1)])
    await meet(other, 3)
    const hash = await one.store.put(Uint8Array.of(4, 5, 6))
    vi.spyOn(other.store, 'put').mockRejectedValue(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }))
    await expect(other.exchange.fetch(hash, () => [one.pool.self.id, next.id], 3)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(next.asked()).toBe(0)
  })

  it('are refused if they are larger than expected', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const hash = await one.store.put(new Uint8Array(2 ** 20))
    await expect(other.exchange.fetch(hash, () => [one.pool.self.id], 2 ** 20 - 1)).rejects.toMatchObject({ code: 'BLOB_MISSING' })
    expect(await other.store.get(hash)).toBeUndefined()
  })

  it('are not taken from this disk if they are larger than expected', async () => {
    const one = await member()
    const hash = await one.store.put(new Uint8Array(2 ** 20))
    await expect(one.exchange.fetch(hash, () => [], 2 ** 20 - 1)).rejects.toMatchObject({ code: 'BLOB_MISSING' })
    expect(await one.exchange.fetch(hash, () => [], 2 ** 20)).toHaveLength(2 ** 20)
  })

  it('that are not what their sender said cost it as much as messages, and leave no pin if there is no room', async () => {
    const [one, other] = [await member(), await member(1, ['job'])]
    await meet(one, 2)
    const bytes = new Uint8Array(2 ** 20).fill(1)
    const { id } = other.pool.self
    const charge = vi.spyOn(other.budget, 'charge')
    const costs = (): number => charge.mock.calls.filter(([, , size]) => size === bytes.length).length
    await one.exchange.give('0'.repeat(64), bytes, id).catch(() => {})
    await expect.poll(costs).toBe(1)
    const full = await other.store.put(bytes.fill(2), { for: 'another job' })
    const made = new Uint8Array(2 ** 19)
    const release = vi.spyOn(other.store, 'release')
    await one.exchange.give(await hashOf(made), made, id, 'job').catch(() => {})
    await expect.poll(() => release.mock.calls).toEqual([[await hashOf(made), 'job']])
    expect(await other.store.size(full)).toBe(bytes.length)
    expect(costs()).toBe(1)
  })

  it('take no room after an answer, whatever its sender adds', async () => {
    const one = await member()
    const joined = await pool()
    await joined.handle(BLOB_PROTOCOL, (stream) => {
      const frames = [new Uint8Array(), ...Array.from({ length: 16 }, () => new Uint8Array(15_000))]
      stream.send(Buffer.concat(frames.map((frame) => encode.single(frame).subarray())))
    })
    await meet(one, 2)
    const take = vi.spyOn(ByteRoom.prototype, 'take')
    const free = vi.spyOn(ByteRoom.prototype, 'free')
    onTestFinished(() => void vi.restoreAllMocks())
    for (let n = 0; n < 5; n++) await one.exchange.fetch(n.toString(16).padStart(64, '0'), () => [joined.self.id]).catch(() => {})
    await sleep(100)
    const sum = (calls: readonly (readonly [string, number])[]): number => calls.reduce((all, [, bytes]) => all + bytes, 0)
    expect(take.mock.calls.length).toBeGreaterThanOrEqual(5)
    expect(sum(take.mock.calls)).toBe(sum(free.mock.calls))
  })

  it('that find no room are asked for again', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const hash = await one.store.put(Uint8Array.of(1, 2))
    const take = vi.spyOn(ByteRoom.prototype, 'take').mockReturnValueOnce(true).mockReturnValueOnce(false)
    onTestFinished(() => take.mockRestore())
    expect(await other.exchange.fetch(hash, () => [one.pool.self.id])).toEqual(Uint8Array.of(1, 2))
  })

  it('cost few questions if nobody has them, hold up no others, and are given up once nobody needs them', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const [near, hash] = [one.pool.self.id, await one.store.put(Uint8Array.of(4, 5, 6))]
    const open = vi.spyOn(other.pool, 'open').mockRejectedValue(new Error('nobody is there'))
    let isNeeded = true
    const nobody = Array.from({ length: 30 }, (_, number) => `nobody ${number}`)
    const fetch = async (number: number): Promise<unknown> =>
      await other.exchange.fetch(number.toString(16).padStart(64, 'a'), () => (isNeeded ? nobody : []))
    const fetched = Promise.allSettled(Array.from({ length: 40 }, async (_, number) => await fetch(number)))
    const began = performance.now()
    await sleep(1000)
    // One for each blob, 100 at once, and ten a second.
    expect(open.mock.calls.length).toBeGreaterThanOrEqual(140)
    expect(open.mock.calls.length).toBeLessThan(160 + (performance.now() - began) / 100)
    open.mockRestore()
    const before = performance.now()
    expect(await other.exchange.fetch(hash, () => [near])).toHaveLength(3)
    expect(performance.now() - before).toBeLessThan(3000)
    isNeeded = false
    for (const each of await fetched) expect(each).toMatchObject({ reason: { code: 'BLOB_MISSING' } })
  })

  it('are served however many requests were aborted', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const hash = await one.store.put(new Uint8Array(LARGE).fill(7))
    for (let request = 0; request < 12; request++) {
      const stream = await other.pool.open(one.pool.self.id, BLOB_PROTOCOL)
      stream.send(encode.single(new TextEncoder().encode(`get ${hash}`)))
      // Meanwhile the blob is read from disk.
      await sleep(5)
      stream.abort(new Error('never mind'))
    }
    // The reads go on for a while, and have taken all room.
    const fetched = async (): Promise<Uint8Array> => await other.exchange.fetch(hash, () => [one.pool.self.id])
    await vi.waitFor(async () => expect(await fetched()).toHaveLength(LARGE), { timeout: 90_000, interval: 200 })
  })

  it('are read for no more requests at once than there is room for in transit', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const hash = await one.store.put(new Uint8Array(LARGE).fill(7))
    const read = vi.spyOn(one.store, 'get')
    for (let request = 0; request < 24; request++) {
      const stream = await other.pool.open(one.pool.self.id, BLOB_PROTOCOL)
      stream.send(encode.single(new TextEncoder().encode(`get ${hash}`)))
    }
    await sleep(500)
    // The bound of 256 MiB has room for ten.
    expect(read.mock.calls.length).toBeLessThanOrEqual(10)
    expect(read.mock.calls.length).toBeGreaterThan(0)
  })

  it('are read for no more aborted requests at once than there is room for in transit, at the cost of the requester', async () => {
    const [one, other] = [await member(), await member()]
    await meet(other, 2)
    const hash = await one.store.put(new Uint8Array(LARGE).fill(7))
    const charge = vi.spyOn(one.budget, 'charge')
    let [reading, most] = [0, 0]
    // A slow disk.
    vi.spyOn(one.store, 'get').mockImplementation(async () => {
      most = Math.max(most, ++reading)
      await sleep(2000)
      reading--
      return undefined
    })
    for (let batch = 0; batch < 6; batch++) {
      const streams = await Promise.all(Array.from({ length: 8 }, async () => await other.pool.open(one.pool.self.id, BLOB_PROTOCOL)))
      for (const stream of streams) stream.send(encode.single(new TextEncoder().encode(`get ${hash}`)))
      await sleep(50)
      for (const stream of streams) stream.abort(new Error('never mind'))
      await sleep(50)
    }
    // The bound of 256 MiB has room for ten, and for five of one peer.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(5)
    await expect.poll(() => reading, { timeout: 5000 }).toBe(0)
    expect(charge).toHaveBeenCalledWith(other.pool.self.id, expect.closeTo(2000, -3), 0, expect.any(Number))
    expect(one.budget.wait(other.pool.self.id, performance.now())).toBeGreaterThan(0)
  })

  it('end with the answer: an asker takes nothing that follows it', async () => {
    const [one, liar] = [await member(), await pool()]
    await meet({ pool: liar }, 2)
    const streams: Stream[] = []
    await liar.handle(BLOB_PROTOCOL, (stream) => {
      streams.push(stream)
      const queue = new SendQueue()
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: 1024, queue },
        { onFrame: () => frames.send(Uint8Array.of(1)), onEnd: () => {} },
      )
    })
    await expect(one.exchange.fetch('0'.repeat(64), () => [liar.self.id])).rejects.toMatchObject({ code: 'BLOB_MISSING' })
    await expect.poll(() => streams[0]?.writeStatus).not.toBe('writable')
  })

  it('can be read at a member whose disk has no room for them', async () => {
    const [one, other] = [await member(), await member()]
    await meet(one, 2)
    const hash = await one.store.put(Uint8Array.of(1, 2))
    vi.spyOn(other.store, 'put').mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    const from = (): string[] => [one.pool.self.id]
    await expect(other.exchange.fetch(hash, from)).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await other.exchange.read(hash, from)).toEqual(Uint8Array.of(1, 2))
  })

  it('are hashed once for each request, whatever follows it', async () => {
    const [one, other] = [await member(), await pool()]
    await meet({ pool: other }, 2)
    const stream = await other.open(one.pool.self.id, BLOB_PROTOCOL)
    const queue = new SendQueue()
    const ended = Promise.withResolvers<void>()
    const frames: FrameStream = new FrameStream(stream, { maxFrameBytes: 1, queue }, { onFrame: () => {}, onEnd: () => ended.resolve() })
    const hash = vi.spyOn(crypto.subtle, 'digest')
    onTestFinished(() => hash.mockRestore())
    frames.send(new TextEncoder().encode(`put ${'0'.repeat(64)}`))
    frames.send(new Uint8Array(2 ** 18))
    for (let frame = 0; frame < 20; frame++) frames.send(Uint8Array.of(1))
    await ended.promise
    expect(hash.mock.calls.filter(([, bytes]) => bytes.byteLength >= 2 ** 18)).toHaveLength(1)
  })

  it('are accepted as fast as their sender pays for the search for room', async () => {
    const [one, other] = [await member(), await member()]
    await meet(one, 2)
    const { id } = one.pool.self
    other.budget.charge(id, 2200, 0, performance.now())
    const before = performance.now()
    await one.exchange.push(await one.store.put(Uint8Array.of(1)), [other.pool.self.id])
    expect(performance.now() - before).toBeGreaterThan(700)
    const charge = vi.spyOn(other.budget, 'charge')
    await one.exchange.push(await one.store.put(Uint8Array.of(2)), [other.pool.self.id])
    expect(charge).toHaveBeenCalledWith(id, expect.any(Number), 0, expect.any(Number))
  })

  it('are served while one member fills the room for unfinished blobs', async () => {
    const [server, asker, greedy] = [await member(), await member(), await pool()]
    await meet(asker, 3)
    await meet({ pool: greedy }, 3)
    const hash = await server.store.put(new Uint8Array(LARGE))
    const queues = Array.from({ length: 4 }, () => new SendQueue())
    for (const queue of queues) {
      const stream = await greedy.open(server.pool.self.id, BLOB_PROTOCOL)
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: 1, queue },
        { onFrame: () => {}, onEnd: () => frames.abort(new Error('it ended')) },
      )
      queue.push(new TextEncoder().encode(`put ${hash}`))
      // The last, shorter chunk never comes.
      for (let chunk = 0; chunk < 250; chunk++) queue.push(new Uint8Array(2 ** 18))
    }
    await expect.poll(() => queues.every(({ bytes }) => bytes === 0), { timeout: 50_000 }).toBe(true)
    await sleep(500)
    expect(await asker.exchange.fetch(hash, () => [server.pool.self.id])).toHaveLength(LARGE)
  })

  it('evict results of ended jobs if a job of this member needs them, and nothing otherwise', async () => {
    const [one, other] = [await member(), await member(1, ['job'])]
    await meet(one, 2)
    const result = await other.store.put(new Uint8Array(2 ** 20), { for: 'ended' })
    other.store.unpin('ended')
    other.store.pin(result, 'ended/result', { isSpare: true })
    const made = new Uint8Array(2 ** 19).fill(1)
    const give = async (job?: string): Promise<unknown> =>
      await one.exchange.give(await hashOf(made), made, other.pool.self.id, job).catch(() => 'refused')
    expect([await give(), await give('another job')]).toEqual(['refused', 'refused'])
    expect(await other.store.size(result)).toBeDefined()
    expect(await give('job')).toBeUndefined()
    expect(await other.store.size(await hashOf(made))).toBe(made.length)
  })

  it('are refused if unfinished jobs need the room, and their sender is notified', async () => {
    const [one, other] = [await member(), await member(2)]
    await meet(one, 2)
    const needed = await other.store.put(new Uint8Array(2 ** 20).fill(1), { for: 'a job' })
    const [large, small] = [await one.store.put(new Uint8Array(2 ** 20 + 1)), await one.store.put(new Uint8Array(2 ** 19))]
    const to = [other.pool.self.id]
    expect([await one.exchange.push(large, to), await one.exchange.push(small, to)]).toEqual([[], to])
    expect(await other.store.get(needed)).toBeDefined()
  })
})
