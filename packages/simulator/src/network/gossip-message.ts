import type { Milliseconds } from '@jel/protocol'
import type { Payload } from './payload.ts'

/** One content on the topic, whoever published it: equal bytes are one message, and each node takes it in once. */
export class GossipMessage {
  readonly data: Payload
  readonly expires: Milliseconds
  /** One bit a node, by its number. */
  #seen = new Uint32Array(8)

  constructor(data: Payload, expires: Milliseconds) {
    this.data = data
    this.expires = expires
  }

  /** True the first time. */
  firstSeenBy(node: number): boolean {
    const word = node >>> 5
    if (word >= this.#seen.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#seen.length * 2))
      larger.set(this.#seen)
      this.#seen = larger
    }
    const bit = 1 << (node & 31)
    const before = this.#seen[word] as number
    this.#seen[word] = before | bit
    return (before & bit) === 0
  }

  seenBy(node: number): boolean {
    return ((this.#seen[node >>> 5] ?? 0) & (1 << (node & 31))) !== 0
  }
}
