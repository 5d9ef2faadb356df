/** The work on a job, in messages and explanations. */
import type { MemberId, Milliseconds } from './ids.ts'
import type { Path } from './path.ts'

/** A task that a member holds, as a replica knows it. */
export interface HeldTask {
  readonly path: Path
  readonly fn: string
  readonly holder: MemberId
  /** Time since the holder got it. */
  readonly age: Milliseconds
  /** Time for which the task made no progress: nobody completed or stole a part of it. */
  readonly still: Milliseconds
  /** 0 to 1. */
  readonly progress: number
  /** The task has spawned no other task: it runs, or waits for a worker. */
  readonly leaf: boolean
  /**
   * Only of the root: the reason why the job does not run at this member. Default: it may run
   * there.
   */
  readonly unfit?: string
}

/** A task that runs at a member, and has spawned no other task. */
export interface RunningTask {
  readonly path: Path
  readonly fn: string
  /** The beginning of its input, as text for people. */
  readonly input: string
  /** Time since it began there. */
  readonly age: Milliseconds
}

/** A member's work for a job since it took part. Each report replaces the previous report. */
export interface Work {
  /** Executions that it began. */
  readonly begun: number
  /** Tasks that gave an outcome there. */
  readonly finished: number
  /** Time that its programs ran. */
  readonly ran: Milliseconds
  /** For each function the longest time that one task kept a worker busy. Default: none. */
  readonly longest?: readonly (readonly [fn: string, time: Milliseconds])[]
  /** The ended tasks of each function. Default: none, or the member is of an earlier release. */
  readonly functions?: readonly FunctionWork[]
  /** Tasks that run there, or wait there for the tasks that they spawned. Default: none. */
  readonly running?: number
  /** Tasks that wait for a worker there. Default: none. */
  readonly waiting?: number
  /** At most four tasks that have run there for five seconds, the oldest first. Default: none. */
  readonly oldest?: readonly RunningTask[]
  /**
   * The reason why the program does not run there. Default: it runs, or the member has not tried
   * it.
   */
  readonly unfit?: string
  /** The reason why the job's files have no room there. Default: they have. */
  readonly noRoom?: string
}

/** The tasks of one function that gave an outcome. */
export interface FunctionWork {
  /** The name of the function. */
  readonly fn: string
  /** Number of its tasks that gave an outcome. */
  readonly finished: number
  /** The part of `finished` that failed. */
  readonly failed: number
  /** Time that its tasks kept workers busy, ms. */
  readonly ran: Milliseconds
}

/** The work of one member for a job, as a replica knows it. */
export interface MemberWork {
  /** The id of the member. */
  readonly member: MemberId
  /** Executions that it began. */
  readonly begun: number
  /** Tasks that gave an outcome there. */
  readonly finished: number
  /** Tasks that run there, or wait there for the tasks that they spawned. */
  readonly running: number
  /** Tasks that wait for a worker there. */
  readonly waiting: number
  /** Time that its programs ran, ms. */
  readonly ran: Milliseconds
  /**
   * At most four functions of its ended tasks, those with the most time first. Default: none, or
   * the member or the replica is of an earlier release.
   */
  readonly functions?: readonly FunctionWork[]
  /** At most four tasks that have run there for five seconds, the oldest first. Default: none. */
  readonly oldest?: readonly RunningTask[]
}

/** The work on a job, as a replica knows it. Members report each second. */
export interface JobExplanation {
  /**
   * At most 64 tasks that members hold, the task without progress for longest first. A task waits
   * for the tasks whose paths begin with its own path. Empty once the job has ended.
   */
  readonly tasks: readonly HeldTask[]
  /** At most 16 functions, those with the most tasks first. */
  readonly functions: readonly FunctionWork[]
  /** At most 64 members, those with the most running tasks first. */
  readonly members: readonly MemberWork[]
}

/** The work of all members for a job, as far as a replica knows. */
export interface Totals extends Work {
  /** Members that took part. */
  readonly members: number
}
