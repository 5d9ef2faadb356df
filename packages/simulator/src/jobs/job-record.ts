import { isFresh, type JobSpec } from '@jel/compute/internals'
import type { PoolRecord } from '@jel/protocol'

/** The prefix of the names of records that are jobs. */
const PREFIX = 'jel.compute/job/'

/** The lifetime of a job's record, ms: longer than any run. */
export const JOB_LIFETIME = 30 * 24 * 3_600_000

export type PublishedJob = Pick<JobSpec, 'fn' | 'input' | 'submitted'> & { readonly votes: number; readonly desired?: JobSpec['desired'] }

export function recordName(job: string): string {
  return PREFIX + job
}

export function encodeJob({ fn, input, submitted, votes, desired }: PublishedJob): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify([fn, new TextDecoder().decode(input), submitted, votes, ...(desired === undefined ? [] : [desired])]),
  )
}

/**
 * Returns the job in a record. Returns undefined for other records. `today` is the member's
 * calendar time. For `since` see `isFresh`. In the simulator a job's id is its name.
 */
export function readJob({ name, value, owner }: PoolRecord, accepted: boolean, today: number, since: number): JobSpec | undefined {
  if (!name.startsWith(PREFIX) || value === undefined) return undefined
  const [fn, input, submitted, votes, desired = 'run'] = JSON.parse(new TextDecoder().decode(value)) as [
    string,
    string,
    number,
    number,
    JobSpec['desired']?,
  ]
  return {
    id: name.slice(PREFIX.length),
    owner,
    fn,
    input: new TextEncoder().encode(input),
    submitted,
    votes,
    desired,
    trusted: false,
    accepted,
    fresh: isFresh(submitted, today, since),
  }
}
