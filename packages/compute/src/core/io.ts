/**
 * The interface of the scheduler: inputs go in with the time, effects come out, nothing else
 * happens. It has the form of `ProtocolNode`, so the same code runs over real streams and threads,
 * and on a virtual clock.
 */
import type { Entry, Outcome, Task } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { Path } from './path.ts'
import type { Shared } from './shared-value.ts'
import type { Tried } from './tries.ts'

export type { JobId, MemberId, Milliseconds }

/** A member that computes, or keeps what others computed. */
export interface ComputeMember {
  readonly id: MemberId
  /** Levels from fine to coarse, joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** The member is a visitor: it only asks, and keeps nothing for others. */
  readonly visits?: boolean
  /** Whether it has workers. Default: yes. */
  readonly computes?: boolean
}

/** A job as its owner's record specifies it. */
export interface JobSpec {
  readonly id: JobId
  /** The job's owner. Where owners have tickets, each gets its share. */
  readonly owner: string
  /** A function of the program. With its input it is the root of the job's tree. */
  readonly fn: string
  /**
   * Undefined while the input is not here. Even then this member knows the job, and keeps what
   * others computed of it.
   */
  readonly input: Uint8Array | undefined
  /**
   * Time of submission, ms since 1970 by the owner's clock. It sets the order of first come, first
   * served.
   */
  readonly submitted: number
  readonly wish: 'run' | 'suspend' | 'cancel'
  /**
   * Number of members that must each compute a task by itself before its outcome counts. Default:
   * 1.
   */
  readonly votes?: number
  /** Whether this member may run it. A member that may not still keeps what others computed. */
  readonly accepted: boolean
  /** The job was submitted just now, so nobody can have begun it. */
  readonly fresh: boolean
}

/** A task that moves to another member. */
export interface Grant extends Task {
  readonly job: JobId
  /** Parts of it may have been computed, so the new holder looks them up first. */
  readonly replay: boolean
  /** Number of containers that it has ended. */
  readonly tries: number
  /** See `Tries`. Default: none. */
  readonly crashes?: readonly MemberId[]
  readonly holders?: readonly MemberId[]
}

/** A statement that a member holds a task which it did not spawn itself. */
export interface Claim extends Task {
  /** Time since the member got it. */
  readonly age: Milliseconds
  /** The part that is done, 0 to 1, as far as its holder knows. */
  readonly progress: number
  /** It has called for no child yet, so if it takes long, it does so by itself. */
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
  /** Time for which nothing of it was covered or stolen. */
  readonly still: Milliseconds
  /** 0 to 1. */
  readonly progress: number
  /** It has called for no other task: it runs, or waits for a worker. */
  readonly leaf: boolean
  /**
   * Only of the root: the reason that this member gives why the program does not run there.
   * Default: it may run there.
   */
  readonly unfit?: string
}

