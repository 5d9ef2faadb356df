import type { JobSpec } from '@jel/compute/virtual'
import type { PoolRecord } from '@jel/protocol'

/** Names of records that are jobs begin so. */
const PREFIX = 'jel.compute/job/'

/** How long a job is kept, ms: longer than any run. */
export const JOB_LIFETIME = 30 * 24 * 3_600_000

/** A job of which this member hears so soon after its date was submitted just now, ms; as `Grid` has it. */
const FRESH = 10_000

export type PublishedJob = Pick<JobSpec, 'fn' | 'input' | 'submitted'> & { readonly votes: number }

export function recordName(job: string): string {
  return PREFIX + job
}

export function encodeJob({ fn, input, submitted, votes }: PublishedJob): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([fn, new TextDecoder().decode(input), submitted, votes]))
}

/** What a record says of a job, as a member hears it by its calendar; undefined for another record. Its id here is its name. */
export function readJob({ name, value, owner }: PoolRecord, accepted: boolean, today: number): JobSpec | undefined {
  if (!name.startsWith(PREFIX) || value === undefined) return undefined
  const [fn, input, submitted, votes] = JSON.parse(new TextDecoder().decode(value)) as [string, string, number, number]
  const fresh = Math.abs(today - submitted) < FRESH
  return {
    id: name.slice(PREFIX.length),
    owner,
    fn,
    input: new TextEncoder().encode(input),
    submitted,
    votes,
    wish: 'run',
    accepted,
    fresh,
  }
}
