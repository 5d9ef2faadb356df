import type { Pool, PoolRecord, RecordOwner } from '@jel/jel'
import { FRESH, isFresh } from '../core/freshness.ts'
import type { JobId } from '../core/io.ts'
import { NotOwnerError, UnknownJobError } from '../errors.ts'
import { Expiry } from './expiry.ts'
import { encodeJob, JOB_PREFIX, lifetimeAfterEnd, readJob, unknownFields, type JobRecord, type PublishedJob } from './job-record.ts'

/**
 * Maximum number of withdrawn jobs that this member remembers. A guess: far more than owners
 * withdraw in a minute.
 */
const MAX_WITHDRAWN = 1024
/**
 * Maximum number of jobs of later releases of which this member warns. After that it is silent. A
 * guess: so many warnings suffice to update the member.
 */
const MAX_UNKNOWN_JOBS = 256

export interface PublishedJobsEvents {
  /** A job, or a new version of a job. `fresh`: it was submitted just now. */
  onPublished(job: PublishedJob, fresh: boolean): void
  /** A job expired, its owner withdrew it, or gave its name to another job. */
  onForgotten(id: JobId): void
  /** The record of a job has fields that this release does not know. Called once for a job. */
  onUnknown(name: string, owner: string, fields: readonly string[]): void
}

/**
 * The jobs of the pool, as their owners' records state them. Publishes the jobs of this member's
 * owner.
 */
