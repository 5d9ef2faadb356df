/**
 * A connection of a link, with its two streams: one for everything, and one beside it for what must not wait.
 *
 * Failure detection goes over the second, so that neither a large answer delays a probe nor a peer looks dead whose bulk is paused. It is opened when the
 * first urgent frame is sent, by either side or by both: each writes to the first that it has and reads all. The link is up with the
 * stream for everything, whose first frame each way names the process that sends it.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { raceSignal } from 'race-signal'
import { FrameStream } from './frame-stream.ts'
import { FramingError } from './frames.ts'
import { Gate } from './gate.ts'
import { SendQueue } from './send-queue.ts'

/** Bytes of the random number that a process names itself with. */
export const instanceBytes = 8

/** For opening the second stream, ms. Guess: the connection stands, so this is a round trip. */
const openTimeout = 5_000

export interface ChannelOptions {
  /** Bytes a frame. */
  readonly maxFrameBytes: number
  /** The number of this process. */
  readonly instance: Uint8Array
  /** Protocol ids of the second stream, newest first. */
  readonly urgent: readonly string[]
  /** How long a peer may take nothing, ms. */
  readonly stallTimeout?: number | undefined
}

export interface ChannelEvents {
  /** The peer named its process. Before any frame. */
  onInstance(channel: Channel, instance: string): void
  onFrame(channel: Channel, data: Uint8Array): void
  /** Closed by the peer or broken. */
  onEnd(channel: Channel): void
  /** What the peer sends are no frames, or too long ones. */
  onMisbehaviour(channel: Channel, problem: string): void
}

export class Channel {
  readonly peer: NodeId
  readonly connection: Connection
  readonly #options: ChannelOptions
  readonly #events: ChannelEvents
  readonly #gate: Gate
  readonly #bulk: FrameStream
  /** Urgent frames that wait for a stream. */
  readonly #early: Uint8Array[] = []
  /** Those beside the first; the foremost is written to. */
  readonly #urgent: FrameStream[] = []
  readonly #named = Promise.withResolvers<void>()
  #isOpening = false

  constructor(stream: Stream, connection: Connection, options: ChannelOptions, events: ChannelEvents) {
    this.peer = connection.remotePeer.toString()
    this.connection = connection
    this.#options = options
    this.#events = events
    this.#gate = new Gate(stream)
    const { maxFrameBytes, stallTimeout } = options
    const queue = new SendQueue()
    queue.push(options.instance)
    this.#bulk = new FrameStream(
      stream,
      { maxFrameBytes, stallTimeout, queue, stage: (frames) => this.#gate.pass(this.#takeName(frames)) },
      {
        onFrame: (data) => events.onFrame(this, data),
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

  /** Takes a second stream that the peer opened. */
  addUrgent(stream: Stream): void {
    const { maxFrameBytes, stallTimeout } = this.#options
    const queue = new SendQueue()
    for (const frame of this.#early.splice(0)) queue.push(frame)
    const urgent = new FrameStream(
      stream,
      { maxFrameBytes, stallTimeout, queue },
      {
        onFrame: (data) => this.#events.onFrame(this, data),
        onEnd: (problem) => {
          this.#urgent.splice(this.#urgent.indexOf(urgent), 1)
          void urgent.close()
          if (problem !== undefined) this.#events.onMisbehaviour(this, problem)
        },
      },
    )
    this.#urgent.push(urgent)
  }

  /** Delivers none but urgent frames for so long, ms. */
  pause(time: number): void {
    this.#gate.pause(time)
  }

  /** Closes the streams when the peer has taken everything. */
  async close(): Promise<void> {
    this.#gate.open()
    await Promise.all([this.#bulk, ...this.#urgent].map(async (stream) => await stream.close()))
  }

  abort(error: unknown): void {
    this.#gate.open()
    for (const stream of [this.#bulk, ...this.#urgent]) stream.abort(error)
  }

  /** Who has named itself knows this connection for a link, and takes a second stream on it. */
  async #openUrgent(): Promise<void> {
    if (this.#isOpening) return
    this.#isOpening = true
    const signal = AbortSignal.timeout(openTimeout)
    try {
      await raceSignal(this.#named.promise, signal)
      const stream = await this.connection.newStream([...this.#options.urgent], { signal })
      if (FrameStream.isUsable(stream)) this.addUrgent(stream)
    } catch {
      // The connection is breaking, or its other end is. What was to be sent is old by the next attempt.
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
      this.#events.onInstance(this, Buffer.from(frame).toString('hex'))
      this.#named.resolve()
    }
  }
}
