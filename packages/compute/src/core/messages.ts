/** The messages between schedulers. */
import type { Entry, Task } from './entry.ts'
import type { JobId, MemberId, Milliseconds } from './ids.ts'
import type { Path } from './path.ts'
import type { SavedState, SavedTask } from './saved-state.ts'
import type { Shared } from './shared-value.ts'
import type { Tried } from './tries.ts'
import type { JobExplanation, Totals, Work } from './work.ts'

export type * from './work.ts'

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
  /** The state that the task saved. Default: none. */
  readonly saved?: SavedState
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

export type Message =
  /**
   * Thief to victim: a request for tasks of these jobs. `count`: the most tasks that the thief
   * would take. `busy`: all workers of the thief have something to do. Default: no.
   */
  | { readonly type: 'steal'; readonly request: number; readonly jobs: readonly JobId[]; readonly count: number; readonly busy?: boolean }
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
  /**
   * Holder to waiter: I do not have these tasks. `saved`: the states of tasks that I give back,
   * since I leave.
   */
  | { readonly type: 'unknown'; readonly job: JobId; readonly paths: readonly Path[]; readonly saved?: readonly SavedTask[] }
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
      /** States that tasks of the sender saved. Default: none. */
      readonly saved?: readonly SavedTask[]
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
      readonly saved?: readonly SavedTask[]
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
