/**
 * The interface of the scheduler. It takes inputs with the time, and only returns effects. It has
 * the form of `ProtocolNode`. So the same code runs over real streams and threads, and on a virtual
 * clock.
 */
import type { Entry, Outcome, Task } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { JobExplanation, Message } from './messages.ts'
import type { Path } from './path.ts'
import type { Acceptance } from './acceptance.ts'
import type { Shared } from './shared-value.ts'
import type { SharePolicy } from './shares.ts'

export type { JobId, MemberId, Milliseconds }

/** A member that computes, or keeps outcomes of others. */
export interface ComputeMember {
  readonly id: MemberId
  /** Levels from fine to coarse, joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** The member is a client: it only asks, and keeps nothing for others. */
  readonly isClient?: boolean
  /** Whether it has workers. Default: yes. */
  readonly computes?: boolean
  /** The programs that its workers run. Default: all. */
  readonly accepts?: Acceptance | undefined
}

/** A job as its owner's record specifies it. */
export interface JobSpec {
  readonly id: JobId
  /** The job's owner. If owners have tickets, each owner gets its share. */
  readonly owner: string
  /** A function of the program. Called with `input` it is the root of the job's tree. */
  readonly fn: string
  /**
   * Undefined until the input arrives. Even without the input this member keeps outcomes of others.
   */
  readonly input: Uint8Array | undefined
  /**
   * Time of submission, ms since 1970 by the owner's clock. Members serve jobs in the order of this
   * time.
   */
  readonly submitted: number
  /** The state that its owner wants. */
  readonly desired: 'run' | 'suspend' | 'cancel'
  /**
   * Number of members that must each compute a task by itself before its outcome counts. Default:
   * 1.
   */
  readonly votes?: number
  /** Whether the program needs more than a sandbox offers. */
  readonly trusted: boolean
  /** A condition that a member has to meet. Default: none. */
  readonly requirements?: string | undefined
  /** Jobs that must give a value before this one begins. Default: none. */
  readonly after?: readonly JobId[] | undefined
  /** How long the job may run from its first task, ms. Default: as long as its record lives. */
  readonly maxTime?: Milliseconds | undefined
  /** Whether this member may run the job. Otherwise it still keeps outcomes of others. */
  readonly accepted: boolean
  /**
   * The reason why the job's files have no room at this member. `accepted` is false then. The job
   * waits for a member with room. Default: they have room.
   */
  readonly noRoom?: string
  /** The owner has just submitted the job, so nobody can have begun it. */
  readonly fresh: boolean
}

export interface Spawn {
  readonly step: string
  readonly fn: string
  readonly input: Uint8Array
  /** See `Task`. */
  readonly occurrence?: number
}

export type Input =
  | { readonly type: 'timer' }
  | { readonly type: 'joined'; readonly member: ComputeMember }
  /**
   * This member has re-entered. Others had pronounced it dead, for example the other half of a
   * partitioned pool.
   */
  | { readonly type: 'reentered' }
  /**
   * Outcomes of this member's earlier run follow, as reports of this member to itself. Other
   * members may come back, too.
   */
  | { readonly type: 'restored' }
  | { readonly type: 'gone'; readonly id: MemberId }
  /** The last message to a member may not have arrived. */
  | { readonly type: 'unreached'; readonly id: MemberId }
  /** A job, or a new version of its record. */
  | { readonly type: 'job'; readonly spec: JobSpec }
  /** A job's record has expired. This member no longer keeps its result. */
  | { readonly type: 'expired'; readonly job: JobId }
  | { readonly type: 'message'; readonly from: MemberId; readonly message: Message }
  /** A frame that runs here spawned children. */
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
  /** This number of workers gets no tasks: their processors are leased to others. */
  | { readonly type: 'reserved'; readonly workers: number }
  /** A frame that runs here saved a state. */
  | { readonly type: 'saved'; readonly job: JobId; readonly path: Path; readonly state: Uint8Array }
  /** A worker has nothing to do. `seen`: number of effects that it has processed. */
  | { readonly type: 'idle'; readonly slot: number; readonly seen: number }
  /**
   * A container that had loaded the program is lost, with all its frames of this job. It ended by
   * itself, or this member ended it because it took too much time or memory. `path`: the task that
   * was at work; undefined if there was none. Members try this task again, here and elsewhere. It
   * fails (`TASK_POISONOUS`) once it ended three containers at two members or more. The other
   * frames begin again, and are not to blame.
   */
  | { readonly type: 'crashed'; readonly slot: number; readonly job: JobId; readonly path: Path | undefined; readonly reason: string }
  /**
   * A container did not start here, could not load the program, or lacks a resource of this machine
   * that the program needs, such as room on the disk. Its frames begin again, and no task is to
   * blame. After several such failures in a row this member warns with `MEMBER_UNFIT`. For a while
   * it takes no tasks of this job, and others may take the tasks that it holds. Once all members
   * that accept the job report such failures, a replica fails it. The failure has the replica's own
   * `code` if there is one, else `PROGRAM_UNUSABLE`.
   */
  | {
      readonly type: 'unfit'
      readonly slot: number
      readonly job: JobId
      readonly code: string
      readonly reason: string
      readonly stack?: string
      /** The task that met the fault of this machine. Default: the program did not load. */
      readonly path?: Path
    }
  /**
   * An application here wants a job's progress and result. `within`: how long this member asks
   * replicas; default: until the job ends. `once`: it asks replicas only once.
   */
  | { readonly type: 'watch'; readonly job: JobId; readonly once?: boolean; readonly within?: Milliseconds }
  /** An application here wants to know the work on a job. */
  | { readonly type: 'explain'; readonly job: JobId }
  /** An application here wants the known outcomes of these tasks. */
  | { readonly type: 'read'; readonly job: JobId; readonly paths: readonly Path[] }
  /** An administrator divides the processor time among owners; undefined: nobody does any more. */
  | { readonly type: 'shares'; readonly policy: SharePolicy | undefined }
  /** This member leaves soon. Until then its tasks may end or save, and no more begin. */
  | { readonly type: 'stop' }
  /** This member is about to leave. */
  | { readonly type: 'leave' }

export type Effect =
  | { readonly type: 'send'; readonly to: MemberId; readonly message: Message }
  /**
   * Start a task. `split`: some of its parts have outcomes or holders already, so a space must not
   * run the task as one piece. `frozen`: the task sees only these shared values and its own offers.
   * `saved`: the state that the task saved in an earlier run.
   */
  | {
      readonly type: 'run'
      readonly slot: number
      readonly job: JobId
      readonly task: Task
      readonly shared: Shared
      readonly split: boolean
      readonly frozen: boolean
      readonly saved?: Uint8Array
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
  /** Nobody needs a frame on this worker any more. */
  | { readonly type: 'forget'; readonly slot: number; readonly job: JobId; readonly path: Path }
  /** Shared values have improved. */
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /**
   * A job is over for this member. `entry`: the entry of its root; undefined if the job was
   * cancelled. The effect comes again if another outcome replaces this entry, for example after a
   * partition.
   */
  | { readonly type: 'ended'; readonly job: JobId; readonly entry: Entry | undefined }
  /** The work on a job, as a replica describes it. */
  | ({ readonly type: 'explained'; readonly job: JobId } & JobExplanation)
  /** Outcomes for an application here. */
  | { readonly type: 'outcomes'; readonly job: JobId; readonly entries: readonly Entry[] }
  /** A warning for the operator. */
  | { readonly type: 'warning'; readonly job: JobId; readonly code: string; readonly message: string }
