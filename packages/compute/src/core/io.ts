/**
 * The interface of the scheduler: inputs go in with the time, effects come out, nothing else
 * happens. It has the form of `ProtocolNode`, so the same code runs over real streams and threads,
 * and on a virtual clock.
 */
import type { Entry, Outcome, Task } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { HeldTask, Message } from './messages.ts'
import type { Path } from './path.ts'
import type { Shared } from './shared-value.ts'

export type { JobId, MemberId, Milliseconds }

/** A member that computes, or keeps what others computed. */
export interface ComputeMember {
  readonly id: MemberId
  /** Levels from fine to coarse, joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** The member is a client: it only asks, and keeps nothing for others. */
  readonly isClient?: boolean
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
  /** The state that its owner wants. */
  readonly desired: 'run' | 'suspend' | 'cancel'
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
   * there was none. This task is tried again, here and elsewhere. It fails (`TASK_POISONOUS`) once
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
