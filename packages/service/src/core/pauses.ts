import type { Milliseconds } from '@jel/machine'

/** A call asks again after this time where no member could answer, ms. It doubles. A guess. */
const [FIRST_PAUSE, LONGEST_PAUSE]: readonly [Milliseconds, Milliseconds] = [20, 500]

/**
 * The pauses of a call between its questions. They double, and begin anew with each new primary.
 */
export class Pauses {
  #former: string | undefined
  #next = FIRST_PAUSE

  /** @param primary the member that was asked; undefined: there was none */
  next(primary: string | undefined): Milliseconds {
    // A new primary must not pay for the time without one.
    if (primary !== undefined && primary !== this.#former) this.#next = FIRST_PAUSE
    this.#former = primary ?? this.#former
    const pause = this.#next
    this.#next = Math.min(2 * pause, LONGEST_PAUSE)
    return pause
  }
}
