import type { Milliseconds } from './io.ts'

/** Times and bounds of the scheduler. */
export interface SchedulerConfig {
  /** How often a member with news tells the replicas what it completed. Simulated: with 1 s, 0.3 % of the work is done twice after a mass crash. */
  readonly reportEvery: Milliseconds
  /** How often a waiter asks a holder whether it still has a task. A guess: it mends lost messages, which streams seldom lose. */
  readonly checkEvery: Milliseconds
  /** After a death, the time in which others find it out, besides four round trips for what they tell replicas then, before anything is done again. Measured: `died` comes 70 to 190 ms after a SIGKILL. */
  readonly settleAfterDeath: Milliseconds
  /** A member that is back after a partition begins nothing until no other one came for so long. A guess: the news of a join takes 0.1 to 0.3 s. */
  readonly reunionQuiet: Milliseconds
  /** A member without work for so long asks a replica for what takes too long. A guess. */
  readonly eagerAfter: Milliseconds
  /** A task is too slow when nothing of it was covered for so many times as long as a task runs in the mean. */
  readonly eagerFactor: number
  /** The same for a task of which others hold parts: it is slow only if one of these got lost. A guess. */
  readonly eagerInnerFactor: number
  /** A thief that found nothing waits so long, doubling from the least to the most. */
  readonly backoffLeast: Milliseconds
  readonly backoffMost: Milliseconds
  /** A request without an answer is given up. A guess: ten times the longest round trip on earth. */
  readonly requestTimeout: Milliseconds
  /** Victims of each kind, near and far. Half of the 16 members with open streams. */
  readonly victims: number
  /** A member this near is a local victim, whatever its location says. A guess: within a data centre. */
  readonly nearRoundTrip: Milliseconds
  /** How often improved shared values are told. Simulated: 6 % more nodes of a search than with a bound known at once. */
  readonly sharedEvery: Milliseconds
  /** Replicas of a job, and in a pool below ten members. */
  readonly replicas: number
  readonly replicasOfFew: number
  /** Tasks shorter than this are sent to a worker one ahead, so that it never waits for the scheduler. A guess: a hundred times that wait. */
  readonly prefetchBelow: Milliseconds
  /** A job's coverage. */
  readonly coverageBytes: number
  readonly openChildren: number
  /** Bytes of the inputs of children that wait for an outcome, of all frames of a job at one member. A guess: as of its coverage. */
  readonly openBytes: number
}

export const defaultSchedulerConfig: SchedulerConfig = {
  reportEvery: 1000,
  checkEvery: 2000,
  settleAfterDeath: 250,
  reunionQuiet: 1000,
  eagerAfter: 2000,
  eagerFactor: 3,
  eagerInnerFactor: 30,
  backoffLeast: 5,
  backoffMost: 500,
  requestTimeout: 3000,
  victims: 8,
  nearRoundTrip: 5,
  sharedEvery: 50,
  replicas: 5,
  replicasOfFew: 3,
  prefetchBelow: 25,
  coverageBytes: 64 * 2 ** 20,
  openChildren: 65_536,
  openBytes: 64 * 2 ** 20,
}

/** How many times the longest of its kind a task may take. A guess. */
const LONGEST_FACTOR = 1.5
/** Where none has ended nobody knows how long they take, ms. A guess. */
const UNKNOWN = 60_000

/** What is known of tasks of one kind, those of one function. */
export interface Kind {
  /** The mean; undefined: none has ended. */
  readonly mean: Milliseconds | undefined
  /** The longest that other members than its holders had; 0: they had none. One that they took as long for is no straggler, its holder may be one. */
  readonly longest: Milliseconds
}

/** How long nothing of a task must have been covered for it to be too slow. `isParent`: others hold parts of it, which are judged by themselves. */
export function overdueAfter(
  { eagerAfter, eagerFactor, eagerInnerFactor }: SchedulerConfig,
  { mean, longest }: Kind,
  isParent: boolean,
): Milliseconds {
  if (mean === undefined) return UNKNOWN
  // A member may say what it likes: its word is good for as much as a parent is given.
  const leaf = Math.max(eagerAfter, eagerFactor * mean, Math.min(LONGEST_FACTOR * longest, eagerInnerFactor * mean))
  return leaf * (isParent ? eagerInnerFactor / eagerFactor : 1)
}
