import { inBackground } from '@jel/overlay'
import { LeaseEndedError } from '../errors.ts'
import { Bucket } from './bucket.ts'
import type { Counts } from './adapt.ts'

/** The rate may change, so `pace` looks again after this time, ms. A guess. */
const LOOK_AGAIN = 50

/**
 * Enforces a lease at the member that granted it: a token bucket with the present amount of the
 * lease, as bytes a second. All uses of one lease share the bucket. `Allocator.limit` returns a
 * Limit.
 */
export class Limit {
  readonly #rate: () => number | undefined
  readonly #clock: { now(): number }
  readonly #bucket = new Bucket()
  #conforming = 0
  #exceeding = 0

  /** @internal @param rate undefined: the lease has ended */
  constructor(rate: () => number | undefined, clock: { now(): number } = performance) {
    this.#rate = rate
    this.#clock = clock
  }

  /** The numbers of bytes until now. */
  get counts(): Counts {
    return { conforming: this.#conforming, exceeding: this.#exceeding }
  }

  /**
   * Passes chunks on at the leased rate. It reads no faster, so a stream slows its sender down.
   *
   * @throws LeaseEndedError once the lease has ended
   */
  async *pace<Chunk extends { readonly byteLength: number }>(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
    for await (const chunk of chunks) {
      let wait = this.#take(chunk.byteLength)
      this.#count(chunk.byteLength, wait === 0)
      for (; wait > 0; wait = this.#take(chunk.byteLength))
        await new Promise<void>((resolve) => inBackground(setTimeout(resolve, Math.min(wait, LOOK_AGAIN))))
      yield chunk
    }
  }

  /**
   * Whether the leased rate has room for this number of bytes now. If not, the caller drops them.
   *
   * @throws LeaseEndedError once the lease has ended
   */
  admits(bytes: number): boolean {
    const isAdmitted = this.#take(bytes) === 0
    this.#count(bytes, isAdmitted)
    return isAdmitted
  }

  #take(bytes: number): number {
    const rate = this.#rate()
    if (rate === undefined) throw new LeaseEndedError('the lease of this limit has ended')
    return this.#bucket.take(bytes, rate, this.#clock.now())
  }

  #count(bytes: number, isConforming: boolean): void {
    if (isConforming) this.#conforming += bytes
    else this.#exceeding += bytes
  }
}
