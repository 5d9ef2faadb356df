import type { SchedulerConfig } from './config.ts'
import type { Effect, JobId, MemberId, Message, Milliseconds } from './io.ts'
import type { Entry, Vote } from './entry.ts'
import type { Hearsay } from './hearsay.ts'
import type { Job } from './job.ts'
import type { Members } from './members.ts'

/** Signs what this member computed, and checks what others did. */
export interface Signer {
  readonly sign: (job: JobId, entry: Entry, leaf: boolean) => Uint8Array
  readonly verify: (job: JobId, entry: Entry, vote: Vote) => boolean
}

/** What the parts of a scheduler share. */
export interface Context {
  readonly self: MemberId
  readonly config: SchedulerConfig
  readonly random: () => number
  readonly members: Members
  readonly jobs: Map<JobId, Job>
  /** Those that are not over here. */
  readonly active: Set<Job>
  /** Those of them that each turn looks at: this member keeps them, or has a part in them. */
  readonly attended: Set<Job>
  /** Those that are over, and of which not all replicas have heard. */
  readonly untold: Set<Job>
  readonly hearsay: Hearsay
  readonly effects: Effect[]
  readonly sign: Signer['sign']
  readonly verify: Signer['verify']
  /** Whole milliseconds, so that sums and differences agree. */
  now: Milliseconds
  /** The same, to its fraction, for what is measured. */
  exactNow: Milliseconds
  /** To this member itself, too: then it is taken at the end of the turn. */
  readonly send: (to: MemberId, message: Message) => void
  /** The replicas of a job by this member's view. */
  readonly keepers: (job: Job) => readonly MemberId[]
}
