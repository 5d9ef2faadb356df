import type { MemberId } from '../core/io.ts'
import { MAX_PART_BYTES } from './blob-list.ts'

/** Maximum bytes of blobs in memory that are on their way from or to all peers. A guess. */
const MAX_ON_THE_WAY = 4 * MAX_PART_BYTES

/** Bounds the bytes of blobs in memory that are on their way. */
export class TransferRoom {
  readonly #taken = new Map<MemberId, number>()
  #all = 0

  /**
   * Takes room for further bytes of a peer. Returns false if there is none. At least as many bytes
   * stay free as this peer takes in all. So a peer that never ends a transfer leaves room for
   * others.
   */
  take(peer: MemberId, bytes: number): boolean {
    const own = (this.#taken.get(peer) ?? 0) + bytes
    if (own > MAX_ON_THE_WAY - (this.#all + bytes)) return false
    this.#taken.set(peer, own)
    this.#all += bytes
    return true
  }

  free(peer: MemberId, bytes: number): void {
    const own = (this.#taken.get(peer) ?? 0) - bytes
    if (own > 0) this.#taken.set(peer, own)
    else this.#taken.delete(peer)
    this.#all -= bytes
  }
}
