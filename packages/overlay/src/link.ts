/**
 * The link to one peer: a long-lived stream that carries frames both ways. When both sides dial at the same time there are two or more
 * streams, on connections of their own; the protocol sees one link all the same.
 */
import type { Connection, Stream } from '@libp2p/interface'
import { Uint8ArrayList } from 'uint8arraylist'
import { reasonOf } from './errors.ts'
import { FrameDecoder, FramingError, encodePrefix } from './framing.ts'

/** Bytes that may wait for a slow reader. Guess: sixteen of the largest frames. */
const maxQueuedBytes = 4 * 1_048_576

/** Simultaneous dials of both sides give two; more than this is no accident. Guess. */
const maxStreams = 4

/** A peer has this long to take what was sent before a link is closed, ms. Guess. */
const flushTimeout = 1_000

export interface LinkEvents {
  /** A frame arrived. */
  onFrame(data: Uint8Array): void
  /** The last stream is gone. Called once. */
  onDown(): void
  /** The stream that was written to is gone; another one lives on. */
  onMoved(connection: Connection): void
  /** The peer broke a bound and was cut off. */
  onMisbehaviour(problem: string): void
}

interface Channel {
  readonly stream: Stream
  readonly connection: Connection
  /** The stream takes no more until it says so. */
  full: boolean
}

export class Link {
  readonly #maxFrameBytes: number
  readonly #events: LinkEvents
  readonly #channels: Channel[] = []
  #queue = new Uint8ArrayList()
  #flushing = false
  #down = false

  constructor(maxFrameBytes: number, events: LinkEvents) {
    this.#maxFrameBytes = maxFrameBytes
    this.#events = events
  }

  get connections(): Connection[] {
    return this.#channels.map(({ connection }) => connection)
  }

  /** Adds a stream. Frames are read from all of them and written to the oldest. False if the stream can't be used. */
  add(stream: Stream, connection: Connection): boolean {
    if (this.#channels.length >= maxStreams) {
      stream.abort(new Error(`more than ${maxStreams} streams for one link`))
      return false
    }
    // A stream that ended before anybody listened will not say so again.
    if (stream.status !== 'open' || stream.remoteWriteStatus !== 'writable') {
      stream.abort(new Error('closed while it was being opened'))
      return false
    }
    const channel: Channel = { stream, connection, full: false }
    const decoder = new FrameDecoder(this.#maxFrameBytes)
    this.#channels.push(channel)
    stream.addEventListener('close', () => this.#drop(channel))
    stream.addEventListener('remoteCloseWrite', () => {
      this.#drop(channel)
      closeQuietly(stream)
    })
    stream.addEventListener('drain', () => {
      channel.full = false
      this.#flush()
    })
    stream.addEventListener('message', ({ data }) => {
      try {
        for (const frame of decoder.decode(data)) {
          if (this.#down) return
          this.#events.onFrame(frame)
        }
      } catch (error) {
        if (!(error instanceof FramingError)) throw error
        this.#cutOff(error.message)
      }
    })
    return true
  }

  /** Queues a frame. Everything that is sent within a tick leaves in one piece: headers and encryption cost more than small frames do. */
  send(data: Uint8Array): void {
    if (this.#down) return
    this.#queue.append(encodePrefix(data.length))
    this.#queue.append(data)
    const queued = this.#queue.byteLength + (this.#channels[0]?.stream.writeBufferLength ?? 0)
    if (queued > maxQueuedBytes) {
      this.#cutOff(`reads too slowly: ${queued} bytes wait for it; ${maxQueuedBytes} are allowed`)
      return
    }
    if (this.#flushing) return
    this.#flushing = true
    queueMicrotask(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  /** Hands over what is queued, and closes all streams once the peer has taken it. The link is down at once. */
  async close(): Promise<void> {
    this.#flush(true)
    const streams = this.#channels.map(({ stream }) => stream)
    this.#goDown()
    const signal = AbortSignal.timeout(flushTimeout)
    await Promise.all(
      streams.map(async (stream) => {
        try {
          await stream.close({ signal })
        } catch (error) {
          stream.abort(error instanceof Error ? error : new Error(reasonOf(error)))
        }
      }),
    )
  }

  /** `all`: leave it to the stream to hold back what the peer does not take. */
  #flush(all = false): void {
    const channel = this.#channels[0]
    if (!channel || (channel.full && !all) || this.#queue.byteLength === 0) return
    const data = this.#queue
    this.#queue = new Uint8ArrayList()
    try {
      channel.full = !channel.stream.send(data)
    } catch (error) {
      channel.stream.abort(error instanceof Error ? error : new Error(reasonOf(error)))
    }
  }

  #drop(channel: Channel): void {
    const index = this.#channels.indexOf(channel)
    if (index < 0) return
    this.#channels.splice(index, 1)
    const next = this.#channels[0]
    if (!next) {
      this.#goDown()
      return
    }
    if (index === 0) this.#events.onMoved(next.connection)
    this.#flush()
  }

  #cutOff(problem: string): void {
    const channels = [...this.#channels]
    this.#events.onMisbehaviour(problem)
    this.#goDown()
    const error = new Error(problem)
    for (const { stream, connection } of channels) {
      stream.abort(error)
      connection.abort(error)
    }
  }

  #goDown(): void {
    if (this.#down) return
    this.#down = true
    this.#channels.length = 0
    this.#queue = new Uint8ArrayList()
    this.#events.onDown()
  }
}

function closeQuietly(stream: Stream): void {
  stream.close({ signal: AbortSignal.timeout(flushTimeout) }).catch((error: unknown) => {
    stream.abort(error instanceof Error ? error : new Error(reasonOf(error)))
  })
}
