import type { Milliseconds } from './io.ts'

/** A member stops with a job after so many containers in a row that came to nothing. A guess: one may be bad luck. */
const MOST_FAILURES = 3
/** For how long it stops, doubling up to the most, ms: what a machine lacks, as processes or memory, it may have again. Guesses. */
const LEAST_PAUSE = 60_000
const MOST_PAUSE = 3_600_000

/** Whether this machine can run the program of one job: a container that doesn't start, or dies before anything came of it, speaks against it. */
export class Fitness {
  /** Until then this member takes no task of the job. */
  stoppedUntil: Milliseconds = 0
  #failures = 0
  #pause = LEAST_PAUSE

  /** A task gave an outcome here. */
  succeeded(): void {
    this.#failures = 0
    this.#pause = LEAST_PAUSE
  }

  /** A container came to nothing. Gives for how long this member stops; undefined: it goes on. */
  failed(now: Milliseconds): Milliseconds | undefined {
    if (++this.#failures < MOST_FAILURES || now < this.stoppedUntil) return undefined
    // The next one in vain stops it again.
    this.#failures = MOST_FAILURES - 1
    const pause = this.#pause
    this.stoppedUntil = now + pause
    this.#pause = Math.min(MOST_PAUSE, pause * 2)
    return pause
  }
}
