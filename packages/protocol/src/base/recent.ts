/**
 * Recent: whether something happens often, more than so many times within a span.
 */
import type { Milliseconds } from './io.ts'

export class Recent {
  readonly #limit: number
  readonly #span: Milliseconds
  /** The latest times, at most one more than the limit, in a circle. */
  readonly #times: Milliseconds[] = []
  #next = 0

  /** `limit`: so many within `span` are not often yet. */
  constructor(limit: number, span: Milliseconds) {
    this.#limit = limit
    this.#span = span
  }

  /** It happened once more. */
  note(now: Milliseconds): void {
    this.#times[this.#next] = now
    this.#next = (this.#next + 1) % (this.#limit + 1)
  }

  isOften(now: Milliseconds): boolean {
    // The next to be overwritten is the oldest.
    const oldest = this.#times[this.#next]
    return oldest !== undefined && now - oldest < this.#span
  }
}
