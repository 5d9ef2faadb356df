import type { Milliseconds } from './ids.ts'

/**
 * Upper bounds of the buckets of task times, ms. A guess: from tasks shorter than a message to
 * tasks of an hour.
 */
export const TIME_BOUNDS: readonly Milliseconds[] = [
  1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000, 3_600_000,
]

/** Counts the executions at this member, of all jobs together. Counts only grow. */
export class TaskCounts {
  /** Executions that ended here. */
  run = 0
  /** The part of `run` that failed, or ended the process of the program. */
  failed = 0
  /** Tasks that this member took from others, and tasks that it gave to others. */
  stolen = 0
  given = 0
  /**
   * Number of executions for each of {@link TIME_BOUNDS}. The last number is for longer executions.
   */
  readonly times: number[] = Array.from({ length: TIME_BOUNDS.length + 1 }, () => 0)
  /** Time that all executions kept workers busy. */
  ran: Milliseconds = 0

  /** An execution gave an outcome. `ran`: the time that it kept a worker busy. */
  ended(ran: Milliseconds, isFailure: boolean): void {
    this.run++
    if (isFailure) this.failed++
    this.ran += ran
    const bucket = TIME_BOUNDS.findIndex((bound) => ran <= bound)
    this.times[bucket === -1 ? TIME_BOUNDS.length : bucket]!++
  }

  /** An execution ended the process of its program. Its time is unknown. */
  crashed(): void {
    this.run++
    this.failed++
  }
}
