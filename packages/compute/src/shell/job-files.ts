import { hashOf } from '#platform/crypto'
import type { JobId } from '../core/io.ts'
import type { Scheduler } from '../core/scheduler.ts'
import { BlobMissingError, BlobTooLargeError } from '../errors.ts'
import type { BlobSource, PlacedProgram } from '../executors/container.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { BlobReference } from '../program/blob.ts'
import { MAX_VALUE_BYTES } from '../program/values.ts'
import { keepBlob, MAX_LIST_BYTES, MAX_PART_BYTES, readBlobList } from './blob-list.ts'
import type { BlobStore } from './blob-store.ts'
import { ByteRoom } from './byte-room.ts'
import { JobBlobs } from './job-blobs.ts'
import type { JobHolders } from './job-holders.ts'
import type { PublishedJob } from './job-record.ts'
import { TASKS } from './pins.ts'
import type { PublishedJobs } from './published-jobs.ts'
import { pause } from '@jel/overlay'

/**
 * A member that confirms a job must learn of it within `HEAR_TIME` ms, and must get the list of its
 * blobs within `KEEP_TIME` ms. It checks both every `KEEP_AGAIN` ms. Guesses.
 */
const [KEEP_TIME, HEAR_TIME, KEEP_AGAIN] = [15_000, 2000, 100]

/**
 * A member that keeps bytes of a task gives them to the replicas of the job. At least one replica
 * must take them within `GIVE_TIME` ms. If all replicas have failed, the next try comes after
 * `GIVE_AGAIN` ms. Guesses: `GIVE_TIME` is four times the `ANSWER_TIME` of a blob.
 */
const [GIVE_TIME, GIVE_AGAIN] = [60_000, 1000]

/**
 * A replica also pins bytes that tasks of a job made at other members. Any member can send such
 * bytes, so a replica pins at most `MAX_MADE` bytes of them for one job. Each blob counts for at
 * least `LEAST_MADE` bytes. Guesses: 64 MiB are four results of the largest size.
 */
const [MAX_MADE, LEAST_MADE] = [MAX_PART_BYTES, 64 * 1024]

/**
 * Maximum bytes of inputs, and of lists of blobs, that this member keeps in memory for open jobs of
 * all other owners. In memory a list takes about `LIST_FACTOR` times its encoded bytes. Guesses.
 */
const [MAX_IN_MEMORY, LIST_FACTOR] = [128 * 1024 * 1024, 4]

interface JobFilesParts {
  readonly store: BlobStore
  readonly exchange: BlobExchange
  readonly jobs: PublishedJobs
  readonly scheduler: Scheduler
  readonly holders: JobHolders
  /** The place where a job's tasks may run here; undefined if they may not run here. */
  readonly placeOf: (job: PublishedJob) => PlacedProgram['place'] | undefined
  readonly warn: (code: string, message: string, job: JobId) => void
}

/** The files of jobs at this member: programs, large inputs and blobs, fetched and pinned. */
export class JobFiles {
  readonly #parts: JobFilesParts
  readonly #blobs = new Map<JobId, JobBlobs>()
  /** For each job: the sizes of the bytes that its tasks made at other members, by their hashes. */
  readonly #made = new Map<JobId, Map<string, number>>()
  /** Room in memory for the inputs and lists of open jobs, by their owners. */
  readonly #room = new ByteRoom(MAX_IN_MEMORY)
  /** The room that the input and the list of a job take. */
  readonly #taken = new Map<JobId, { readonly owner: string; input: number; list: number }>()
  #isClosed = false

  constructor(parts: JobFilesParts) {
    this.#parts = parts
  }

  close(): void {
    this.#isClosed = true
  }

  /** The store has evicted files of this holder of pins. The holder may be a job. */
  evicted(holder: string): void {
    const { jobs, warn } = this.#parts
    for (const id of this.#made.keys()) {
      if (madeHolderOf(id) !== holder) continue
      this.#made.delete(id)
      warn('BLOB_TOO_LARGE', 'this member no longer keeps the bytes that tasks of the job made at other members: it needs the disk', id)
    }
    if (!jobs.has(holder)) return
    this.#blobs.get(holder)?.evicted()
    warn(
      'BLOB_TOO_LARGE',
      'this member no longer keeps all files of the job: the owner of the job takes more than its share of the disk',
      holder,
    )
  }

  /** Whether the list of a job's blobs is here. */
  has(id: JobId): boolean {
    return this.#blobs.has(id)
  }