/** A member's work for a job since it took part. Each report replaces the one before. */
export interface Work {
  /** Executions that it began. */
  readonly begun: number
  /** Tasks that gave an outcome here. */
  readonly finished: number
  /** Time that its programs ran. */
  readonly ran: Milliseconds
  /** The longest time, for each function, that one task kept a worker busy. Default: none. */
  readonly longest?: readonly (readonly [fn: string, time: Milliseconds])[]
  /** The reason why the program does not run there. Default: it runs, or has not been tried. */
  readonly unfit?: string
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
   * `hint`: a member that may have some, if the victim has none.
   */
  | {
      readonly type: 'work'
      readonly request: number
      readonly tasks: readonly Grant[]
      readonly left: number
      readonly ended: readonly JobId[]
      readonly hint?: MemberId
    }
  /** Victim to a thief that it had to refuse: there is work again. */
  | { readonly type: 'surplus' }
  /** Waiter to holder: I wait for these. */
  | {
      readonly type: 'awaiting'
      readonly job: JobId
      readonly paths: readonly Path[]
      /** A digest of the root's outcome that the sender has. The same outcome needs no answer. */
      readonly known?: string
    }
  /** Holder to waiter: I have them. */
  | { readonly type: 'holding'; readonly job: JobId; readonly progress: readonly (readonly [Path, number])[]; readonly totals?: Totals }
  /** Holder to waiter: I passed them on, and will send you their outcomes. */
  | { readonly type: 'moved'; readonly job: JobId; readonly tasks: readonly HeldBy[] }
  /** Holder to waiter: I do not have them. */
  | { readonly type: 'unknown'; readonly job: JobId; readonly paths: readonly Path[] }
  /** To members that wait for these tasks, or work on them: they are covered. */
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
  /** To all replicas: a request for what is known of these paths and of those below them. */
  | {
      readonly type: 'lookup'
      readonly job: JobId
      readonly request: number
      readonly paths: readonly Path[]
      /**
       * The page of the answer that is requested; undefined: the sender is of an earlier release,
       * and takes all pages at once.
       */
      readonly page?: number
      /** Of the first path: only what comes behind this one, in the order of the tree. */
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
      /** There is more, from here on. */
      readonly next?: NextPage
    }
  /** Replica to one of two holders: leave this task to the other. */
  | { readonly type: 'yield'; readonly job: JobId; readonly path: Path; readonly to: MemberId }
  /** An idle member to a replica: a request for an overdue task. The answer is `work`. */
  | { readonly type: 'idle'; readonly request: number; readonly jobs: readonly JobId[] }
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  /** To a replica: a request for all held tasks, those without progress for longest first. */
  | { readonly type: 'explain'; readonly job: JobId }
  | { readonly type: 'explained'; readonly job: JobId; readonly tasks: readonly HeldTask[] }

/**
 * The start of the next page of an answer. `at`: an index into the requested paths. `after`: only
 * what comes behind this one; undefined: from the first on.
 */
export interface NextPage {
  readonly at: number
  readonly after?: Path
}

export interface Spawn {
  readonly step: string
  readonly fn: string
  readonly input: Uint8Array
}

export type Input =
  | { readonly type: 'timer' }
  | { readonly type: 'joined'; readonly member: ComputeMember }
  /**
   * This member was pronounced dead, as by the other half of a partitioned pool, and has
   * re-entered.
   */
  | { readonly type: 'reentered' }
  | { readonly type: 'gone'; readonly id: MemberId }
  /** The last message to a member may not have arrived. */
  | { readonly type: 'unreached'; readonly id: MemberId }
  /** A job, or a new version of its record. */
  | { readonly type: 'job'; readonly spec: JobSpec }
  /** A job's record has expired, and with it the time for which its result is kept. */
  | { readonly type: 'expired'; readonly job: JobId }
  | { readonly type: 'message'; readonly from: MemberId; readonly message: Message }
  /** A frame that runs here called for children. */
  | { readonly type: 'spawned'; readonly job: JobId; readonly path: Path; readonly children: readonly Spawn[] }
  /**
   * A frame that ran here ended. `shared`: the shared values that it read or offered. `ran`: the
   * time that it kept its worker busy.
   */
  | {
      readonly type: 'returned'
      readonly job: JobId
      readonly path: Path
      readonly outcome: Outcome
      readonly shared: Shared
      readonly ran: Milliseconds
    }
  | { readonly type: 'offered'; readonly job: JobId; readonly shared: Shared }
  /** A worker has nothing to do, after the `seen`-th effect that it was given. */
  | { readonly type: 'idle'; readonly slot: number; readonly seen: number }
  /**
   * A container that had loaded the program is lost, with all its frames of this job. It ended by
   * itself, or was ended because it took too much. `path`: the task that was at work; undefined if
   * there was none. That task is tried again, here and elsewhere. It fails (`TASK_POISONOUS`) once
   * it ended three containers at two members or more. The other frames begin again, and nothing is
   * held against them.
   */
  | { readonly type: 'crashed'; readonly slot: number; readonly job: JobId; readonly path: Path | undefined; readonly reason: string }
  /**
   * A container could not be started, or could not load the program, here. It is as `crashed`, but
   * no task is to blame. After some in a row this member takes no tasks of this job for a while,
   * warns with `MEMBER_UNFIT`, and leaves the tasks that it holds to others. Once all members that
   * compute report this, a replica fails the job, with its own `code` if it has one, else
   * `PROGRAM_UNUSABLE`.
   */
  | {
      readonly type: 'unfit'
      readonly slot: number
      readonly job: JobId
      readonly code: string
      readonly reason: string
      readonly stack?: string
    }
  /**
   * An application here wants a job's progress and result. `once`: replicas are asked once, without
   * repetition.
   */
  | { readonly type: 'watch'; readonly job: JobId; readonly once?: boolean }
  /** An application here wants the list of held tasks. */
  | { readonly type: 'explain'; readonly job: JobId }
  /** This member is about to leave. */
  | { readonly type: 'leave' }

export type Effect =
  | { readonly type: 'send'; readonly to: MemberId; readonly message: Message }
  /**
   * Start a task. `split`: parts of it are known or held already, so a space must not run it as one
   * piece. `frozen`: it sees no other shared values than these, and its own offers.
   */
  | {
      readonly type: 'run'
      readonly slot: number
      readonly job: JobId
      readonly task: Task
      readonly shared: Shared
      readonly split: boolean
      readonly frozen: boolean
    }
  /** A child of a frame on this worker has its outcome. */
  | {
      readonly type: 'deliver'
      readonly slot: number
      readonly job: JobId
      readonly path: Path
      readonly step: string
      readonly outcome: Outcome
      readonly shared: Shared
    }
  /** A frame on this worker is not needed any more. */
  | { readonly type: 'forget'; readonly slot: number; readonly job: JobId; readonly path: Path }
  /** Shared values have improved. */
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /**
   * A job is over for this member. `entry`: that of its root; undefined if the job was cancelled.
   * Repeated if another outcome takes its place, as after a partition.
   */
  | { readonly type: 'ended'; readonly job: JobId; readonly entry: Entry | undefined }
  /** The held tasks, as a replica lists them. */
  | { readonly type: 'explained'; readonly job: JobId; readonly tasks: readonly HeldTask[] }
  /** A warning for the operator. */
  | { readonly type: 'warning'; readonly job: JobId; readonly code: string; readonly message: string }
