/**
 * Detects that something happens often: more than a number of times within a span.
 */
import type { Milliseconds } from './values.ts'

export class Recent {
  readonly #limit: number
  readonly #span: Milliseconds
  /** Ring buffer of the latest times, at most one more than the limit. */
  readonly #times: Milliseconds[] = []
  #next = 0

  /** `isOften` is true after more than `limit` times within `span`, ms. */
  constructor(limit: number, span: Milliseconds) {
    this.#limit = limit
    this.#span = span
  }

  note(now: Milliseconds): void {
    this.#times[this.#next] = now
    this.#next = (this.#next + 1) % (this.#limit + 1)
  }

  isOften(now: Milliseconds): boolean {
    // The next slot to overwrite holds the oldest time.
    const oldest = this.#times[this.#next]
    return oldest !== undefined && now - oldest < this.#span
  }
}