  set(id: JobId, blobs: JobBlobs): void {
    // The job may have ended while the list came.
    if (this.#parts.scheduler.ended(id) === undefined) this.#blobs.set(id, blobs)
  }

  /** The job has ended, or its record is gone. It needs its files no more. */
  ended(id: JobId): void {
    this.#blobs.delete(id)
    this.dropped(id)
    this.#made.delete(id)
    this.#parts.store.unpin(id)
    this.#parts.store.unpin(madeHolderOf(id))
  }

  /**
   * Pins bytes that another member's task of this job made. Only a replica does so, until the job
   * has ended, and up to a limit. Returns a function that releases the pin; undefined if this
   * member does not pin the bytes.
   */
  pinMade(id: JobId, hash: string, size: number): (() => void) | undefined {
    const { jobs, holders, scheduler, store } = this.#parts
    if (!jobs.has(id) || !holders.isReplica(id) || scheduler.ended(id) !== undefined) return undefined
    const made = this.#made.get(id) ?? new Map<string, number>()
    if (made.has(hash)) return () => {}
    const counted = Math.max(LEAST_MADE, size)
    if ([...made.values()].reduce((sum, each) => sum + each, 0) + counted > MAX_MADE) return undefined
    this.#made.set(id, made.set(hash, counted))
    store.pin(hash, madeHolderOf(id), { owner: TASKS })
    return () => {
      made.delete(hash)
      store.release(hash, madeHolderOf(id))
    }
  }

  /**
   * Fetches bytes by their hash from members that may have the job's files. Stops asking once the
   * job is over.
   */
  async fetch(hash: string, id: JobId, most?: number): Promise<Uint8Array> {
    const { exchange, holders, jobs, scheduler } = this.#parts
    return await exchange.fetch(hash, () => (jobs.has(id) && scheduler.ended(id) === undefined ? holders.all(id) : []), most)
  }

  /**
   * Returns the encoded input of a job, and fetches it if the record names a blob.
   *
   * @throws BlobMissingError; BlobTooLargeError if the inputs of other jobs take too much memory
   */
  async inputOf(job: PublishedJob): Promise<Uint8Array> {
    if (job.input !== undefined) return job.input
    const bytes = await this.fetch(job.inputBlob as string, job.id, MAX_VALUE_BYTES)
    this.#take(job, 'input', bytes.length)
    return bytes
  }

  /** Fetches the list of a job's blobs. @throws as `inputOf` */
  async blobsOf(job: PublishedJob): Promise<JobBlobs> {
    const { id, program, blobs } = job
    const bytes = blobs === undefined ? undefined : await this.fetch(blobs, id, MAX_LIST_BYTES)
    const list = bytes === undefined ? [] : await readBlobList(bytes)
    if (bytes !== undefined) this.#take(job, 'list', bytes.length * LIST_FACTOR)
    return new JobBlobs(program, list, async (hash, size) => await this.fetch(hash, id, size))
  }

  /** The input and the list of a job are no longer in memory. */
  dropped(id: JobId): void {
    const taken = this.#taken.get(id)
    if (taken !== undefined) this.#room.free(taken.owner, taken.input + taken.list)
    this.#taken.delete(id)
  }

  /** Pins a file of a job, by default for the job as its holder. */
  pin(hash: string | undefined, id: JobId, { holder = id, isSpare = false } = {}): void {
    const owner = this.#parts.jobs.get(id)?.owner
    if (hash !== undefined && owner !== undefined)
      this.#parts.store.pin(hash, holder, { isSpare, ...(owner !== this.#parts.jobs.owner && { owner }) })
  }

  /** Returns the program of a job. If the job is gone meanwhile, the program fails to start. */
  placed(id: JobId): PlacedProgram {
    const { jobs, exchange, holders, placeOf } = this.#parts
    const job = jobs.get(id)
    return {
      file: async () => await exchange.fileOf((jobs.get(id) as PublishedJob).program, () => holders.all(id)),
      place: (job && placeOf(job)) ?? 'sandbox',
      blob: (name) => this.#openBlob(id, name),
      store: async (bytes) => await this.#keepMade(id, bytes),
    }
  }

  /**
   * Takes room in memory for a job of another owner.
   * @throws BlobTooLargeError if there is none; Error if the job is over or has another record
   */
  #take(job: PublishedJob, kind: 'input' | 'list', bytes: number): void {
    const { id, owner } = job
    const { jobs, scheduler } = this.#parts
    if (jobs.get(id) !== job || scheduler.ended(id) !== undefined) throw new Error('the job is over, or has another record')
    if (owner === jobs.owner) return
    const taken = this.#taken.get(id) ?? { owner, input: 0, list: 0 }
    this.#room.free(owner, taken[kind])
    taken[kind] = 0
    this.#taken.set(id, taken)
    if (!this.#room.take(owner, bytes)) throw new BlobTooLargeError('the inputs of open jobs of other owners take too much memory here')
    taken[kind] = bytes
  }

  /** @throws BlobMissingError if the job has no such blob, or has ended */
  #openBlob(id: JobId, name: string): BlobSource {
    const blobs = this.#blobs.get(id)
    if (blobs === undefined) throw new BlobMissingError(`the blob ${name}: the job has ended`)
    return blobs.open(name)
  }

