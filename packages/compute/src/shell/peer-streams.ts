import type { Stream } from '@libp2p/interface'
import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import type { MemberId, Message, Milliseconds } from '../core/io.ts'
import { decodeMessage, encodeMessage, MAX_MESSAGE_BYTES } from './wire.ts'

const PROTOCOL = '/jel-compute/1.0.0'
/** A stream that nobody uses is closed after so long, ms. A guess: an idle grid keeps nothing open. */
const IDLE_CLOSE = 60_000
/** A member that could not be reached is not dialled again for so long, ms. A guess. */
const REDIAL: Milliseconds = 1000

interface Peer {
  readonly queue: SendQueue
  frames: FrameStream | undefined
  usedAt: Milliseconds
}

export interface PeerStreamsEvents {
  onMessage(from: MemberId, message: Message): void
  /** What was said to it last may be lost. */
  onUnreached(to: MemberId): void
  /** It sent what is no message. */
  onNonsense(from: MemberId, reason: string): void
}

/** One stream to each member that this one talks to, opened when there is something to say. What can't be said is lost: the scheduler asks again. */
export class PeerStreams {
  readonly #pool: Pool
  readonly #events: PeerStreamsEvents
  readonly #outgoing = new Map<MemberId, Peer>()
  readonly #incoming = new Set<FrameStream>()
  readonly #notBefore = new Map<MemberId, Milliseconds>()
  readonly #sweep: NodeJS.Timeout

  constructor(pool: Pool, events: PeerStreamsEvents) {
    this.#pool = pool
    this.#events = events
    this.#sweep = setInterval(() => this.#closeUnused(), IDLE_CLOSE / 2)
    this.#sweep.unref()
  }

  async start(): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream, from) => this.#accept(stream, from))
  }

  send(to: MemberId, message: Message): void {
    const data = encodeMessage(message)
    if (data.length > MAX_MESSAGE_BYTES) throw new RangeError(`a message of ${data.length} bytes`)
    const peer = this.#outgoing.get(to) ?? this.#open(to)
    if (peer === undefined) {
      queueMicrotask(() => this.#events.onUnreached(to))
      return
    }
    peer.usedAt = performance.now()
    if (peer.frames === undefined) peer.queue.push(data)
    else peer.frames.send(data)
  }

  /** A member is gone. */
  forget(id: MemberId): void {
    this.#notBefore.delete(id)
    const peer = this.#outgoing.get(id)
    this.#outgoing.delete(id)
    peer?.frames?.abort(new Error('the member is gone'))
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await this.#pool.unhandle(PROTOCOL).catch(() => {})
    await Promise.all([...this.#outgoing.values()].flatMap(({ frames }) => (frames === undefined ? [] : [frames.close()])))
    for (const frames of this.#incoming) frames.abort(new Error('the grid is closed'))
  }

  #open(to: MemberId): Peer | undefined {
    if ((this.#notBefore.get(to) ?? 0) > performance.now()) return undefined
    const peer: Peer = { queue: new SendQueue(), frames: undefined, usedAt: performance.now() }
    this.#outgoing.set(to, peer)
    this.#pool.open(to, PROTOCOL).then(
      (stream) => {
        if (this.#outgoing.get(to) !== peer) {
          stream.abort(new Error('the member is gone'))
          return
        }
        const onEnd = (): void => this.#lost(to, peer)
        peer.frames = new FrameStream(stream, { maxFrameBytes: 1, queue: peer.queue }, { onFrame: () => {}, onEnd })
      },
      () => {
        this.#notBefore.set(to, performance.now() + REDIAL)
        this.#lost(to, peer)
      },
    )
    return peer
  }

  #lost(to: MemberId, peer: Peer): void {
    peer.queue.end()
    if (this.#outgoing.get(to) !== peer) return
    this.#outgoing.delete(to)
    this.#events.onUnreached(to)
  }

  #accept(stream: Stream, from: MemberId): void {
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_MESSAGE_BYTES, queue: new SendQueue() },
      {
        onFrame: (data) => this.#take(from, data, frames),
        onEnd: () => void this.#incoming.delete(frames),
      },
    )
    this.#incoming.add(frames)
  }

  #take(from: MemberId, data: Uint8Array, frames: FrameStream): void {
    let message: Message
    try {
      message = decodeMessage(data)
    } catch (error) {
      frames.abort(error)
      this.#events.onNonsense(from, error instanceof Error ? error.message : String(error))
      return
    }
    this.#events.onMessage(from, message)
  }

  #closeUnused(): void {
    const now = performance.now()
    for (const [id, peer] of this.#outgoing) {
      if (peer.frames === undefined || now - peer.usedAt < IDLE_CLOSE) continue
      this.#outgoing.delete(id)
      void peer.frames.close()
    }
  }
}
