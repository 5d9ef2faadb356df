import type { Milliseconds } from './io.ts'

/**
 * A member stops with a job after this many failed containers in a row. A guess: one failure may be
 * bad luck.
 */
const MOST_FAILURES = 3
/**
 * Duration of the first stop, and maximum duration, ms. Each stop takes twice as long as the last.
 * Meanwhile the machine may get back the resources that it lacks, such as processes or memory.
 * Guesses.
 */
const LEAST_PAUSE = 60_000
const MOST_PAUSE = 3_600_000

/**
 * Tracks whether this machine can run the program of one job. A failure is a container that doesn't
 * start, or that dies before any task of the job gave an outcome here.
 */
export class Fitness {
  /** Until this time this member takes no task of the job. */
  stoppedUntil: Milliseconds = 0
  #failures = 0
  #pause = LEAST_PAUSE

  /** A task gave an outcome here. */
  succeeded(): void {
    this.#failures = 0
    this.#pause = LEAST_PAUSE
  }

  /** A container failed. Returns how long this member stops; undefined: it goes on. */
  failed(now: Milliseconds): Milliseconds | undefined {
    if (++this.#failures < MOST_FAILURES || now < this.stoppedUntil) return undefined
    // After the pause one more failure stops this member again.
    this.#failures = MOST_FAILURES - 1
    const pause = this.#pause
    this.stoppedUntil = now + pause
    this.#pause = Math.min(MOST_PAUSE, pause * 2)
    return pause
  }
}
