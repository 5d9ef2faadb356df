import type { MemberId, Message } from '@jel/compute/internals'
import type { Address, Milliseconds } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import { JobMessage, StreamWord } from './job-message.ts'

/**
 * A member dials an unreachable member again after this time, ms. `PeerStreams` has the same value.
 */
const REDIAL: Milliseconds = 1000

/**
 * Bytes that may wait for one stream, as in `PeerStreams`. If more bytes wait, the stream breaks
 * and loses all of them.
 */
const MAX_WAITING = 16 * 2 ** 20

interface Outgoing {
  isOpen: boolean
  readonly waiting: JobMessage[]
}

/**
 * A member's streams to other members. On real hosts `PeerStreams` keeps them. The first message to
 * a member opens a stream. The stream uses a connection that either end dialled. Undeliverable
 * messages get lost.
 */
export class MemberStreams {
  readonly #node: SimulatedNode
  readonly #onUnreached: (id: MemberId) => void
  readonly #addresses = new Map<MemberId, readonly Address[]>()
  readonly #outgoing = new Map<MemberId, Outgoing>()
  readonly #connected = new Set<MemberId>()
  readonly #notBefore = new Map<MemberId, Milliseconds>()

  constructor(node: SimulatedNode, onUnreached: (id: MemberId) => void) {
    this.#node = node
    this.#onUnreached = onUnreached
  }

  /** Stores the addresses of a member. */
  found(id: MemberId, addresses: readonly Address[]): void {
    this.#addresses.set(id, addresses)
  }

  send(to: MemberId, message: JobMessage): void {
    const stream = this.#outgoing.get(to) ?? this.#open(to)
    if (stream === undefined) this.#onUnreached(to)
    else if (stream.isOpen) {
      if ((this.#node.sendApplication(to, message) ?? 0) > MAX_WAITING) {
        this.#node.hangUp(to)
        this.#connected.delete(to)
        this.#break(to)
      }
    } else stream.waiting.push(message)
  }

  /** Forgets a dead member and the messages to it. */
  forget(id: MemberId): void {
    this.#addresses.delete(id)
    this.#notBefore.delete(id)
    this.#outgoing.delete(id)
    this.#connected.delete(id)
    this.#node.hangUp(id)
  }

  connected(peer: MemberId): void {
    this.#connected.add(peer)
    // Either end may have dialled. A stream that waits for the connection is open now.
    if (this.#outgoing.has(peer)) this.#opened(peer)
  }

  disconnected(peer: MemberId): void {
    this.#connected.delete(peer)
    this.#lost(peer)
  }

  /**
   * Returns the message for the scheduler. Returns undefined for a message of the streams
   * themselves.
   */
  take(from: MemberId, data: Payload): Message | undefined {
    if (data instanceof JobMessage) return data.message
    if (data instanceof StreamWord) {
      if (data.word === 'opened') this.#opened(from)
      else this.#node.sendApplication(from, new StreamWord('opened'))
    }
    return undefined
  }

  #open(to: MemberId): Outgoing | undefined {
    const addresses = this.#addresses.get(to)
    if (addresses === undefined || (this.#notBefore.get(to) ?? 0) > this.#node.now) return undefined
    const stream: Outgoing = { isOpen: false, waiting: [] }
    this.#outgoing.set(to, stream)
    if (this.#connected.has(to)) this.#node.sendApplication(to, new StreamWord('open'))
    else {
      this.#node.dialApplication(to, addresses, () => {
        if (this.#outgoing.get(to) !== stream || stream.isOpen) return
        this.#break(to)
      })
    }
    return stream
  }

  #opened(peer: MemberId): void {
    const stream = this.#outgoing.get(peer)
    if (stream === undefined || stream.isOpen) return
    stream.isOpen = true
    for (const message of stream.waiting.splice(0)) this.#node.sendApplication(peer, message)
  }

  #break(to: MemberId): void {
    this.#notBefore.set(to, this.#node.now + REDIAL)
    this.#lost(to)
  }

  #lost(peer: MemberId): void {
    if (this.#outgoing.delete(peer)) this.#onUnreached(peer)
  }
}
