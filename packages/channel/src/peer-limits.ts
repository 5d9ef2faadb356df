/** Above this number of peers, the idle ones are forgotten. A guess. */
const MAX_PEERS = 1024

export interface PeerBounds {
  /** Maximum number of streams of all members together. Default: no limit. */
  readonly total?: number
  /** Maximum number of streams of one member. */
  readonly ofOne: number
  /** The shortest time between two messages of one member, ms. */
  readonly pause: number
}

/** A stream that counts against the bounds. */
export interface Admission {
  /**
   * A stage for the frames of the stream. It delays the frames of a member that sends too fast. The
   * stream is not read meanwhile.
   */
  readonly stage: (frames: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  /** Must be called once, at the end of the stream. */
  readonly end: () => void
}

/** Bounds the number of streams of each other member, and the pace of its messages. */
export class PeerLimits {
  readonly #bounds: PeerBounds
  readonly #peers = new Map<string, { open: number; notBefore: number }>()
  #open = 0

  constructor(bounds: PeerBounds) {
    this.#bounds = bounds
  }

  /** Admits a stream of this member. Returns undefined for a stream above the bounds. */
  admit(id: string): Admission | undefined {
    const { total = Infinity, ofOne, pause } = this.#bounds
    const peer = this.#peers.get(id) ?? { open: 0, notBefore: 0 }
    if (this.#open >= total || peer.open >= ofOne) return undefined
    this.#peers.set(id, peer)
    if (this.#peers.size > MAX_PEERS) this.#forget()
    this.#open++
    peer.open++
    return {
      async *stage(frames) {
        for await (const frame of frames) {
          const now = performance.now()
          const at = Math.max(now, peer.notBefore)
          peer.notBefore = at + pause
          if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
          yield frame
        }
      },
      end: () => {
        this.#open--
        peer.open--
      },
    }
  }

  /** Forgets the peers that have no stream and need not wait. */
  #forget(): void {
    const now = performance.now()
    for (const [id, { open, notBefore }] of this.#peers) if (open === 0 && notBefore < now) this.#peers.delete(id)
  }
}
