import { hashOf } from '#platform/crypto'
import type { Pool } from '@jel/jel'
import { FrameStream, pause, SendQueue, type Timer } from '@jel/overlay'
import type { JobId } from '../core/io.ts'
import { BlobMissingError } from '../errors.ts'
import { ANSWER_TIME, BLOB_PROTOCOL, CHUNK, Gathered, pushChunks, timeFor } from './blob-frames.ts'
import { MAX_PART_BYTES } from './blob-list.ts'
import { BlobServer, type PinMade } from './blob-server.ts'
import type { BlobStore } from './blob-store.ts'
import { ByteRoom } from './byte-room.ts'
import type { PeerBudget } from './peer-budget.ts'

/**
 * Without a wait, this member asks at most `AT_ONCE` questions that find no blob. After them, it
 * may ask one such question in each `INTERVAL`, ms. The first question of each search for a blob
 * does not count. Guesses: ten questions a second take 2 % of the asker's processor.
 */
const [AT_ONCE, INTERVAL] = [100, 100]

/**
 * Maximum bytes of blobs that are on their way from other members at once. If they take more, this
 * member gives up a question, and asks again after `ROOM_AGAIN` ms, `ROOM_TRIES` times at most.
 * Guesses: the parts of eight jobs.
 */
const [MAX_ASKED, ROOM_AGAIN, ROOM_TRIES] = [8 * MAX_PART_BYTES, 1000, 60]
/** The reason why this member gave up a question: bytes of other questions take all room. */
const NO_ROOM = new Error('there is no room for more blobs now')

/**
 * Transfers blobs over streams of their own. The opener sends `get <hash>`, or `put <hash>` and
 * then the bytes. `put <hash> <job>` names the job whose task made the bytes. The answer to `get`
 * is the bytes; if the peer lacks the blob, the answer is empty. The answer to `put` is one byte.
 * Once the opener has the answer, it aborts the stream. Otherwise the peer could go on sending.
 */
export class BlobExchange {
  readonly #pool: Pool
  readonly #store: BlobStore
  readonly #server: BlobServer
  readonly #room: ByteRoom
  /**
   * The question that is under way for each hash. It resolves with the bytes, if the asked member
   * has them.
   */
  readonly #asked = new Map<string, Promise<Found | undefined>>()
  /**
   * The earliest time of the next question, apart from the first question of each search. A counted
   * question that finds no blob adds `INTERVAL`. A time in the past is an allowance for questions
   * without a wait.
   */
  #freeAt = -Infinity

  /** @param budget bounds the time that this thread spends on requests of other members */
  constructor(pool: Pool, store: BlobStore, budget: PeerBudget, pinMade: PinMade) {
    this.#pool = pool
    this.#store = store
    // A tab keeps its blobs in memory, and few of them.
    this.#room = new ByteRoom(Math.min(MAX_ASKED, 2 * Math.max(store.limit, MAX_PART_BYTES)))
    this.#server = new BlobServer(store, budget, pinMade)
  }

  async start(): Promise<void> {
    await this.#pool.handle(BLOB_PROTOCOL, (stream, from) => this.#server.serve(stream, from))
  }

  async close(): Promise<void> {
    await this.#pool.unhandle(BLOB_PROTOCOL).catch(() => {})
  }

  /**
   * Returns the bytes from this disk, or from the first of these members that has them. A member
   * may send at most `maxBytes`. Asks no further member once `from` returns an empty list.
   *
   * @throws BlobMissingError, BlobTooLargeError; NodeJS.ErrnoException if this disk is full
   */
  async fetch(hash: string, from: () => readonly string[], maxBytes = MAX_PART_BYTES): Promise<Uint8Array> {
    const { bytes, problem } = await this.#find(hash, from, maxBytes)
    // This machine's disk could not keep the bytes, so other senders would not help.
    if (problem !== undefined) throw problem
    return bytes
  }

