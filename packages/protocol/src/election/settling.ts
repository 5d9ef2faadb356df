import type { Milliseconds } from '../base/values.ts'

/**
 * Wait after the last new candidacy before the lowest candidate claims, ms. Guess: two gossip hops
 * over a wide area.
 */
export const settle = 400
/**
 * Wait after the end of a reign before the lowest candidate claims, ms. The nodes know the
 * candidates already. Target: a new reign 0.5 s after the detection.
 */
export const resettle = 200
/** Longest total wait, so that late candidates can't delay a claim for ever, ms. Guess. */
const settleMax = 1_600

/** The wait for candidates before the lowest of them claims. */
export class Settling {
  /** End of the wait. */
  endsAt: Milliseconds = 0
  /** Start of the present wait. */
  #since: Milliseconds | undefined

  /** Starts the wait, or extends it to this time from now. */
  extend(span: Milliseconds, now: Milliseconds): void {
    this.#since ??= now
    this.endsAt = Math.min(now + span, this.#since + settleMax)
  }

  /** Ends the wait, so that the next one has its full length. */
  finish(): void {
    this.#since = undefined
  }
}
