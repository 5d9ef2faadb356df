import type { Milliseconds } from '@jel/protocol'
import { Bits } from '../engine/bits.ts'
import type { Payload } from './payload.ts'

/**
 * One content on the topic, from any publisher. Equal bytes are one message. Each node accepts the
 * message once.
 */
export class GossipMessage {
  readonly data: Payload
  readonly expires: Milliseconds
  /** The numbers of the nodes that have seen the message. */
  readonly #seen = new Bits()
  /** The arrival time of the first copy, by the number of the node. */
  readonly #coming: Milliseconds[] = []

  constructor(data: Payload, expires: Milliseconds) {
    this.data = data
    this.expires = expires
  }

  /** Marks the message as seen by the node. Returns true the first time. */
  firstSeenBy(node: number): boolean {
    if (this.#seen.has(node)) return false
    this.#seen.add(node)
    return true
  }

  /**
   * Notes that a copy will reach this node at a time. Returns false if the node has seen the
   * message, or if another copy in flight arrives earlier.
   */
  isFirstTo(node: number, at: Milliseconds, now: Milliseconds): boolean {
    const coming = this.#coming[node] ?? Infinity
    // An overdue copy that the node has not seen was lost, or waits for the process to continue.
    if (this.seenBy(node) || (coming >= now && coming <= at)) return false
    this.#coming[node] = at
    return true
  }

  seenBy(node: number): boolean {
    return this.#seen.has(node)
  }
}
