/**
 * A time-out in own time: how long to wait for another process, in turns of this one.
 *
 * A handshake that is given up has cost both ends its computation, and is begun again. Where many
 * processes share few cores, a process that waits by the wall clock gives up for want of its own
 * turns, so that work grows and nothing gets finished. Measured (packages/lab, 40 nodes that share
 * two cores with much else): 713 lives were declared over with 5 s of the wall clock, none with 15
 * s. So only the time counts in which this process had its turns: it looks at its clock in steps,
 * and a late step counts as the step alone.
 */

/**
 * Steps of a wait. Guess: an idle process can afford four wake-ups a second while it waits for
 * another.
 */
const steps = 20

/**
 * The longest wait by the wall clock, as a multiple of the span. Guess: below the 15 s that a
 * silent process gets, with a dial of 5.
 */
export const longestStretch = 3

export class OwnTimeout {
  readonly #controller = new AbortController()
  readonly #step: number
  readonly #latest: number
  #left = steps
  #timer: NodeJS.Timeout | undefined

  /** `span`: own time, ms. {@link begin} starts it. */
  constructor(span: number) {
    this.#step = span / steps
    this.#latest = span * longestStretch
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.signal.aborted
  }

  /** Begins to wait, unless it has begun. */
  begin(): this {
    if (this.#timer === undefined) this.#wait(performance.now())
    return this
  }

  /** Stops waiting. */
  end(): void {
    clearTimeout(this.#timer)
  }

  #wait(began: number): void {
    this.#timer = setTimeout(() => {
      this.#left -= 1
      if (this.#left === 0 || performance.now() - began >= this.#latest) this.#controller.abort()
      else this.#wait(began)
    }, this.#step)
  }
}
