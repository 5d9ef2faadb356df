/**
 * The border of the scheduler: inputs go in with the time, effects come out, nothing else happens. It has the form of `ProtocolNode`, so one code runs
 * over real streams and threads, and on a virtual clock.
 */
import type { Entry, Outcome, Task } from './entry.ts'
import type { Path } from './path.ts'
import type { Shared } from './shared-value.ts'
import type { Tries } from './tries.ts'

export type MemberId = string
export type JobId = string
export type Milliseconds = number

/** A member that computes, or keeps what others computed. */
export interface ComputeMember {
  readonly id: MemberId
  /** Levels from fine to coarse, joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** It is there for a moment: it asks, and keeps nothing for others. */
  readonly visits?: boolean
  /** Whether it has workers. Default: yes. */
  readonly computes?: boolean
}

/** What the owner of a job asks for, as its record says. */
export interface JobSpec {
  readonly id: JobId
  /** Whose it is: where owners have tickets, each gets its share. */
  readonly owner: string
  /** A function of its program, and its input: the root of its tree. */
  readonly fn: string
  /** Undefined: it is not here yet. This member knows of the job, and keeps what others computed of it, all the same. */
  readonly input: Uint8Array | undefined
  /** When it was submitted, ms since 1970 by its owner's calendar: the order of first come first served. */
  readonly submitted: number
  readonly wish: 'run' | 'suspend' | 'cancel'
  /** So many members must have computed a task, each by itself, before what it gave counts. Default: 1. */
  readonly votes?: number
  /** Whether this member may run it. One that may not still keeps what others computed. */
  readonly accepted: boolean
  /** It was submitted just now: nobody can have begun it yet. */
  readonly fresh: boolean
}

/** A task that moves to another member. */
export interface Grant extends Task {
  readonly job: JobId
  /** Parts of it may have been computed: its new holder looks them up first. */
  readonly replay: boolean
  /** How many containers it has ended. */
  readonly tries: number
  /** See `Tries`. Default: none. */
  readonly crashes?: readonly MemberId[]
  readonly holders?: readonly MemberId[]
}

/** What a task did to those that ran it, told to replicas before it is begun again. */
export interface Tried extends Tries {
  readonly path: Path
}

/** A member holds a task that it did not spawn itself. */
export interface Claim extends Task {
  /** For how long. */
  readonly age: Milliseconds
  /** How much of it is done, 0 to 1, as far as its holder knows. */
  readonly progress: number
  /** It has called for no child yet: if it takes long, then by itself. */
  readonly leaf: boolean
  /** Somebody else holds it as well, on purpose. */
  readonly second: boolean
}

export interface HeldBy {
  readonly path: Path
  readonly holder: MemberId
}

/** A task that a member holds, as a replica heard of it. */
export interface HeldTask {
  readonly path: Path
  readonly fn: string
  readonly holder: MemberId
  /** For how long. */
  readonly age: Milliseconds
  /** How long nothing of it was covered or stolen. */
  readonly still: Milliseconds
  /** 0 to 1. */
  readonly progress: number
  /** It has called for no other: it runs, or waits for a worker. */
  readonly leaf: boolean
  /** Of the root: why the program does not run at this member, as that one says. Default: it may run there. */
  readonly unfit?: string
}

/** What a member did for a job since it took part. Each report replaces the one before. */
export interface Work {
  /** Executions that it began. */
  readonly begun: number
  /** Tasks that gave an outcome here. */
  readonly finished: number
  /** Time that its programs ran. */
  readonly ran: Milliseconds
  /** By function the longest that one task kept a worker busy. Default: none. */
  readonly longest?: readonly (readonly [fn: string, time: Milliseconds])[]
  /** Why the program does not run there. Default: it runs, or has not been tried. */
  readonly unfit?: string
}

/** What all members did for a job, as a replica heard. */
export interface Totals extends Work {
  /** Members that took part. */
  readonly members: number
}

