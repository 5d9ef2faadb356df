import type { Pool, RecordOwner } from '@jel/jel'
import type { JobId } from '../core/io.ts'
import { NotOwnerError, UnknownJobError } from '../errors.ts'
import type { JobHolders } from './job-holders.ts'
import type { JobKeepers } from './job-keepers.ts'
import { encodeJob, JOB_PREFIX, lifetimeAfterEnd, type JobRecord, type PublishedJob } from './job-record.ts'
import type { PublishedJobs } from './published-jobs.ts'

interface OwnJobsParts {
  /** The owner of this member's jobs; undefined: the node itself. */
  readonly owner: RecordOwner | undefined
  readonly pool: Pool
  readonly jobs: PublishedJobs
  readonly holders: JobHolders
  readonly keepers: JobKeepers
}

/** The records of the jobs of this member's owner: publishes, changes and withdraws them. */
export class OwnJobs {
  readonly #parts: OwnJobsParts

  constructor(parts: OwnJobsParts) {
    this.#parts = parts
  }

  /** The id of the owner. */
  get owner(): string {
    return this.#parts.owner?.id ?? this.#parts.pool.self.id
  }

  async publish(name: string, job: JobRecord, lifetime: number): Promise<void> {
    const { pool, jobs, owner } = this.#parts
    const record = await pool.publish(JOB_PREFIX + name, encodeJob(job), { ttl: lifetime, ...(owner && { owner }) })
    // The owner may have given the name to another job meanwhile.
    const latest = pool.records(record.name).find((each) => each.name === record.name && each.owner === record.owner)
    jobs.take(latest ?? record, true)
  }

  /** @throws NotOwnerError, UnknownJobError */
  async wish(id: JobId, wish: JobRecord['wish']): Promise<void> {
    const job = this.#own(id, wish)
    const left = Math.max(1000, job.expires - Date.now())
    await this.publish(job.name, { ...job, wish }, wish === 'cancel' ? Math.min(job.keep, left) : left)
    if (wish !== 'cancel') await this.#untilKnown(id, wish)
  }

  /** @throws NotOwnerError, UnknownJobError */
  async withdraw(id: JobId): Promise<void> {
    const { pool, jobs, owner } = this.#parts
    const job = this.#own(id, 'forget')
    await pool.unpublish(JOB_PREFIX + job.name, { ...(owner && { owner }) })
    if (jobs.get(id) === job) jobs.forget(id)
    await this.#untilKnown(id, 'forget')
  }

  /**
   * Changes the lifetime of the record of an ended job. A record lives as long as a job may run.
   * After the end only the owner can state how long it stays; without that the job is kept longer.
   */
  keepEnded(id: JobId): void {
    const job = this.#parts.jobs.get(id)
    const lifetime = job?.owner === this.owner ? lifetimeAfterEnd(job, Date.now()) : undefined
    if (job !== undefined && lifetime !== undefined) void this.publish(job.name, job, lifetime).catch(() => {})
  }

  async #untilKnown(id: JobId, wish: JobRecord['wish'] | 'forget'): Promise<void> {
    await this.#parts.keepers.untilKnown(this.#parts.holders.keepers(id), id, wish)
  }

  #own(id: JobId, what: string): PublishedJob {
    const job = this.#parts.jobs.get(id)
    if (job === undefined) throw new UnknownJobError(`nobody in the pool has published a job ${id}`)
    if (job.owner !== this.owner)
      throw new NotOwnerError(`the job ${job.name} is ${job.owner}'s, and this is ${this.owner}: only its owner may ${what} it`)
    return job
  }
}