  /**
   * Like `fetch`, but the disk of this member need not have room for the bytes.
   *
   * @throws BlobMissingError
   */
  async read(hash: string, from: () => readonly string[], maxBytes = MAX_PART_BYTES): Promise<Uint8Array> {
    return (await this.#find(hash, from, maxBytes)).bytes
  }

  /** Whether a blob is on this disk. */
  async has(hash: string): Promise<boolean> {
    return (await this.#store.size(hash)) !== undefined
  }

  async #find(hash: string, from: () => readonly string[], maxBytes: number): Promise<Found> {
    const known = await this.#store.get(hash)
    if (known !== undefined && known.length > maxBytes) throw new BlobMissingError(`${hash} has more than ${maxBytes} bytes`)
    if (known !== undefined) return { bytes: known }
    const members = from()
    for (const [index, member] of members.entries()) {
      // The first member nearly always has the blob. Anybody can publish jobs with blobs that
      // nobody has, so further questions wait for their turn.
      if (index > 0) await this.#turn()
      if (from().length === 0) break
      const found = await this.#get(member, hash, maxBytes)
      if (found === undefined) continue
      if (index > 0) this.#freeAt -= INTERVAL
      return found
    }
    throw new BlobMissingError(`none of ${members.length} members has ${hash}`)
  }

  /**
   * Returns the path of a program's file. Fetches the file again if the store has evicted it.
   *
   * @throws as `fetch`
   */
  async fileOf(hash: string, from: () => readonly string[]): Promise<string> {
    await this.fetch(hash, from)
    return await this.#store.fileOf(hash)
  }

  /**
   * Sends bytes with this hash to a member. Resolves once the member has them. A replica of `job`
   * then keeps them until the job has ended.
   *
   * @throws Error with the reason
   */
  async give(hash: string, bytes: Uint8Array, member: string, job?: JobId): Promise<void> {
    await this.#ask(member, job === undefined ? `put ${hash}` : `put ${hash} ${job}`, 1, bytes)
  }

  /** Sends a blob to members. Resolves with the members that have it now. */
  async push(hash: string, members: readonly string[]): Promise<string[]> {
    const bytes = await this.#store.get(hash)
    if (bytes === undefined) throw new BlobMissingError(`there is no blob ${hash} here`)
    const asked = await Promise.allSettled(members.map(async (member) => await this.give(hash, bytes, member)))
    return members.filter((_, index) => asked[index]?.status === 'fulfilled')
  }

  /**
   * Waits for another caller's question for the same hash. Asks `member` only if that question
   * found no blob.
   */
  async #get(member: string, hash: string, maxBytes: number): Promise<Found | undefined> {
    const other = this.#asked.get(hash)
    const found = other === undefined ? undefined : await other
    if (found !== undefined) return found
    const asked = this.#question(member, hash, maxBytes).finally(() => this.#asked.delete(hash))
    this.#asked.set(hash, asked)
    return await asked
  }

  async #question(member: string, hash: string, maxBytes: number): Promise<Found | undefined> {
    const bytes = await this.#answer(member, hash, maxBytes)
    if (bytes === undefined || (await hashOf(bytes)) !== hash) return undefined
    return await this.#store.put(bytes, { isCopy: true }).then(
      () => ({ bytes }),
      (problem: unknown) => ({ bytes, problem: problem as Error }),
    )
  }

  /** Asks again while there is no room. Returns undefined if the member does not send the bytes. */
  async #answer(member: string, hash: string, maxBytes: number): Promise<Uint8Array | undefined> {
    for (let tries = 1; tries <= ROOM_TRIES; tries++) {
      try {
        return await this.#ask(member, `get ${hash}`, maxBytes)
      } catch (error) {
        if (error !== NO_ROOM) return undefined
      }
      await pause(ROOM_AGAIN, { background: true })
    }
    return undefined
  }

  /**
   * Waits until this member may ask another question. Counts the question as one that finds no
   * blob. If the question finds the blob, `#find` takes the count back.
   */
  async #turn(): Promise<void> {
    const now = performance.now()
    const at = Math.max(this.#freeAt, now - AT_ONCE * INTERVAL)
    this.#freeAt = at + INTERVAL
    if (at > now) await pause(at - now, { background: true })
  }

  /** Opens a stream, sends the request, and returns the answer. */
  async #ask(member: string, request: string, maxBytes: number, bytes?: Uint8Array): Promise<Uint8Array> {
    const stream = await this.#pool.open(member, BLOB_PROTOCOL, { signal: AbortSignal.timeout(ANSWER_TIME) })
    const queue = new SendQueue()
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const received = new Gathered(maxBytes)
    let [taken, isOver] = [0, false]
    const frames = new FrameStream(
      stream,
      { maxFrameBytes: CHUNK, queue },
      {
        onFrame: (data) => {
          // A peer may have sent more frames in one piece.
          if (isOver) return
          listen()
          // The answer to `put` is one byte.
          if (bytes === undefined && !this.#room.take(member, data.length)) {
            reject(NO_ROOM)
            return
          }
          if (bytes === undefined) taken += data.length
          if (!received.add(data)) reject(new Error('it is too large'))
          else if (data.length < CHUNK) resolve(received.bytes())
        },
        onEnd: () => reject(new Error('the stream ended')),
      },
    )
    const timer = setTimeout(() => reject(new Error('it took too long')), timeFor(Math.max(maxBytes, bytes?.length ?? 0)))
    // Gives up a silent member, since another may have the blob. `put` has no such limit: its
    // answer comes only after all bytes.
    let silence: Timer | undefined
    const listen = (): void => {
      clearTimeout(silence)
      if (bytes === undefined) silence = setTimeout(() => reject(new Error('it is silent')), ANSWER_TIME)
    }
    listen()
    queue.push(new TextEncoder().encode(request))
    if (bytes !== undefined) pushChunks(queue, bytes)
    try {
      return await promise
    } finally {
      isOver = true
      frames.abort(new Error('the question is over'))
      this.#room.free(member, taken)
      clearTimeout(timer)
      clearTimeout(silence)
    }
  }
}

/** A blob. `problem`: the reason why the store could not keep the blob. */
interface Found {
  readonly bytes: Uint8Array
  readonly problem?: Error
}
