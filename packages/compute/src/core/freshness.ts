import type { Milliseconds } from './io.ts'

/**
 * A job counts as just submitted if this member learns of it within this time after its date, ms. A
 * guess: clocks differ by seconds.
 */
export const FRESH: Milliseconds = 10_000

/**
 * Whether no other member can have begun a job of which this member learns at `today`. A member
 * that joined after the submission learns of old jobs, too, and may be the first replica of one. So
 * does a member of one half of the pool when members of the other half return. `since`: when this
 * member joined, or members returned. All times are in ms since 1970.
 */
export function isFresh(submitted: number, today: number, since: number): boolean {
  return since <= submitted && Math.abs(today - submitted) < FRESH
}