export class PublishedJobs {
  readonly #pool: Pool
  readonly #owner: RecordOwner | undefined
  readonly #events: PublishedJobsEvents
  readonly #returnedAt: () => number
  readonly #jobs = new Map<JobId, PublishedJob>()
  /**
   * For each job the time that counts here for the order of jobs. The owner states the date of a
   * job. A false date must not move a new job ahead of jobs that were here before.
   */
  readonly #cameAt = new Map<JobId, number>()
  /**
   * The dates of the jobs that their owners withdrew. A member that had not learned of a withdrawal
   * may have published the record again. This member ignores that record, and withdraws it again if
   * the job belongs to its owner.
   */
  readonly #withdrawn = new Map<JobId, number>()
  /** The jobs of later releases of which this member warned, by owner and name. */
  readonly #unknown = new Set<string>()
  readonly #expiry = new Expiry(
    () => this.#jobs.values(),
    (job) => this.forget(job),
  )
  readonly #stop = new AbortController()

  /**
   * @param owner the owner of this member's jobs; undefined: the node itself
   * @param returnedAt returns when members that were gone came back last, ms since 1970
   */
  constructor(pool: Pool, owner: RecordOwner | undefined, events: PublishedJobsEvents, returnedAt: () => number) {
    this.#pool = pool
    this.#owner = owner
    this.#events = events
    this.#returnedAt = returnedAt
  }

  /** The id of the owner of this member's jobs. */
  get owner(): string {
    return this.#owner?.id ?? this.#pool.self.id
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

  /** Returns the number of earlier jobs that `counts` accepts. */
  earlierThan({ submitted }: PublishedJob, counts: (id: JobId) => boolean): number {
    let earlier = 0
    for (const each of this.#jobs.values()) if (each.submitted < submitted && counts(each.id)) earlier++
    return earlier
  }

  named(owner: string, name: string): PublishedJob | undefined {
    return [...this.#jobs.values()].find((job) => job.owner === owner && job.name === name)
  }

  /**
   * Finds a job by its id or name. Of several jobs of one name it prefers the job of this member's
   * owner.
   *
   * @throws UnknownJobError if there is no such job, or if several other owners have one
   */
  find(idOrName: string): JobId {
    if (this.#jobs.has(idOrName)) return idOrName
    const own = this.named(this.owner, idOrName)
    if (own !== undefined) return own.id
    const named = [...this.#jobs.values()].filter(({ name }) => name === idOrName)
    if (named.length === 1) return (named[0] as PublishedJob).id
    if (named.length === 0) throw new UnknownJobError(`nobody in the pool has published a job ${JSON.stringify(idOrName)}`)
    const ids = named.map(({ id, owner }) => `${id} of ${owner}`).join(', ')
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
    if (job === undefined && record.value !== undefined) {
      // The owner gave the name to a job that this release does not know.
      if (known !== undefined && known.version < record.version) this.forget(known.id)
      this.#noteUnknown(record)
      return
    }
    if (job !== undefined && this.#withdrawn.get(job.id) === job.submitted) {
      if (job.owner === this.owner) void this.#unpublish(job.name).catch(() => {})
      return
    }
    // An evicted record keeps its version, and may come back. So may a record that has expired by a
    // wrong calendar.
    const isWithdrawn = known !== undefined && job === undefined && record.version > known.version && record.expires > Date.now()
    if (isWithdrawn) this.#noteWithdrawn(known)
    if (known !== undefined && known.id !== job?.id) this.forget(known.id)
    if (known !== undefined && known.id === job?.id) {
      known.version = job.version
      const isOther = known.expires !== job.expires
      known.expires = job.expires
      if (isOther) this.#expiry.look()
    }
    if (job === undefined || (known?.id === job.id && known.desired === job.desired)) return
    this.#jobs.set(job.id, job)
    if (!this.#cameAt.has(job.id))
      this.#cameAt.set(job.id, Math.min(Date.now(), isNews ? Math.max(job.submitted, Date.now() - FRESH) : job.submitted))
    const since = Math.max(this.#pool.self.joinedAt, this.#returnedAt())
    const fresh = isNews && known === undefined && isFresh(job.submitted, Date.now(), since)
    this.#events.onPublished(job, fresh)
  }

  forget(id: JobId): void {
    this.#jobs.delete(id)
    this.#cameAt.delete(id)
    this.#events.onForgotten(id)
  }

  async publish(name: string, job: JobRecord, lifetime: number): Promise<void> {
    const owner = this.#owner && { owner: this.#owner }
    const record = await this.#pool.publish(JOB_PREFIX + name, encodeJob(job), { ttl: lifetime, ...owner })
    // Meanwhile the owner may have given the name to another job.
    const latest = this.#pool.records(record.name).find((each) => each.name === record.name && each.owner === record.owner)
    this.take(latest ?? record, true)
  }

  /** Publishes a new desired state of a job. @throws NotOwnerError, UnknownJobError */
  async setDesired(id: JobId, desired: JobRecord['desired']): Promise<void> {
    const job = this.#own(id, desired)
    const left = Math.max(1000, job.expires - Date.now())
    await this.publish(job.name, { ...job, desired }, desired === 'cancel' ? Math.min(job.keep, left) : left)
  }

  /** @throws NotOwnerError, UnknownJobError */
  async withdraw(id: JobId): Promise<void> {
    const job = this.#own(id, 'forget')
    await this.#unpublish(job.name)
    if (this.#jobs.get(id) === job) this.forget(id)
  }

  /**
   * Changes the lifetime of the record of an ended job. The record of a running job lives as long
   * as a job may run. After the end only the owner can shorten this time. If no member of the owner
   * does so, the pool keeps the job longer.
   */
  keepEnded(id: JobId): void {
    const job = this.#jobs.get(id)
    const lifetime = job?.owner === this.owner ? lifetimeAfterEnd(job, Date.now()) : undefined
    if (job !== undefined && lifetime !== undefined) void this.publish(job.name, job, lifetime).catch(() => {})
  }

  /** Warns once of each job, since each member may publish records without end. */
  #noteUnknown(record: PoolRecord): void {
    const fields = unknownFields(record)
    const job = `${record.owner} ${record.name}`
    if (fields.length === 0 || this.#unknown.has(job) || this.#unknown.size === MAX_UNKNOWN_JOBS) return
    this.#unknown.add(job)
    this.#events.onUnknown(record.name.slice(JOB_PREFIX.length), record.owner, fields)
  }

  #noteWithdrawn({ id, submitted }: PublishedJob): void {
    this.#withdrawn.delete(id)
    this.#withdrawn.set(id, submitted)
    if (this.#withdrawn.size > MAX_WITHDRAWN) this.#withdrawn.delete(this.#withdrawn.keys().next().value as JobId)
  }

  async #unpublish(name: string): Promise<void> {
    await this.#pool.unpublish(JOB_PREFIX + name, { ...(this.#owner && { owner: this.#owner }) })
  }

  #own(id: JobId, what: string): PublishedJob {
    const job = this.#jobs.get(id)
    if (job === undefined) throw new UnknownJobError(`nobody in the pool has published a job ${id}`)
    if (job.owner !== this.owner)
      throw new NotOwnerError(`the job ${job.name} is ${job.owner}'s, and this is ${this.owner}: only its owner may ${what} it`)
    return job
  }
}
