import type { Entry } from './core/entry.ts'
import type { JobExplanation } from './core/messages.ts'
import type { JobView } from './core/job-view.ts'
import type { JobRecord, PublishedJob } from './shell/job-record.ts'
import type { NumberedOutput } from './shell/output-log.ts'

/** The services that a handle of a job needs from its grid. */
export interface JobSource {
  /** The grid is closed: nothing arrives any more. */
  readonly closed: boolean
  /** Returns the record of a job; undefined: it has expired, or its owner withdrew it. */
  published(id: string): PublishedJob | undefined
  /** Returns the job as this member sees it; undefined: the scheduler does not know it. */
  status(id: string): JobView | undefined
  /** Returns the ids of the job's replicas in the view of this member. */
  replicas(id: string): readonly string[]
  /** Returns the reason why a job does not begin or does not go on; empty: it goes on. */
  whyWaiting(id: string, hasBegun: boolean): string
  /** Asks replicas for the job's progress, for `within` ms. Default: until the job ends. */
  watch(id: string, within?: number): void
  /** Asks a replica for the work on the job, for `ms` at most. */
  explain(id: string, ms: number): Promise<JobExplanation>
  /** Returns the outcomes of these tasks, as far as a replica knows them while the job runs. */
  outcomes(id: string, paths: readonly string[], ms: number): Promise<readonly Entry[]>
  /** Returns the latest output of the job's tasks. */
  output(id: string): Promise<readonly NumberedOutput[]>
  /**
   * Returns the bytes of a blob that a task of the job made.
   *
   * @throws BlobMissingError
   */
  made(id: string, hash: string, maxBytes: number): Promise<Uint8Array>
  /**
   * Returns the id of another member, once it keeps the job with all its files.
   *
   * @throws JobNotKeptError after `within` ms
   */
  kept(id: string, within: number): Promise<string>
  /**
   * Resolves when the job has ended or expired, when the grid is closed, or after `ms`. Returns the
   * outcome of the root, if there is one.
   */
  ended(id: string, ms?: number): Promise<Entry | undefined>
  setDesired(id: string, desired: JobRecord['desired']): Promise<void>
  /** Removes the job and its result. */
  forget(id: string): Promise<void>
}
