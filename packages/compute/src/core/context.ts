import type { SchedulerConfig } from './config.ts'
import type { Effect, JobId, MemberId, Message, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Members } from './members.ts'

/** What the parts of a scheduler share. */
export interface Context {
  readonly self: MemberId
  readonly config: SchedulerConfig
  readonly random: () => number
  readonly members: Members
  readonly jobs: Map<JobId, Job>
  readonly effects: Effect[]
  /** Whole milliseconds, so that sums and differences agree. */
  now: Milliseconds
  /** The same, to its fraction, for what is measured. */
  exactNow: Milliseconds
  /** To this member itself, too: then it is taken at the end of the turn. */
  readonly send: (to: MemberId, message: Message) => void
  /** The replicas of a job by this member's view. */
  readonly keepers: (job: Job) => readonly MemberId[]
}
