/** The messages between schedulers. */
import type { Entry, Task } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { Path } from './path.ts'
import type { Shared } from './shared-value.ts'
import type { Tried } from './tries.ts'

/** A task that moves to another member. */
export interface Grant extends Task {
  readonly job: JobId
  /** Parts of the task may have outcomes, so the new holder looks them up first. */
  readonly replay: boolean
  /** Number of containers that the task has ended. */
  readonly tries: number
  /** See `Tries`. Default: none. */
  readonly crashes?: readonly MemberId[]
  readonly holders?: readonly MemberId[]
}

/** A statement that a member holds a task which it did not spawn itself. */
export interface Claim extends Task {
  /** Time since the member got it. */
  readonly age: Milliseconds
  /** The completed part of the task, 0 to 1, as far as its holder knows. */
  readonly progress: number
  /** The task has spawned no child yet. So if it takes long, no child is the cause. */
  readonly leaf: boolean
  /** Another member holds it as well, on purpose. */
  readonly second: boolean
}

export interface HeldBy {
  readonly path: Path
  readonly holder: MemberId
}

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

export type Message =
  /**
   * Thief to victim: a request for tasks of these jobs. `count`: the most tasks that the thief
   * would take.
   */
  | { readonly type: 'steal'; readonly request: number; readonly jobs: readonly JobId[]; readonly count: number }
  /**
   * The answer to `steal` and `idle`. `left`: tasks of the same job that the victim still has.
   * `hint`: a member that may have tasks, if the victim has none.
   */
  | {
      readonly type: 'work'
      readonly request: number
      readonly tasks: readonly Grant[]
      readonly left: number
      readonly ended: readonly JobId[]
      readonly hint?: MemberId
    }
  /**
   * Victim to a refused thief: there is work again. The name of this message on the wire is
   * `surplus`.
   */
  | { readonly type: 'lifeline' }
  /** Waiter to holder: I wait for these tasks. */
  | {
      readonly type: 'awaiting'
      readonly job: JobId
      readonly paths: readonly Path[]
      /** A digest of the root's outcome that the sender has. The same outcome needs no answer. */
      readonly known?: string
    }
  /** Holder to waiter: I have these tasks. */
  | { readonly type: 'holding'; readonly job: JobId; readonly progress: readonly (readonly [Path, number])[]; readonly totals?: Totals }
  /** Holder to waiter: I passed these tasks on, and will send you their outcomes. */
  | { readonly type: 'moved'; readonly job: JobId; readonly tasks: readonly HeldBy[] }
  /** Holder to waiter: I do not have these tasks. */
  | { readonly type: 'unknown'; readonly job: JobId; readonly paths: readonly Path[] }
  /** To members that wait for these tasks, or work on them: their outcomes. */
  | { readonly type: 'result'; readonly job: JobId; readonly entries: readonly Entry[]; readonly totals?: Totals }
  /** To a replica: the news of the sender, or everything if the replica is new to it. */
  | {
      readonly type: 'report'
      readonly job: JobId
      readonly number: number
      readonly entries: readonly Entry[]
      readonly claims: readonly Claim[]
      /** Claims that are over. */
      readonly dropped: readonly Path[]
      readonly work: Work
      readonly tried?: readonly Tried[]
    }
  | { readonly type: 'noted'; readonly job: JobId; readonly number: number }
  /** To all replicas: a request for all that they know of these paths and of those below them. */
  | {
      readonly type: 'lookup'
      readonly job: JobId
      readonly request: number
      readonly paths: readonly Path[]
      /**
       * The requested page of the answer; undefined: the sender is of an earlier release, and takes
       * all pages at once.
       */
      readonly page?: number
      /**
       * The sender requests only the outcomes of these tasks, and nothing of the tasks below them.
       */
      readonly alone?: boolean
      /**
       * The sender requests only the tasks after this path, in the order of the tree. This concerns
       * only the first of `paths`.
       */
      readonly after?: Path
    }
  | {
      readonly type: 'found'
      readonly job: JobId
      readonly request: number
      readonly entries: readonly Entry[]
      readonly claims: readonly HeldBy[]
      readonly last: boolean
      readonly tried?: readonly Tried[]
      readonly page?: number
      /** The start of the next page, if there is more. */
      readonly next?: NextPage
    }
  /** Replica to one of two holders: leave this task to the other. */
  | { readonly type: 'yield'; readonly job: JobId; readonly path: Path; readonly to: MemberId }
  /**
   * An idle member to a replica: a request for an overdue task. The answer is `work`. If tasks wait
   * at the holder, the answer has a `hint` in place of the task.
   */
  | { readonly type: 'idle'; readonly request: number; readonly jobs: readonly JobId[] }
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  /** To a replica: a request for all held tasks, the task without progress for longest first. */
  | { readonly type: 'explain'; readonly job: JobId }
  /** A replica of an earlier release sends only the tasks. */
  | ({ readonly type: 'explained'; readonly job: JobId } & Pick<JobExplanation, 'tasks'> & Partial<JobExplanation>)

/**
 * The start of the next page of an answer. `at`: an index into the requested paths. `after`: only
 * tasks after this path; undefined: from the first task on.
 */
export interface NextPage {
  readonly at: number
  readonly after?: Path
}
