/**
 * A rate limiter: a token bucket in real time. It gets tokens at a rate per second, and holds at
 * most the tokens of ten seconds.
 */

/** The bucket holds the tokens of this many seconds. Guess. */
const burst = 10

export class TokenBucket {
  readonly #rate: number
  #left: number
  #at = performance.now()

  constructor(perSecond: number) {
    this.#rate = perSecond
    this.#left = perSecond * burst
  }

  /** Takes one token. Returns false if none is left. */
  spend(): boolean {
    const now = performance.now()
    this.#left = Math.min(this.#rate * burst, this.#left + ((now - this.#at) / 1_000) * this.#rate)
    this.#at = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
