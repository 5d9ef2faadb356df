import type { Stream } from '@libp2p/interface'
import type { Pool } from '@jel/jel'
import { FrameStream, inBackground, pause, SendQueue, type Timer } from '@jel/overlay'
import type { MemberId, Milliseconds } from '../core/io.ts'
import type { Message } from '../core/messages.ts'
import { partsOf } from './message-parts.ts'
import type { PeerBudget } from './peer-budget.ts'
import { decodeMessage, encodeMessage, MAX_MESSAGE_BYTES } from './wire.ts'

const PROTOCOL = '/jel-compute/1.0.0'
/**
 * A member closes an unused stream after this time, ms. A guess. Otherwise an idle grid would keep
 * streams open.
 */
const IDLE_CLOSE = 60_000
/** Wait before the next dial of an unreachable member, ms. A guess. */
const REDIAL: Milliseconds = 1000
/**
 * Maximum number of streams that this member reads from one peer. An honest peer has one stream,
 * and for a moment also its previous stream.
 */
const MAX_STREAMS = 2
/**
 * Maximum number of elements of a message that this member handles without a pause. This many
 * signatures take 0.1 s (measured: 0.2 ms each).
 */
const MAX_AT_ONCE = 512
/**
 * Maximum bytes that wait for a stream to open. A guess: as many as may wait for a slow reader of a
 * stream.
 */
const MAX_WAITING = 16 * 1024 * 1024

interface Peer {
  readonly queue: SendQueue
  frames: FrameStream | undefined
  usedAt: Milliseconds
}

export interface PeerStreamsEvents {
  onMessage(from: MemberId, message: Message): void
  /** The last messages to this member may be lost. */
  onUnreached(to: MemberId): void
  /** The member sent bytes that are not a valid message. */
  onNonsense(from: MemberId, reason: string): void
}

/**
 * Keeps one stream to each member with which this member communicates. Opens streams on demand.
 * Drops messages that it can't send: the scheduler repeats its requests.
 */
export class PeerStreams {
  readonly #pool: Pool
  readonly #events: PeerStreamsEvents
  readonly #outgoing = new Map<MemberId, Peer>()
  /** The streams of each peer, the oldest first. */
  readonly #incoming = new Map<MemberId, FrameStream[]>()
  readonly #budget: PeerBudget
  /** Total bytes sent. */
  #sent = 0
  readonly #notBefore = new Map<MemberId, Milliseconds>()
  readonly #sweep: Timer

  constructor(pool: Pool, budget: PeerBudget, events: PeerStreamsEvents) {
    this.#pool = pool
    this.#budget = budget
    this.#events = events
    this.#sweep = inBackground(setInterval(() => this.#closeUnused(), IDLE_CLOSE / 2))
  }

  async start(): Promise<void> {
    await this.#pool.handle(PROTOCOL, (stream, from) => this.#accept(stream, from))
  }

  send(to: MemberId, message: Message): void {
    const peer = this.#outgoing.get(to) ?? this.#open(to)
    if (peer === undefined) {
      queueMicrotask(() => this.#events.onUnreached(to))
      return
    }
    peer.usedAt = performance.now()
    for (const data of encodeMessage(message)) {
      this.#sent += data.length
      if (peer.frames === undefined) peer.queue.push(data)
      else peer.frames.send(data)
    }
    if (peer.frames === undefined && peer.queue.bytes > MAX_WAITING) this.#lost(to, peer)
  }

  /** Handles the departure of a member. */
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
    for (const frames of [...this.#incoming.values()].flat()) frames.abort(new Error('the grid is closed'))
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
    const closed = new AbortController()
    stream.addEventListener('close', () => closed.abort(), { once: true })
    const stage = (received: AsyncIterable<Uint8Array>): AsyncGenerator<never> => this.#takeAll(from, received, () => frames, closed.signal)
    const frames: FrameStream = new FrameStream(
      stream,
      { maxFrameBytes: MAX_MESSAGE_BYTES, queue: new SendQueue(), stage },
      {
        onFrame: () => {},
        onEnd: (problem) => {
          if (problem !== undefined) this.#refuse(from, frames, new Error(problem))
          this.#ended(from, frames)
        },
      },
    )
    const streams = [...(this.#incoming.get(from) ?? []), frames]
    if (streams.length > MAX_STREAMS) streams.shift()?.abort(new Error('there are newer streams'))
    this.#incoming.set(from, streams)
  }

  #ended(from: MemberId, frames: FrameStream): void {
    const left = (this.#incoming.get(from) ?? []).filter((each) => each !== frames)
    if (left.length > 0) this.#incoming.set(from, left)
    else this.#incoming.delete(from)
  }

  /**
   * Handles the messages of a stream as fast as the budget of its peer allows. As the last stage of
   * a pipeline, it yields nothing.
   */
  // oxlint-disable-next-line require-yield
  async *#takeAll(
    from: MemberId,
    received: AsyncIterable<Uint8Array>,
    frames: () => FrameStream,
    closed: AbortSignal,
  ): AsyncGenerator<never> {
    // A new stream waits, too. Otherwise its first message would cost the peer nothing.
    await this.#turn(from, closed)
    for await (const data of received) {
      const parts = this.#charged(from, data.length, () => this.#decode(from, data, frames()))
      for (const part of parts) {
        this.#charged(from, 0, () => this.#events.onMessage(from, part))
        await this.#turn(from, closed)
        // Pauses between parts, so that a long message does not delay other work of this member.
        if (parts.length > 1) await pause(0)
      }
    }
  }

  /**
   * Resolves once the budget of the peer allows more. Rejects if the stream closes before that:
   * otherwise each closed stream would keep a message in memory.
   */
  async #turn(from: MemberId, closed: AbortSignal): Promise<void> {
    const wait = this.#budget.wait(from, performance.now())
    if (wait > 0) await pause(wait, { background: true, signal: closed })
  }

  /**
   * Charges the peer for the time of an action, and for the bytes that this member sent meanwhile
   * in reply.
   */
  #charged<Result>(from: MemberId, bytes: number, action: () => Result): Result {
    const [began, sent] = [performance.now(), this.#sent]
    try {
      return action()
    } finally {
      const now = performance.now()
      this.#budget.charge(from, now - began, bytes + this.#sent - sent, now)
    }
  }

  #decode(from: MemberId, data: Uint8Array, frames: FrameStream): Message[] {
    try {
      return partsOf(decodeMessage(data), MAX_AT_ONCE)
    } catch (error) {
      this.#refuse(from, frames, error)
      return []
    }
  }

  #refuse(from: MemberId, frames: FrameStream, error: unknown): void {
    frames.abort(error)
    this.#events.onNonsense(from, error instanceof Error ? error.message : String(error))
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
