import { NumberedBytes } from './numbered-bytes.ts'
import type { Contact } from './call.ts'

/** A node in ARRG's caches. All caches share one object for it. */
export interface Peer {
  readonly number: number
  readonly contact: Contact
  /** True for the bootstrap service, which takes part in peer sampling only. */
  readonly service: boolean
}

/** A bounded set of peers. A full cache drops random peers (§5.2). */
export class ArrgCache {
  readonly #size: number
  readonly #random: () => number
  readonly #peers: Peer[] = []
  /** By the peer's number: 1 for peers in the cache, 0 for others. */
  readonly #known = new NumberedBytes()

  constructor(size: number, random: () => number) {
    this.#size = size
    this.#random = random
  }

  add(peer: Peer): void {
    if (this.#known.get(peer.number) === 1) return
    this.#known.set(peer.number, 1)
    this.#peers.push(peer)
  }

  addAll(peers: readonly Peer[]): void {
    for (const peer of peers) this.add(peer)
  }

  /**
   * Drops random peers until the cache is within its bound. Call it after each addition of peers.
   */
  trim(): void {
    while (this.#peers.length > this.#size) {
      const place = Math.floor(this.#random() * this.#peers.length)
      const last = this.#peers.pop() as Peer
      const gone = this.#peers[place] ?? last
      if (gone !== last) this.#peers[place] = last
      this.#known.set(gone.number, 0)
    }
  }

  one(): Peer | undefined {
    return this.#peers[Math.floor(this.#random() * this.#peers.length)]
  }

  some(count: number): Peer[] {
    const { length } = this.#peers
    const wanted = Math.min(count, length)
    // The first steps of a shuffle. They may change the order, because the order has no meaning.
    for (let i = 0; i < wanted; i++) {
      const drawn = i + Math.floor(this.#random() * (length - i))
      const peer = this.#peers[drawn] as Peer
      this.#peers[drawn] = this.#peers[i] as Peer
      this.#peers[i] = peer
    }
    return this.#peers.slice(0, wanted)
  }
}
