/**
 * One stream of a link: frames in both directions. The first frame each way names the process that sends it.
 */
import type { NodeId } from '@jel/protocol'
import type { Connection, Stream } from '@libp2p/interface'
import { Uint8ArrayList } from 'uint8arraylist'
import { reasonOf } from '../base/errors.ts'
import { FrameDecoder, FramingError, encodePrefix } from './framing.ts'

/** Bytes of the random number that a process names itself with. */
export const instanceBytes = 8

/** A peer has this long to take what was sent before a stream is closed, ms. Guess. */
const flushTimeout = 1_000

export interface ChannelOptions {
  /** Bytes a frame. */
  readonly maxFrameBytes: number
  /** The number of this process. */
  readonly instance: Uint8Array
}

export interface ChannelEvents {
  /** The peer named its process. Before any frame. */
  onInstance(channel: Channel, instance: string): void
  onFrame(channel: Channel, data: Uint8Array): void
  /** There is room for more after {@link Channel.send} said there was none. */
  onDrain(channel: Channel): void
  /** Closed by the peer or broken. */
  onEnd(channel: Channel): void
  /** What the peer sends are no frames, or too long ones. */
  onMisbehaviour(channel: Channel, problem: string): void
}

export class Channel {
  readonly peer: NodeId
  readonly connection: Connection
  readonly #stream: Stream
  /** What goes out before anything else. */
  #opening: Uint8ArrayList | undefined
  #isFull = false

  constructor(stream: Stream, connection: Connection, { maxFrameBytes, instance }: ChannelOptions, events: ChannelEvents) {
    this.peer = connection.remotePeer.toString()
    this.connection = connection
    this.#stream = stream
    this.#opening = new Uint8ArrayList(encodePrefix(instance.length), instance)
    const decoder = new FrameDecoder(maxFrameBytes)
    let isNamed = false
    stream.addEventListener('close', () => events.onEnd(this))
    stream.addEventListener('remoteCloseWrite', () => events.onEnd(this))
    stream.addEventListener('drain', () => {
      this.#isFull = false
      events.onDrain(this)
    })
    stream.addEventListener('message', ({ data }) => {
      try {
        for (const frame of decoder.decode(data)) {
          if (isNamed) {
            events.onFrame(this, frame)
            continue
          }
          if (frame.length !== instanceBytes)
            throw new FramingError(`garbage: a link that opens with ${frame.length} bytes instead of ${instanceBytes}`)
          isNamed = true
          events.onInstance(this, Buffer.from(frame).toString('hex'))
        }
      } catch (error) {
        if (!(error instanceof FramingError)) throw error
        events.onMisbehaviour(this, error.message)
      }
    })
    // Together with the first frames, if there are any.
    queueMicrotask(() => this.#opening && this.send(new Uint8ArrayList()))
  }

  get isFull(): boolean {
    return this.#isFull
  }

  /** Bytes that the peer did not take yet. */
  get waiting(): number {
    return this.#stream.writeBufferLength
  }

  send(data: Uint8ArrayList): void {
    if (this.#stream.writeStatus !== 'writable') return
    const opening = this.#opening
    this.#opening = undefined
    if (opening) data.prepend(opening)
    try {
      this.#isFull = !this.#stream.send(data)
    } catch (error) {
      this.abort(error)
    }
  }

  /** Closes the stream when the peer has taken everything. */
  async close(): Promise<void> {
    try {
      await this.#stream.close({ signal: AbortSignal.timeout(flushTimeout) })
    } catch (error) {
      this.abort(error)
    }
  }

  abort(error: unknown): void {
    this.#stream.abort(error instanceof Error ? error : new Error(reasonOf(error)))
  }
}

/** A stream that ended before anybody listened will not say so again. */
export function isUsable(stream: Stream): boolean {
  return stream.status === 'open' && stream.remoteWriteStatus === 'writable'
}
