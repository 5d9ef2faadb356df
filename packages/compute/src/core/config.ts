import type { Milliseconds } from './io.ts'

/** Times and bounds of the scheduler. */
export interface SchedulerConfig {
  /**
   * Interval at which a member with news reports to the replicas what it completed. Simulated: with
   * 1 s, 0.3 % of the work is done twice after a mass crash.
   */
  readonly reportEvery: Milliseconds
  /**
   * Interval at which a waiter asks a holder whether it still has a task. A guess: this repairs
   * lost messages, and streams seldom lose any.
   */
  readonly checkEvery: Milliseconds
  /**
   * Delay between a death and the first repeated work. In this time others detect the death; four
   * round trips are added for their reports to replicas. Measured: `died` comes 70 to 190 ms after
   * a SIGKILL.
   */
  readonly settleAfterDeath: Milliseconds
  /**
   * A member that is back after a partition begins nothing until no other member has come back for
   * this long. A guess: the news of a join takes 0.1 to 0.3 s.
   */
  readonly mergeQuiet: Milliseconds
  /** A member without work for this long asks a replica for an overdue task. A guess. */
  readonly eagerAfter: Milliseconds
  /** A task is overdue when no part of it was done for this multiple of the mean task time. */
  readonly eagerFactor: number
  /**
   * The same for a task of which others hold parts: it is slow only if one of these got lost. A
   * guess.
   */
  readonly eagerInnerFactor: number
  /** Backoff of a thief that found nothing, doubling from the least to the most. */
  readonly backoffLeast: Milliseconds
  readonly backoffMost: Milliseconds
  /**
   * Time after which a request without an answer is given up. A guess: ten times the longest round
   * trip on earth.
   */
  readonly requestTimeout: Milliseconds
  /** Number of victims of each kind, near and far. Half of the 16 members with open streams. */
  readonly victims: number
  /**
   * A member within this round trip is a local victim, regardless of its location. A guess: within
   * a data centre.
   */
  readonly nearRoundTrip: Milliseconds
  /**
   * Interval at which improved shared values are sent. Simulated: 6 % more nodes of a search than
   * with a bound known at once.
   */
  readonly sharedEvery: Milliseconds
  /** Replicas of a job, and the same in a pool below ten members. */
  readonly replicas: number
  readonly replicasOfFew: number
  /**
   * A worker gets one task ahead if tasks are shorter than this, so that it never waits for the
   * scheduler. A guess: a hundred times that wait.
   */
  readonly prefetchBelow: Milliseconds
  /** Most bytes of a job's result table. */
  readonly tableBytes: number
  readonly openChildren: number
  /**
   * Most bytes of the inputs of children that wait for an outcome, over all frames of a job at one
   * member. A guess: as of its result table.
   */
  readonly openBytes: number
}

export const defaultSchedulerConfig: SchedulerConfig = {
  reportEvery: 1000,
  checkEvery: 2000,
  settleAfterDeath: 250,
  mergeQuiet: 1000,
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
  tableBytes: 64 * 2 ** 20,
  openChildren: 65_536,
  openBytes: 64 * 2 ** 20,
}
