import type { PublishedJob } from './job-record.ts'

/** A job and its possible workers, as a member knows them. */
export interface WaitingJob {
  /** Undefined: the input or program is not at this member yet. */
  readonly job: Pick<PublishedJob, 'owner' | 'trusted' | 'votes'> | undefined
  readonly hasBegun: boolean
  /** The number of members that compute, and of those that accept the job. */
  readonly computing: number
  readonly accepting: number
  /** The number of members that would accept the job if it had votes. */
  readonly withVotes: number
  /** The number of members that would accept the job if it had no requirements. */
  readonly suitable?: number
  /** The number of members that meet each condition of its requirements, as text. */
  readonly conditions?: string
  /** Whether a member that keeps the job has answered. True if this member keeps it. */
  readonly isKept: boolean
  /** The number of earlier jobs that go on. */
  readonly earlier: number
  /** The names of the jobs after which it begins, and that are not over. */
  readonly after?: readonly string[]
}

/**
 * Returns the reason why a job does not begin or does not go on. Empty for a job that has begun, if
 * there are members that may run its tasks.
 */
export function waitingReason({
  job,
  hasBegun,
  computing,
  accepting,
  withVotes,
  isKept,
  earlier,
  suitable = 0,
  conditions = '',
  after = [],
}: WaitingJob): string {
  if (!hasBegun && after.length > 0) return `it begins after ${after.join(', ')}`
  if (job === undefined) return hasBegun ? '' : 'its input or program is not here yet'
  if (computing === 0) return 'no member of the pool computes'
  const workers = `members with workers: ${computing}`
  if (accepting === 0) {
    if (suitable > 0) return `no member that accepts it meets its requirements (${conditions}); ${workers}`
    if (job.trusted) return `the program needs more than a sandbox, and no member trusts ${job.owner}; ${workers}`
    if (withVotes === 0) return `no member accepts programs of ${job.owner}; ${workers}`
    return `the members that would run it take jobs with votes only, as browser tabs do: ${withVotes} of ${computing}`
  }
  if (accepting < job.votes) return `each of its tasks must run at ${job.votes} members; members that accept it: ${accepting}`
  if (hasBegun) return ''
  if (!isKept) return 'no member that keeps it has answered yet'
  const busy = earlier > 0 ? `; jobs that came earlier: ${earlier}` : ''
  return `no member has begun it yet; members that accept it: ${accepting}${busy}`
}
