import type { Timers } from '@jel/machine'
import type { SchedulerConfig } from './config.ts'
import type { Effect, JobId, MemberId, Milliseconds } from './io.ts'
import type { Entry, Task, Vote } from './entry.ts'
import type { Message } from './messages.ts'
import type { PeerQuota } from './peer-quota.ts'
import type { Job } from './job.ts'
import type { Members } from './members.ts'
import type { TaskCounts } from './task-counts.ts'
import type { TaskNode } from './task-node.ts'
import type { TimerName } from './timers.ts'

/** Signs this member's outcomes, and verifies the outcomes and tasks of others. */
export interface Signer {
  readonly sign: (job: JobId, entry: Entry, leaf: boolean) => Uint8Array
  readonly verify: (job: JobId, entry: Entry, vote: Vote) => boolean
  /** Whether the path of a task fits its function and input. */
  readonly isGenuine: (task: Task) => boolean
}

/** The state that the parts of a scheduler share. */
export interface Context {
  readonly self: MemberId
  readonly config: SchedulerConfig
  readonly random: () => number
  readonly members: Members
  /** Whether this member saves outcomes on disk. */
  readonly saves: boolean
  readonly jobs: Map<JobId, Job>
  /** Jobs that are not over here. */
  readonly active: Set<Job>
  /**
   * Active jobs that the scheduler processes in each turn. This member takes part in them, has news
   * of them, or must begin their roots.
   */
  readonly attended: Set<Job>
  /** Jobs that are over. Some of their replicas have not received the end yet. */
  readonly unreported: Set<Job>
  readonly quota: PeerQuota
  readonly counts: TaskCounts
  readonly timers: Timers<TimerName>
  readonly effects: Effect[]
  readonly sign: Signer['sign']
  readonly verify: Signer['verify']
  readonly isGenuine: Signer['isGenuine']
  /** Returns the beginning of an encoded input, as text for people. */
  readonly describe: (input: Uint8Array) => string
  /** This member is about to leave, and begins no more tasks. */
  isStopping: boolean
  /** Whole milliseconds, so that sums and differences agree. */
  now: Milliseconds
  /** The same time with its fraction, for measurements. */
  exactNow: Milliseconds
  /** Sends a message. This member handles a message to itself at the end of the turn. */
  readonly send: (to: MemberId, message: Message) => void
  /** Returns the replicas of a job in this member's view. */
  readonly replicas: (job: Job) => readonly MemberId[]
}

/** Returns a job for which something arrived. If it is not over here, the next turns process it. */
export function attend({ jobs, attended }: Context, id: JobId): Job | undefined {
  const job = jobs.get(id)
  if (job !== undefined && job.ended === undefined) attended.add(job)
  return job
}

/**
 * Passes a task to another member. This member waits for it, and asks for it at intervals.
 * `namedBy`: see `TaskNode`.
 */
export function awaitTask({ now, config, timers }: Context, job: Job, node: TaskNode, holder: MemberId, namedBy?: MemberId): void {
  job.beginWait(node, holder, now, namedBy)
  timers.advance('supervision', now + config.checkEvery)
}
