import type { JobId, JobSpec } from '../src/core/io.ts'

/** A new job of another owner, whose function is `root`. */
export function jobSpec(id: JobId): JobSpec {
  return {
    id,
    owner: 'owner',
    fn: 'root',
    input: Uint8Array.of(1),
    submitted: 0,
    desired: 'run',
    trusted: false,
    accepted: true,
    fresh: true,
  }
}
