import type { Milliseconds } from './io.ts'

/** Times and bounds of the scheduler. */
export interface SchedulerConfig {
  /**
   * A member with news (see `News`) reports its completed tasks to the replicas at this interval.
   * Simulated: with 1 s, members do 0.3 % of the work twice after a mass crash.
   */
  readonly reportEvery: Milliseconds
  /**
   * A member that waits for a task asks the holder at this interval whether it still has the task.
   * A guess: the question only makes up for lost messages, and streams seldom lose any.
   */
  readonly checkEvery: Milliseconds
  /**
   * Delay between a death and the first repeated work. Meanwhile others detect the death. The
   * scheduler adds four round trips for their reports to replicas. Measured: `died` comes 70 to 190
   * ms after a SIGKILL.
   */
  readonly settleAfterDeath: Milliseconds
  /**
   * A member that is back after a partition begins no task until no other member has come back for
   * this long. A guess: the news of a join takes 0.1 to 0.3 s.
   */
  readonly mergeQuiet: Milliseconds
  /** A member without work for this long asks a replica for an overdue task. A guess. */
  readonly eagerAfter: Milliseconds
  /** A task is overdue if it made no progress for this multiple of the mean task time. A guess. */
  readonly eagerFactor: number
  /**
   * The same multiple for a task of which others hold parts. Such a task is overdue only if a part
   * got lost. A guess.
   */
  readonly eagerInnerFactor: number
  /**
   * A thief that found nothing waits this long. The wait doubles from the minimum to the maximum.
   * Guesses.
   */
  readonly backoffLeast: Milliseconds
  readonly backoffMost: Milliseconds
  /**
   * A member gives up a request that has no answer after this time. A guess: ten times the longest
   * round trip on earth.
   */
  readonly requestTimeout: Milliseconds
  /**
   * Number of near victims, and also of far victims. Together they are 16 members with open
   * streams. A guess.
   */
  readonly victims: number
  /**
   * A member with at most this round trip counts as near, whatever its location. A guess: the round
   * trip in a data centre is shorter.
   */
  readonly nearRoundTrip: Milliseconds
  /**
   * Interval at which a member sends improved shared values. Simulated: a search visits 6 % more
   * nodes than if each member knew each bound at once.
   */
  readonly sharedEvery: Milliseconds
  /**
   * Number of replicas of a job. `replicasOfFew` is for pools of fewer than ten members. Guesses.
   */
  readonly replicas: number
  readonly replicasOfFew: number
  /**
   * A worker gets one task ahead if tasks are shorter than this, so that it never waits for the
   * scheduler. A guess: a hundred times that wait.
   */
  readonly prefetchBelow: Milliseconds
  /** Maximum bytes of a job's result table. */
  readonly tableBytes: number
  /** Maximum bytes of the states that tasks of a job saved. A guess: as for the result table. */
  readonly savedBytes: number
  /** Maximum number of children for which one frame waits. A guess. */
  readonly openChildren: number
  /**
   * Maximum bytes of the inputs of children that wait for an outcome, over all frames of a job at
   * one member. A guess: as many as the result table may have.
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
  savedBytes: 64 * 2 ** 20,
  openChildren: 65_536,
  openBytes: 64 * 2 ** 20,
}
