/**
 * One stream of a link: frames in both directions, each as a pipeline.
 *
 * read:   stream → decode → stages of the owner → deliver
 * write:  queue → encode → send, which waits while the stream is full
 */
import type { Stream } from '@libp2p/interface'
import { pipe } from 'it-pipe'
import { raceSignal } from 'race-signal'
import type { Uint8ArrayList } from 'uint8arraylist'
import { asError } from '../base/errors.ts'
import { FramingError, decodeFrames, encodeFrames } from './frames.ts'
import type { SendQueue } from './send-queue.ts'
import { nextTurn } from '../base/timers.ts'

/** Before a stream closes, the peer has this time to receive the rest, ms. Guess. */
const flushTimeout = 1_000

/**
 * A node aborts a stream if the peer takes nothing for this time, ms. Guess: a process may be
 * stopped for as long without being declared dead.
 */
const stallTimeout = 15_000

/**
 * Bytes that may wait for a slow reader. Guess: far more than the protocol sends unasked. The limit
 * stops a peer that takes some data now and then, but always less than is sent.
 */
const maxQueuedBytes = 16 * 1_048_576

export interface FrameStreamOptions {
  /** Longest frame, bytes. */
  readonly maxFrameBytes: number
  readonly queue: SendQueue
  /** A stage for inbound frames. */
  readonly stage?: (frames: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  /** Replaces {@link stallTimeout}, ms. */
  readonly stallTimeout?: number | undefined
}

export interface FrameStreamEvents {
  onFrame(data: Uint8Array): void
  /**
   * The peer closed the stream, or it broke. All earlier frames were delivered. `problem`: the peer
   * sent bytes that are not frames.
   */
  onEnd(problem: string | undefined): void
}

export class FrameStream {
  readonly #stream: Stream
  readonly #queue: SendQueue
  readonly #sent: Promise<void>

  constructor(stream: Stream, options: FrameStreamOptions, events: FrameStreamEvents) {
    const { maxFrameBytes, queue, stage = (frames) => frames } = options
    this.#stream = stream
    this.#queue = queue
    this.#sent = pipe(queue, encodeFrames, (pieces) => sendAll(pieces, stream, options.stallTimeout ?? stallTimeout)).catch(
      (error: unknown) => this.abort(error),
    )
    pipe(
      stream,
      (bytes) => decodeFrames(bytes, maxFrameBytes),
      stage,
      async (frames) => {
        for await (const frame of frames) events.onFrame(frame)
      },
    ).then(
      () => events.onEnd(undefined),
      (error: unknown) => events.onEnd(error instanceof FramingError ? error.message : undefined),
    )
  }

  /**
   * Whether both directions are open. If a stream ended before anybody listened, it raises no
   * event.
   */
  static isUsable(stream: Stream): boolean {
    return stream.status === 'open' && stream.remoteWriteStatus === 'writable'
  }

  send(frame: Uint8Array): void {
    this.#queue.push(frame)
    if (this.#queue.bytes > maxQueuedBytes) this.abort(new Error(`it reads too slowly: ${this.#queue.bytes} bytes wait for it`))
  }

  /** Closes the stream when the peer has taken everything, or after a second. */
  async close(): Promise<void> {
    this.#queue.end()
    const signal = AbortSignal.timeout(flushTimeout)
    try {
      await raceSignal(this.#sent, signal)
      await this.#stream.close({ signal })
    } catch (error) {
      this.abort(error)
    }
  }

  abort(error: unknown): void {
    this.#queue.end()
    this.#queue.clear()
    this.#stream.abort(asError(error))
  }
}

async function sendAll(pieces: AsyncIterable<Uint8ArrayList>, stream: Stream, timeout: number): Promise<void> {
  for await (const piece of pieces) {
    if (stream.writeStatus !== 'writable') return
    if (stream.send(piece)) continue
    // Not `onDrain`: from the second time on it resolves at once (@libp2p/utils 7.4).
    while (stream.writableNeedsDrain && stream.writeStatus === 'writable') await drain(stream, timeout)
  }
}

/** Waits until the stream takes more, or ends. Rejects after `timeout` ms. */
async function drain(stream: Stream, timeout: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // If this process was busy or stopped, an answer may wait behind this timer. The event loop polls
  // for answers before it runs the immediate.
  const timer = setTimeout(() => nextTurn(() => reject(new Error(`it took nothing for ${timeout} ms`))), timeout)
  const ready = (): void => resolve()
  const events = ['drain', 'close'] as const
  for (const event of events) stream.addEventListener(event, ready)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    for (const event of events) stream.removeEventListener(event, ready)
  }
}
