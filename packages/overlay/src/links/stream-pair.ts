/**
 * A connection of a link, with its two streams. The second is for urgent frames, and the first is
 * for all other frames.
 *
 * Failure detection uses the second stream. So a large answer does not delay a probe, and a peer
 * whose other frames are paused does not look dead. Either side, or both, opens a second stream
 * when it sends its first urgent frame. Each side writes to its first such stream and reads all of
 * them. The link is up as soon as the first stream is open. The first frame in each direction names
 * the sending process.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { raceSignal } from 'race-signal'
import { FrameStream } from './frame-stream.ts'
import { FramingError } from './frames.ts'
import { Throttle } from './throttle.ts'
import { SendQueue } from './send-queue.ts'
import { toString } from 'uint8arrays'

/** Bytes of the random number that names a process. */
export const instanceBytes = 8

/**
 * Time to open the second stream, ms. Guess: the connection is open, so this takes a round trip.
 */
const openTimeout = 5_000

export interface StreamPairOptions {
  /** Longest frame, bytes. */
  readonly maxFrameBytes: number
  /** The number of this process. */
  readonly instance: Uint8Array
  /** Protocol ids of the second stream, newest first. */
  readonly urgent: readonly string[]
  /** Longest time in which a peer may take no data, ms. */
  readonly stallTimeout?: number | undefined
}

export interface StreamPairEvents {
  /** The peer named its process. Called before any frame. */
  onInstance(pair: StreamPair, instance: string): void
  onFrame(pair: StreamPair, data: Uint8Array): void
  /** The peer closed its streams, or they broke. */
  onEnd(pair: StreamPair): void
  /** The peer sent bytes that are not frames, or too long ones. */
  onMisbehaviour(pair: StreamPair, problem: string): void
}

export class StreamPair {
  readonly peer: NodeId
  readonly connection: Connection
  readonly #options: StreamPairOptions
  readonly #events: StreamPairEvents
  readonly #throttle: Throttle
  readonly #bulk: FrameStream
  /** Urgent frames that wait for a stream. */
  readonly #early: Uint8Array[] = []
  /** The urgent streams. Frames go to the first. */
  readonly #urgent: FrameStream[] = []
  readonly #named = Promise.withResolvers<void>()
  #isOpening = false

  constructor(stream: Stream, connection: Connection, options: StreamPairOptions, events: StreamPairEvents) {
    this.peer = connection.remotePeer.toString()
    this.connection = connection
    this.#options = options
    this.#events = events
    this.#throttle = new Throttle(stream)
    const { maxFrameBytes, stallTimeout } = options
    const queue = new SendQueue()
    queue.push(options.instance)
    this.#bulk = new FrameStream(
      stream,
      { maxFrameBytes, stallTimeout, queue, stage: (frames) => this.#throttle.pass(this.#takeName(frames)) },
      {
        onFrame: (data) => this.#deliver(data),
        onEnd: (problem) => (problem === undefined ? events.onEnd(this) : events.onMisbehaviour(this, problem)),
      },
    )
  }

  send(frame: Uint8Array): void {
    this.#bulk.send(frame)
  }

  sendUrgent(frame: Uint8Array): void {
    const [urgent] = this.#urgent
    if (urgent) urgent.send(frame)
    else {
      this.#early.push(frame)
      void this.#openUrgent()
    }
  }

  /** Takes a second stream that either side opened. */
  addUrgent(stream: Stream): void {
    const { maxFrameBytes, stallTimeout } = this.#options
    const queue = new SendQueue()
    for (const frame of this.#early.splice(0)) queue.push(frame)
    const urgent = new FrameStream(
      stream,
      { maxFrameBytes, stallTimeout, queue },
      {
        onFrame: (data) => this.#deliver(data),
        onEnd: (problem) => {
          this.#urgent.splice(this.#urgent.indexOf(urgent), 1)
          void urgent.close()
          if (problem !== undefined) this.#events.onMisbehaviour(this, problem)
        },
      },
    )
    this.#urgent.push(urgent)
  }

  /** Delivers only urgent frames for this time, ms. */
  pause(time: number): void {
    this.#throttle.pause(time)
  }

  /** Closes the streams when the peer has taken everything. */
  async close(): Promise<void> {
    this.#throttle.resume()
    await Promise.all([this.#bulk, ...this.#urgent].map(async (stream) => await stream.close()))
  }

  abort(error: unknown): void {
    this.#throttle.resume()
    for (const stream of [this.#bulk, ...this.#urgent]) stream.abort(error)
  }

  /**
   * Delivers a frame. Throws {@link FramingError} on an empty frame: every message of the protocol
   * has content. Each frame takes time, so thousands of empty frames would block the thread.
   */
  #deliver(frame: Uint8Array): void {
    if (frame.length === 0) throw new FramingError('an empty frame')
    this.#events.onFrame(this, frame)
  }

  /**
   * Opens the second stream once the peer has named itself. Only then does the peer regard this
   * connection as a link and accept the stream.
   */
  async #openUrgent(): Promise<void> {
    if (this.#isOpening) return
    this.#isOpening = true
    const signal = AbortSignal.timeout(openTimeout)
    try {
      await raceSignal(this.#named.promise, signal)
      const stream = await this.connection.newStream([...this.#options.urgent], { signal })
      if (FrameStream.isUsable(stream)) this.addUrgent(stream)
    } catch {
      // The connection or the process at its other end is failing. At the next attempt the waiting
      // frames would be outdated, so they are dropped.
      this.#early.length = 0
    } finally {
      this.#isOpening = false
    }
  }

  async *#takeName(frames: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let isNamed = false
    for await (const frame of frames) {
      if (isNamed) {
        yield frame
        continue
      }
      if (frame.length !== instanceBytes) {
        throw new FramingError(`garbage: a link that opens with ${frame.length} bytes instead of ${instanceBytes}`)
      }
      isNamed = true
      this.#events.onInstance(this, toString(frame, 'base16'))
      this.#named.resolve()
    }
  }
}
