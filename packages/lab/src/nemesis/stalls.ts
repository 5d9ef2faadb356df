/**
 * Times for which this process got no processor. A machine that is too busy makes all other times
 * longer, and says nothing about the ledger.
 */

/** Interval between two looks at the clock, ms. */
const EVERY = 50

/** Shorter times are usual and do not count in `total`, ms. A guess. */
const COUNTED = 200

export class Stalls {
  /** The longest one, ms. */
  longest = 0
  /** All of them, ms. */
  total = 0
  #last = performance.now()
  readonly #timer = setInterval(() => {
    const now = performance.now()
    const late = now - this.#last - EVERY
    this.longest = Math.max(this.longest, late)
    if (late > COUNTED) this.total += late
    this.#last = now
  }, EVERY)

  stop(): void {
    clearInterval(this.#timer)
  }
}