export type Message =
  /** Thief to victim: is there a task of one of these jobs? `count`: how many it would take. */
  | { readonly type: 'steal'; readonly request: number; readonly jobs: readonly JobId[]; readonly count: number }
  /** `left`: tasks of the same job that the victim still has. `hint`: who may have some, if it has none. */
  | {
      readonly type: 'work'
      readonly request: number
      readonly tasks: readonly Grant[]
      readonly left: number
      readonly ended: readonly JobId[]
      readonly hint?: MemberId
    }
  /** Victim to a thief that it had to refuse: there is work now. */
  | { readonly type: 'surplus' }
  /** Waiter to holder: I wait for these. */
  | {
      readonly type: 'awaiting'
      readonly job: JobId
      readonly paths: readonly Path[]
      /** A digest of the root's outcome that the sender has: the same needs no answer. */
      readonly known?: string
    }
  /** Holder to waiter: I have them. */
  | { readonly type: 'holding'; readonly job: JobId; readonly progress: readonly (readonly [Path, number])[]; readonly totals?: Totals }
  /** Holder to waiter: I gave them on, and will tell you what comes of them. */
  | { readonly type: 'moved'; readonly job: JobId; readonly tasks: readonly HeldBy[] }
  /** Holder to waiter: I do not have them. */
  | { readonly type: 'unknown'; readonly job: JobId; readonly paths: readonly Path[] }
  /** To whom it concerns: these are covered. */
  | { readonly type: 'result'; readonly job: JobId; readonly entries: readonly Entry[]; readonly totals?: Totals }
  /** To a replica: what is new at its sender, or everything, where the replica is new to it. */
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
  /** To all replicas: what is known of these, and of what is below them? */
  | {
      readonly type: 'lookup'
      readonly job: JobId
      readonly request: number
      readonly paths: readonly Path[]
      /** Which page of the answer; undefined: its sender, of an earlier release, takes all of them at once. */
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
  /** Replica to one of two holders: leave this to the other. */
  | { readonly type: 'yield'; readonly job: JobId; readonly path: Path; readonly to: MemberId }
  /** An idle member to a replica: does anything take too long? It is answered with `work`. */
  | { readonly type: 'idle'; readonly request: number; readonly jobs: readonly JobId[] }
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  /** To a replica: who holds what, the stillest first? */
  | { readonly type: 'explain'; readonly job: JobId }
  | { readonly type: 'explained'; readonly job: JobId; readonly tasks: readonly HeldTask[] }

/** Where the next page of an answer begins: with which of the paths that were asked for, and behind what of it; undefined: with its first. */
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
  /** This member had been pronounced dead, as by the other half of a pool that was cut in two, and has re-entered. */
  | { readonly type: 'reentered' }
  | { readonly type: 'gone'; readonly id: MemberId }
  /** What was sent to a member last may not have come there. */
  | { readonly type: 'unreached'; readonly id: MemberId }
  /** A job, or a new version of its record. */
  | { readonly type: 'job'; readonly spec: JobSpec }
  /** A job's record is over, and with it the time for which its result is kept. */
  | { readonly type: 'expired'; readonly job: JobId }
  | { readonly type: 'message'; readonly from: MemberId; readonly message: Message }
  /** A frame that runs here called for children. */
  | { readonly type: 'spawned'; readonly job: JobId; readonly path: Path; readonly children: readonly Spawn[] }
  /** A frame that ran here ended. `shared`: what it read or offered. `ran`: how long it kept its worker busy. */
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
   * A container that had loaded the program is lost, with all its frames of this job: it ended by itself, or was ended as it took too much. `path`: the task that was at work; undefined: none
   * was. That one is tried again, here and elsewhere; it fails (`TASK_POISONOUS`) once it did this at two members. The other frames begin anew, and nothing is held against them.
   */
  | { readonly type: 'crashed'; readonly slot: number; readonly job: JobId; readonly path: Path | undefined; readonly reason: string }
  /**
   * A container could not be started, or could not load the program, here: as `crashed`, but no task is to blame for it. After some in a row this member takes no tasks of this job for a while,
   * warns with `MEMBER_UNFIT`, and leaves what it holds to others. Where all that compute say so the job fails, with `code` if there is one only.
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
   * Somebody here wants to know how a job goes, and its result.
   * `once`: replicas are asked now, and not again.
   */
  | { readonly type: 'watch'; readonly job: JobId; readonly once?: boolean }
  /** Somebody here wants to know who holds what. */
  | { readonly type: 'explain'; readonly job: JobId }
  /** This member is about to leave. */
  | { readonly type: 'leave' }

export type Effect =
  | { readonly type: 'send'; readonly to: MemberId; readonly message: Message }
  /** Start a task. `split`: parts of it are known or held already, so a space must not run it as one piece. `frozen`: it is to see no other shared values than these, and its own offers. */
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
  /** A frame on this worker is not wanted any more. */
  | { readonly type: 'forget'; readonly slot: number; readonly job: JobId; readonly path: Path }
  /** Shared values have improved. */
  | { readonly type: 'shared'; readonly job: JobId; readonly shared: Shared }
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /** A job is over for this member. The entry is that of its root; undefined when it was cancelled. Told again where another outcome takes its place, as after a partition. */
  | { readonly type: 'ended'; readonly job: JobId; readonly entry: Entry | undefined }
  /** Who holds what, as a replica says. */
  | { readonly type: 'explained'; readonly job: JobId; readonly tasks: readonly HeldTask[] }
  /** Something that an operator should know. */
  | { readonly type: 'warning'; readonly job: JobId; readonly code: string; readonly message: string }