  /**
   * Keeps bytes that a task made. This member and at least one replica keep them until the job has
   * ended. Without replicas this member alone keeps them.
   */
  async #keepMade(id: JobId, bytes: Uint8Array): Promise<BlobReference> {
    const { store, exchange, holders, scheduler } = this.#parts
    const hash = await hashOf(bytes)
    // The pin comes before the bytes: for a pinned file, the store also drops large results of
    // ended jobs, which have pins of their own (spares).
    if (scheduler.ended(id) === undefined) this.pin(hash, id)
    const reference = await keepBlob(store, bytes)
    for (const begin = performance.now(); ;) {
      const replicas = holders.replicas(id)
      if (replicas.length === 0) return reference
      try {
        // One replica suffices: it keeps the bytes if this member dies. A slow replica must not
        // delay the task.
        await Promise.any(replicas.map(async (replica) => await exchange.give(hash, bytes, replica, id)))
        return reference
      } catch (error) {
        const isOver = this.#isClosed || scheduler.ended(id) !== undefined || performance.now() - begin > GIVE_TIME
        // This member is a replica, and keeps the blob. The other replicas fetch it once they can.
        if (isOver && holders.isReplica(id)) return reference
        if (isOver)
          throw Object.assign(new Error(`no replica of the job takes these bytes: ${reasonOf(error)}`), { code: 'BLOB_NOT_STORED' })
      }
      await pause(GIVE_AGAIN)
    }
  }

  /**
   * Whether all files of a job are here, and stay until the job has ended. Fetches missing files.
   */
  async keeps(id: JobId): Promise<boolean> {
    const { scheduler, jobs, holders } = this.#parts
    for (const begin = performance.now(); !this.#isClosed;) {
      if (scheduler.ended(id) !== undefined) return true
      const isKnown = jobs.has(id)
      if (performance.now() - begin > (isKnown ? KEEP_TIME : HEAR_TIME)) return false
      // Only a replica fetches. Otherwise any member could make others fetch and pin files at will.
      if (isKnown && !holders.isReplica(id)) return false
      const blobs = this.#blobs.get(id)
      if (blobs !== undefined) return await this.#keep(id, blobs)
      await pause(KEEP_AGAIN)
    }
    return false
  }

  /**
   * Fetches the program and blobs of each job of which this member is a replica. It may have become
   * a replica just now.
   */
  keepAll(): void {
    const { store, scheduler, holders } = this.#parts
    for (const [id, blobs] of this.#blobs) {
      if (!blobs.mayKeep || blobs.size > store.limit || scheduler.ended(id) !== undefined) continue
      if (holders.isReplica(id)) void this.#keep(id, blobs)
    }
  }

  /**
   * Warns with the error's own code. If this disk is full, the code is `ENOSPC`, which blames no
   * other member.
   */
  warnOf(error: unknown, id: JobId): void {
    const { code = 'BLOB_MISSING', message = String(error) } = error as { readonly code?: string; readonly message?: string }
    this.#parts.warn(code, message, id)
  }

  async #keep(id: JobId, blobs: JobBlobs): Promise<boolean> {
    const { store, jobs } = this.#parts
    if (blobs.isTooLarge || blobs.size > store.limit) return false
    const { inputBlob, blobs: list } = jobs.get(id) ?? {}
    for (const hash of [inputBlob, list, ...blobs.hashes]) this.pin(hash, id)
    try {
      await blobs.keep()
      return true
    } catch (error) {
      // An earlier call has given the warning.
      if (blobs.isTooLarge) return false
      if (error instanceof BlobTooLargeError) {
        // The files that came are useless without the other files.
        store.unpin(id)
        blobs.isTooLarge = error.isForGood
      }
      this.warnOf(error, id)
      return false
    }
  }
}

/** Returns the name under which bytes are pinned that tasks of the job made at other members. */
function madeHolderOf(id: JobId): string {
  return `${id}/tasks`
}

/** Returns the message of the error. Of the errors of several replicas it takes the last one. */
function reasonOf(error: unknown): string {
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
  return last instanceof Error ? last.message : String(last)
}
