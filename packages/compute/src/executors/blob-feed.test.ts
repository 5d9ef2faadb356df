import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { BlobMissingError } from '../errors.ts'
import { BlobFeed } from './blob-feed.ts'
import type { BlobSource } from './container.ts'
import type { ToProgram } from '../program/messages.ts'

/** A container that takes one message at a time, on request. */
class Reader {
  readonly got: ToProgram[] = []
  readonly #take: (() => void)[] = []

  post(messages: readonly ToProgram[]): void {
    this.got.push(...messages)
  }

  async taken(): Promise<void> {
    await new Promise<void>((resolve) => this.#take.push(resolve))
  }

  async take(): Promise<void> {
    for (const resolve of this.#take.splice(0)) resolve()
    await setImmediate()
  }

  async end(): Promise<void> {
    await Promise.resolve()
  }
}

function of(...parts: readonly Uint8Array[]): BlobSource {
  return { size: parts.reduce((sum, { length }) => sum + length, 0), parts: parts.map((part) => () => Promise.resolve(part)) }
}

const missing: BlobSource = { size: 1, parts: [() => Promise.reject(new BlobMissingError('nobody has it'))] }

describe('a container', () => {
  it('receives a blob in pieces, each after it has taken the one before', async () => {
    const reader = new Reader()
    const feed = new BlobFeed(reader, () => of(new Uint8Array(1_500_000).fill(1), Uint8Array.of(2)))
    feed.use('a')
    await setImmediate()
    expect(reader.got).toHaveLength(1)
    for (let times = 0; times < 5; times++) await reader.take()
    const lengths = reader.got.map((message) => message.type === 'blob' && [message.size, message.bytes.length])
    expect(lengths).toEqual([1_048_576, 451_424, 1].map((length) => [1_500_001, length]))
    expect(reader.got.map((message) => message.type === 'blob' && message.bytes.buffer.byteLength)).toEqual([1_048_576, 451_424, 1])
  })

  it('receives each blob once, however often it asks', async () => {
    const reader = new Reader()
    const feed = new BlobFeed(reader, () => of(Uint8Array.of(1)))
    for (let times = 0; times < 5; times++) {
      feed.use('a')
      await setImmediate()
      await reader.take()
    }
    expect(reader.got).toHaveLength(1)
  })

  it('may ask again for a missing blob', async () => {
    const reader = new Reader()
    const sources = [missing, of(Uint8Array.of(1))]
    const feed = new BlobFeed(reader, () => sources.shift() as BlobSource)
    feed.use('a')
    await setImmediate()
    expect(reader.got).toEqual([{ type: 'noBlob', blob: 'a', code: 'BLOB_MISSING', message: 'nobody has it' }])
    // The answer was sent, but the reader has not taken it yet.
    feed.use('a')
    for (let times = 0; times < 3; times++) await reader.take()
    expect(reader.got.slice(1)).toMatchObject([{ type: 'blob', size: 1 }])
  })

  it('learns that the disk of its machine is full', async () => {
    const reader = new Reader()
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    const feed = new BlobFeed(reader, () => ({ size: 1, parts: [() => Promise.reject(full)] }))
    feed.use('a')
    await setImmediate()
    expect(reader.got).toEqual([{ type: 'noBlob', blob: 'a', code: 'ENOSPC', message: 'no space left on device' }])
  })

  it('waits for blobs in its own time after it asked for several missing ones', async () => {
    const reader = new Reader()
    const feed = new BlobFeed(reader, (cid) => (cid === 'slow' ? { size: 1, parts: [() => new Promise(() => {})] } : missing))
    const waits = async (): Promise<boolean> => {
      const other = new BlobFeed(reader, () => ({ size: 1, parts: [() => new Promise(() => {})] }))
      other.use('slow')
      await setImmediate()
      return other.isWaiting
    }
    expect(await waits()).toBe(true)
    for (const cid of ['a', 'b', 'c', 'slow']) feed.use(cid)
    for (let times = 0; times < 5; times++) await reader.take()
    expect(reader.got).toHaveLength(3)
    expect(feed.isWaiting).toBe(false)
  })

  it('receives nothing after its end', async () => {
    const reader = new Reader()
    const feed = new BlobFeed(reader, () => of(new Uint8Array(5_000_000)))
    feed.use('a')
    await setImmediate()
    feed.end()
    for (let times = 0; times < 5; times++) await reader.take()
    expect(reader.got).toHaveLength(1)
  })
})
