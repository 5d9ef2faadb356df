/**
 * A time-out for an answer of another process. It counts the turns of this process instead of the
 * wall clock.
 *
 * If a node gives a handshake up, both ends have computed in vain, and the node begins it again. If
 * many processes share few cores, each has few turns. With a time-out by the wall clock such a
 * process gives up before it has had its turn. Then the work grows, and nothing gets finished.
 * Measured (packages/lab, 40 nodes that share two cores with much else): 713 lives were declared
 * over with 5 s of the wall clock, and none with 15 s. So this time-out waits in steps, and a late
 * step counts as one step.
 */

import type { Timer } from './timers.ts'

/**
 * Number of steps in a wait. Guess: an idle process can afford four wake-ups a second while it
 * waits for another process.
 */
const steps = 20

/**
 * The longest wait by the wall clock, as a multiple of the span. Guess: a dial of 5 s then ends
 * within the 15 s that a silent process gets.
 */
export const longestStretch = 3

export class TurnTimeout {
  readonly #controller = new AbortController()
  readonly #step: number
  readonly #latest: number
  #left = steps
  #timer: Timer | undefined

  /** `span`: the time of all steps, ms. {@link begin} starts it. */
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

  /** Begins to wait, unless the wait has begun. */
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
