import type { Stream } from '@libp2p/interface'
import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import { BlobMissingError } from '../errors.ts'
import { hashOf, isHash, type BlobStore } from './blob-store.ts'

const PROTOCOL = '/jel-compute-blob/1.0.0'
/** Bytes of one blob. */
const MAX_BLOB_BYTES = 64 * 1024 * 1024
/** Bytes of one frame of it. */
const CHUNK = 256 * 1024
/** How long one member may take to give or take a blob, ms. A guess: 64 MiB at 1 MiB a second. */
const TIMEOUT = 60_000

/**
 * Blobs over streams of their own: the one who opens it says `get` and a hash, or `put` and a hash and the bytes; a `get` is answered with the bytes, or
 * nothing, a `put` with one byte.
 */
export class BlobExchange {
  readonly #pool: Pool
  readonly #store: BlobStore
  readonly #fetching = new Map<string, Promise<Uint8Array>>()

  constructor(pool: Pool, store: BlobStore) {
    this.#pool = pool
    this.#store = store
  }

  async start(): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream) => this.#serve(stream))
  }

  async close(): Promise<void> {
    await this.#pool.unhandle(PROTOCOL).catch(() => {})
  }

  /** From here, or from the first of these members that has it. @throws BlobMissingError */
  async fetch(hash: string, from: () => readonly string[]): Promise<Uint8Array> {
    const known = this.#store.get(hash)
    if (known !== undefined) return known
    let fetching = this.#fetching.get(hash)
    if (fetching === undefined) {
      fetching = this.#fetch(hash, from()).finally(() => this.#fetching.delete(hash))
      this.#fetching.set(hash, fetching)
    }
    return await fetching
  }

  /** Gives it to a member. Resolves when it has it. */
  async push(hash: string, to: string): Promise<void> {
    const bytes = this.#store.get(hash)
    if (bytes === undefined) throw new BlobMissingError(`there is no blob ${hash} here`)
    await this.#ask(to, `put ${hash}`, bytes)
  }

  async #fetch(hash: string, members: readonly string[]): Promise<Uint8Array> {
    for (const member of members) {
      try {
        const bytes = await this.#ask(member, `get ${hash}`)
        if (hashOf(bytes) !== hash) continue
        this.#store.put(bytes)
        return bytes
      } catch {
        // The next one may have it.
      }
    }
    throw new BlobMissingError(`none of ${members.length} members has the blob ${hash}`)
  }

  async #ask(member: string, request: string, bytes?: Uint8Array): Promise<Uint8Array> {
    const stream = await this.#pool.open(member, PROTOCOL, { signal: AbortSignal.timeout(TIMEOUT) })
    const queue = new SendQueue()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const received = new Gathered(MAX_BLOB_BYTES)
    const frames = new FrameStream(
      stream,
      { maxFrameBytes: CHUNK, queue },
      {
        onFrame: (data) => {
          if (!received.add(data)) frames.abort(new Error('it is too large'))
        },
        onEnd: () => resolve(received.bytes()),
      },
    )
    const timer = setTimeout(() => {
      frames.abort(new Error('it took too long'))
      reject(new Error('it took too long'))
    }, TIMEOUT)
    frames.send(new TextEncoder().encode(request))
    if (bytes !== undefined) sendChunks(frames, bytes)
    queue.end()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      void frames.close()
    }
  }

  #serve(stream: Stream): void {
    const queue = new SendQueue()
    let request: string | undefined
    const received = new Gathered(MAX_BLOB_BYTES)
    let hash = ''
    const frames = new FrameStream(
      stream,
      { maxFrameBytes: CHUNK, queue },
      {
        onFrame: (data) => {
          if (request === undefined) {
            request = new TextDecoder().decode(data)
            hash = request.slice(4)
            if (!isHash(hash) || !/^(get|put) /u.test(request)) frames.abort(new Error('no request'))
            else if (request.startsWith('get ')) {
              sendChunks(frames, this.#store.get(hash) ?? new Uint8Array())
              void frames.close()
            }
          } else if (!received.add(data)) frames.abort(new Error('it is too large'))
          else if (received.size > 0 && request.startsWith('put ') && data.length < CHUNK) {
            const bytes = received.bytes()
            if (hashOf(bytes) === hash) {
              this.#store.put(bytes)
              frames.send(Uint8Array.of(1))
            }
            void frames.close()
          }
        },
        onEnd: () => {},
      },
    )
  }
}

/** The last chunk is shorter than the others, if need be an empty one: so its receiver knows the end. */
function sendChunks(frames: FrameStream, bytes: Uint8Array): void {
  for (let at = 0; at <= bytes.length; at += CHUNK) frames.send(bytes.slice(at, at + CHUNK))
}

class Gathered {
  readonly #limit: number
  readonly #pieces: Uint8Array[] = []
  size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(piece: Uint8Array): boolean {
    this.size += piece.length
    this.#pieces.push(piece)
    return this.size <= this.#limit
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.size)
    let at = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
}
