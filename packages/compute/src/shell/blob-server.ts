import { hashOf } from '#platform/crypto'
import type { Stream } from '@libp2p/interface'
import { FrameStream, inBackground, pause, SendQueue } from '@jel/overlay'
import type { JobId } from '../core/io.ts'
import { CHUNK, Gathered, pushChunks, timeFor } from './blob-frames.ts'
import { MAX_PART_BYTES } from './blob-list.ts'
import { isHash } from './blob-names.ts'
import type { BlobStore } from './blob-store.ts'
import { ByteRoom } from './byte-room.ts'
import type { PeerBudget } from './peer-budget.ts'

/**
 * Maximum bytes of blobs that all peers together may transfer from and to this member at once. A
 * guess.
 */
const MAX_SERVED = 4 * MAX_PART_BYTES

/**
 * Pins bytes that a task of a job made, until the job has ended. Returns a function that takes the
 * pin back; undefined if this member does not pin them.
 */
export type PinMade = (job: JobId, hash: string, size: number) => (() => void) | undefined

/** Serves the requests of other members for blobs. */
export class BlobServer {
  readonly store: BlobStore
  readonly budget: PeerBudget
  readonly pinMade: PinMade
  /** This member refuses requests without room. A requester then asks the next member. */
  readonly room = new ByteRoom(MAX_SERVED)

  constructor(store: BlobStore, budget: PeerBudget, pinMade: PinMade) {
    this.store = store
    this.budget = budget
    this.pinMade = pinMade
  }

  serve(stream: Stream, from: string): void {
    void new Request(this, stream, from)
  }
}

/** A stream that a peer opened, with its request and the answer. */
class Request {
  readonly #from: string
  /** Bytes in memory for this request. */
  #bytes = 0
  readonly #server: BlobServer
  readonly #queue = new SendQueue()
  readonly #frames: FrameStream
  readonly #received = new Gathered(MAX_PART_BYTES)
  readonly #ended = new AbortController()
  #action: string | undefined
  #hash = ''
  #job: JobId | undefined
  #isComplete = false
  /** Whether the peer sent the bytes that it named, or asked and got its answer. */
  #isFair = false
  /**
   * The stream, and the work on the answer. The room stays taken until both have ended, because a
   * read goes on after the peer aborts the stream.
   */
  #open = 1

  constructor(server: BlobServer, stream: Stream, from: string) {
    this.#server = server
    this.#from = from
    const timer = inBackground(setTimeout(() => this.#fail(new Error('it took too long')), timeFor(MAX_PART_BYTES)))
    this.#frames = new FrameStream(
      stream,
      { maxFrameBytes: CHUNK, queue: this.#queue },
      {
        onFrame: (data) => this.#heard(data),
        onEnd: () => {
          clearTimeout(timer)
          this.#ended.abort()
          this.#close()
          void this.#frames.close()
        },
      },
    )
  }

  #heard(data: Uint8Array): void {
    // No frame may follow a request. Each further frame would copy and hash the whole blob once
    // more.
    if (this.#isComplete) this.#fail(new Error('it sends more than a request'))
    else if (this.#action === undefined) this.#begin(new TextDecoder().decode(data))
    else if (this.#action !== 'put' || !this.#received.add(data) || !this.#takesRoom(data.length)) this.#fail(new Error('it is too large'))
    else if (data.length < CHUNK) this.#work(this.#take())
  }

  #begin(request: string): void {
    const [, action, hash = '', job] = /^(get|put) (\S*)(?: (\S+))?$/u.exec(request) ?? []
    if (!isHash(hash)) {
      this.#fail(new Error('no request'))
      return
    }
    this.#action = action
    this.#hash = hash
    this.#job = job
    if (action === 'get') this.#work(this.#give())
  }

  #work(action: Promise<void>): void {
    this.#isComplete = true
    this.#open++
    void action.catch((error: unknown) => this.#fail(error)).finally(() => this.#close())
  }

  async #give(): Promise<void> {
    const { store, budget } = this.#server
    await this.#turn()
    // Checks the size before it reads the file: many peers may ask at once, and each file read
    // takes memory.
    const size = await store.size(this.#hash)
    const began = performance.now()
    const bytes = size !== undefined && this.#takesRoom(size) ? await store.get(this.#hash) : undefined
    // Charges the read even if the peer has aborted its request. Otherwise a peer could have any
    // number of files read and hashed at no cost.
    const now = performance.now()
    budget.charge(this.#from, now - began, 0, now)
    pushChunks(this.#queue, bytes !== undefined && bytes.length === size ? bytes : new Uint8Array())
    this.#isFair = true
  }

  async #take(): Promise<void> {
    const { store, budget, pinMade } = this.#server
    const bytes = this.#received.bytes()
    if ((await hashOf(bytes)) !== this.#hash) throw new Error('it has another hash')
    this.#isFair = true
    await this.#turn()
    const release = this.#job === undefined ? undefined : pinMade(this.#job, this.#hash, bytes.length)
    try {
      const charge = (took: number): void => budget.charge(this.#from, took, 0, performance.now())
      await store.put(bytes, { isUnreferenced: release === undefined, isCopy: true, charge })
    } catch (error) {
      release?.()
      throw error
    }
    this.#queue.push(Uint8Array.of(1))
  }

  /**
   * Resolves once the time budget of the peer allows another request. Rejects if the stream ends
   * first.
   */
  async #turn(): Promise<void> {
    const wait = this.#server.budget.wait(this.#from, performance.now())
    if (wait > 0) await pause(wait, { background: true, signal: this.#ended.signal })
  }

  #takesRoom(bytes: number): boolean {
    if (!this.#server.room.take(this.#from, bytes)) return false
    this.#bytes += bytes
    return true
  }

  #fail(error: unknown): void {
    this.#frames.abort(error)
  }

  #close(): void {
    if (--this.#open > 0) return
    const { room, budget } = this.#server
    room.free(this.#from, this.#bytes)
    // Bytes of no use cost the peer as much as messages do.
    if (!this.#isFair) budget.charge(this.#from, 0, this.#bytes, performance.now())
  }
}
