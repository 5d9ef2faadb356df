import type { Pool, PoolRecord } from '@jel/jel'
import type { JobId } from '../core/io.ts'
import { UnknownJobError } from '../errors.ts'
import { Expiry } from './expiry.ts'
import { JOB_PREFIX, readJob, type PublishedJob } from './job-record.ts'

/**
 * A job counts as just submitted if this member learns of it within this time of its date, ms. A
 * guess: clocks differ by seconds.
 */
const FRESH = 10_000

export interface PublishedJobsEvents {
  /** A job, or a new version of one. `fresh`: it was submitted just now. */
  onPublished(job: PublishedJob, fresh: boolean): void
  /** A job expired, its owner withdrew it, or gave its name to another job. */
  onForgotten(id: JobId): void
}

/** The jobs of the pool, as the records of their owners state them. */
export class PublishedJobs {
  readonly #pool: Pool
  readonly #events: PublishedJobsEvents
  readonly #jobs = new Map<JobId, PublishedJob>()
  /**
   * When a job first arrived, in this member's order. The owner states the date of a job, so that
   * date must not move the job ahead of those that were here before.
   */
  readonly #cameAt = new Map<JobId, number>()
  readonly #expiry = new Expiry(
    () => this.#jobs.values(),
    (job) => this.forget(job),
  )
  readonly #stop = new AbortController()

  constructor(pool: Pool, events: PublishedJobsEvents) {
    this.#pool = pool
    this.#events = events
  }

  start(): void {
    this.#pool.addEventListener('record', ({ detail }) => this.take(detail, true), { signal: this.#stop.signal })
    for (const record of this.#pool.records(JOB_PREFIX)) this.take(record, false)
    this.#expiry.look()
  }

  close(): void {
    this.#stop.abort()
    this.#expiry.close()
  }

  get(id: JobId): PublishedJob | undefined {
    return this.#jobs.get(id)
  }

  has(id: JobId): boolean {
    return this.#jobs.has(id)
  }

  /** The ids of all jobs, the oldest first. */
  ids(): JobId[] {
    return [...this.#jobs.values()].sort((a, b) => a.submitted - b.submitted).map(({ id }) => id)
  }

  named(owner: string, name: string): PublishedJob | undefined {
    return [...this.#jobs.values()].find((job) => job.owner === owner && job.name === name)
  }

  /**
   * Finds a job by its id or name. Of several jobs of one name it prefers that of `owner`.
   *
   * @throws UnknownJobError if there is none, or if several other owners have one
   */
  find(idOrName: string, owner: string): JobId {
    if (this.#jobs.has(idOrName)) return idOrName
    const own = this.named(owner, idOrName)
    if (own !== undefined) return own.id
    const named = [...this.#jobs.values()].filter(({ name }) => name === idOrName)
    if (named.length === 1) return (named[0] as PublishedJob).id
    if (named.length === 0) throw new UnknownJobError(`nobody in the pool has published a job ${JSON.stringify(idOrName)}`)
    const ids = named.map(({ id, owner: other }) => `${id} of ${other}`).join(', ')
    throw new UnknownJobError(`several owners have a job ${JSON.stringify(idOrName)}: ${ids}`)
  }

  /** The time of submission that counts here for the order of jobs, ms since 1970. */
  submittedAt({ id, submitted }: PublishedJob): number {
    return this.#cameAt.get(id) ?? submitted
  }

  /** Takes a record. `isNews`: it came while this member computes. */
  take(record: PoolRecord, isNews: boolean): void {
    if (!record.name.startsWith(JOB_PREFIX)) return
    const known = this.named(record.owner, record.name.slice(JOB_PREFIX.length))
    const job = readJob(record)
    if (job === undefined && record.value !== undefined) return
    if (known !== undefined && known.id !== job?.id) this.forget(known.id)
    if (known !== undefined && known.id === job?.id && known.expires !== job.expires) {
      known.expires = job.expires
      this.#expiry.look()
    }
    if (job === undefined || (known?.id === job.id && known.wish === job.wish)) return
    this.#jobs.set(job.id, job)
    if (!this.#cameAt.has(job.id))
      this.#cameAt.set(job.id, Math.min(Date.now(), isNews ? Math.max(job.submitted, Date.now() - FRESH) : job.submitted))
    const fresh = isNews && known === undefined && Math.abs(Date.now() - job.submitted) < FRESH
    this.#events.onPublished(job, fresh)
  }

  forget(id: JobId): void {
    this.#jobs.delete(id)
    this.#cameAt.delete(id)
    this.#events.onForgotten(id)
  }
}
