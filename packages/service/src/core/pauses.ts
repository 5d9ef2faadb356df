import type { Milliseconds } from '@jel/machine'

/** The pause before a call is repeated if no member could answer, ms. It doubles. Guesses. */
const [FIRST_PAUSE, LONGEST_PAUSE]: readonly [Milliseconds, Milliseconds] = [20, 500]

/** The pauses between the attempts of a call. They double. With a new primary they begin anew. */
export class Pauses {
  #former: string | undefined
  #next = FIRST_PAUSE

  /** @param primary the member that was asked. Undefined: there was no primary. */
  next(primary: string | undefined): Milliseconds {
    // The pauses without a primary must not delay the first attempts at a new one.
    if (primary !== undefined && primary !== this.#former) this.#next = FIRST_PAUSE
    this.#former = primary ?? this.#former
    const pause = this.#next
    this.#next = Math.min(2 * pause, LONGEST_PAUSE)
    return pause
  }
}
