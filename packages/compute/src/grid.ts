import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolRecord } from '@jel/jel'
import { TypedEventEmitter } from 'main-event'
import type { Entry } from './core/entry.ts'
import type { HeldTask, Input, JobId } from './core/io.ts'
import { BlobTooLargeError, JobNameTakenError, JobNotKeptError, NotOwnerError, UnknownJobError, VotesError } from './errors.ts'
import type { PlacedProgram } from './executors/container.ts'
import { describeProgram, findFunction } from './executors/describe.ts'
import type { ProgramFunction } from './executors/messages.ts'
import { needsOf } from './executors/program-needs.ts'
import { Job, type JobSource, type JobStatus } from './job.ts'
import { checkSubmitOptions, ticketsOf, type ComputeOptions, type SubmitOptions } from './options.ts'
import { blobsIn, type BlobReference } from './program/blob.ts'
import { encodeValue } from './program/values.ts'
import { BlobExchange } from './shell/blob-exchange.ts'
import { keepBlob, listBlobs, MAX_LIST_BYTES, MAX_PART_BYTES, readBlobList } from './shell/blob-list.ts'
import { BlobStore } from './shell/blob-store.ts'
import { bundleProgram } from './shell/bundle.ts'
import { Endings } from './shell/endings.ts'
import { Expiry } from './shell/expiry.ts'
import { Explanations } from './shell/explanations.ts'
import { JobBlobs } from './shell/job-blobs.ts'
import { JobKeepers } from './shell/job-keepers.ts'
import {
  DEFAULT_KEEP,
  encodeJob,
  jobId,
  JOB_PREFIX,
  lifeAfterEnd,
  MAX_INLINE_INPUT,
  MAX_LIFE,
  MAX_VOTES,
  readJob,
  type JobRecord,
  type PublishedJob,
} from './shell/job-record.ts'
import { PeerBudget } from './shell/peer-budget.ts'
import { PeerStreams } from './shell/peer-streams.ts'
import { Roster } from './shell/roster.ts'
import { Runner } from './shell/runner.ts'
import { Shifts, type EndedShift, type Shift } from './shell/shifts.ts'
import { VoteSigner } from './shell/vote-signer.ts'

/**
 * A job counts as just submitted if this member learns of it within this time of its date, ms. A
 * guess: clocks differ by seconds.
 */
const FRESH = 10_000
/** Wait before a program or an input that no member had is requested again, ms. A guess. */
const FETCH_AGAIN = 2000
/** This wait doubles up to this limit, ms. A guess. */
const FETCH_SELDOM = 300_000
/**
 * How long another member may take to get all of a job; how long a member may take to learn of a
 * job or of its end; and the interval of the checks for either, ms. Guesses.
 */
const [KEEP_TIME, HEAR_TIME, KEEP_AGAIN] = [15_000, 2000, 100]
/** Programs that run by default: this owner's with all rights, those of others in sandboxes. */
const DEFAULT_ACCEPT = ['own', 'sandbox']
/**
 * How long replicas may take to learn of a cancellation, ms. It exceeds the time limit of a
 * request.
 */
const CANCEL_TIME = 5000
/** Members that are asked for a blob, besides the replicas. A guess. */
const MAX_ASKED = 16

/** Events of a {@link Grid}. */
export interface GridEvents {
  /** This member runs its first task of a job. */
  working: CustomEvent<Shift>
  /** A job has ended of which this member ran tasks. */
  worked: CustomEvent<EndedShift>
  /** Something that an operator should know. */
  warning: CustomEvent<{ readonly code: string; readonly message: string; readonly job: string | undefined }>
}

/** Computing on a pool: the workers of this member, and all jobs. `compute` creates it. */
export class Grid extends TypedEventEmitter<GridEvents> implements AsyncDisposable, JobSource {
  readonly #pool: Pool
  readonly #options: ComputeOptions
  readonly #store: BlobStore
  readonly #blobs: BlobExchange
  readonly #keepers: JobKeepers
  readonly #budget = new PeerBudget()
  readonly #streams: PeerStreams
  readonly #roster: Roster
  readonly #signer: VoteSigner
  readonly #runner: Runner
  readonly #jobs = new Map<JobId, PublishedJob>()
  /**
   * When a job first arrived, in this member's order. The owner states the date of a job, so that
   * date must not move the job ahead of those that were here before.
   */
  readonly #cameAt = new Map<JobId, number>()
  readonly #jobBlobs = new Map<JobId, JobBlobs>()
  /**
   * Exports of programs that were submitted here, by the program's hash. It takes a process to find
   * them.
   */
  readonly #functions = new Map<string, readonly ProgramFunction[]>()
  readonly #shifts = new Shifts({
    shiftOf: (job) => this.#shiftOf(job),
    onBegun: (detail) => this.safeDispatchEvent('working', { detail }),
    onEnded: (detail) => this.safeDispatchEvent('worked', { detail }),
  })
  readonly #endings = new Endings()
  readonly #explanations = new Explanations()
  readonly #expiry = new Expiry(
    () => this.#jobs.values(),
    (job) => this.#forget(job),
  )
  readonly #stop = new AbortController()

  /** Use `compute` instead. */
  constructor(pool: Pool, options: ComputeOptions) {
    super()
    this.#pool = pool
    this.#options = options
    const { visits = false } = options
    this.#store = new BlobStore(options.cache, options.limits?.disk)
    this.#store.onEvicted = (id) => {
      const blobs = this.#jobBlobs.get(id)
      if (blobs !== undefined) blobs.isKept = false
      this.#warn('BLOB_TOO_LARGE', 'what it needs makes way for jobs of other owners, that take less of the disk', id)
    }
    this.#blobs = new BlobExchange(pool, this.#store, this.#budget)
    this.#keepers = new JobKeepers(pool, {
      keeps: async (job) => await this.#keeps(job),
      wishOf: (job) => this.#jobs.get(job)?.wish ?? 'forget',
    })
    this.#streams = new PeerStreams(pool, this.#budget, {
      onMessage: (from, message) => {
        this.#roster.heard(from)
        this.#runner.feed({ type: 'message', from, message })
      },
      onUnreached: (id) => this.#runner.feed({ type: 'unreached', id }),
      onNonsense: (from, reason) => this.#warn('PEER_MISBEHAVED', `${from}: ${reason}`, undefined),
    })
    this.#signer = new VoteSigner(pool)
    this.#runner = new Runner({
      self: { id: pool.self.id, location: pool.self.location, visits, computes: this.works },
      workers: options.workers ?? 0,
      ...(options.limits && { limits: options.limits }),
      ...(options.tickets && { tickets: ticketsOf(options.tickets, this.owner) }),
      signer: this.#signer,
      programOf: (job) => this.#placed(job),
      send: (to, message) => this.#streams.send(to, message),
      onRun: ({ job }) => this.#shifts.ran(job, performance.now()),
      onEnded: ({ job, entry }) => {
        this.#store.unpin(job)
        this.#endings.tell(job)
        this.#keepEnded(job)
        this.#shifts.ended(job, entry, performance.now())
      },
      onExplained: ({ job, tasks }) => this.#explanations.answered(job, tasks),
      onWarning: ({ code, message, job }) => this.#warn(code, message, job),
    })
    this.#roster = new Roster(pool, { visits, computes: this.works }, (inputs) => this.#membersChanged(inputs))
  }

  #shiftOf(id: JobId): Shift | undefined {
    const job = this.#jobs.get(id)
    return job && { job: id, name: job.name, owner: job.owner }
  }

  /** Called once, by `compute`. */
  async start(): Promise<void> {
    const { signal } = this.#stop
    await this.#blobs.start()
    await this.#keepers.start()
    await this.#streams.start()
    if (this.#options.visits !== true) await this.#signer.start()
    await this.#roster.start()
    this.#pool.addEventListener('record', ({ detail }) => this.#record(detail, true), { signal })
    for (const record of this.#pool.records(JOB_PREFIX)) this.#record(record, false)
    this.#expiry.look()
  }

  /** Whether this member runs tasks. */
  get works(): boolean {
    return (this.#options.workers ?? 0) > 0
  }

  /** The id of the owner of the jobs that this member submits. */
  get owner(): string {
    return this.#options.owner?.id ?? this.#pool.self.id
  }

  /**
   * Stores bytes, or those of a file, here, and returns their name. If the name stands in the input
   * of a job, the blob belongs to the job, and the tasks get its bytes by `use`.
   *
   * @param source the path of a file, or bytes
   * @throws BlobTooLargeError
   */
  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await keepBlob(this.#store, source)
  }

  /**
   * Submits a job: a function of a program, and its input. The job goes on without this member. The
   * same name, program and input again are the same job.
   *
   * @param program the path of a file, which may import others, or the bytes of a module without
   * imports; at most 64 MiB
   * @param fn the name under which the program exports the task
   * @param input anything that a structured clone takes, except data views and boxed numbers and
   * strings; at most 1 MiB
   * @throws InvalidOptionError, ProgramError, FunctionMissingError, VotesError, JobNameTakenError,
   * UnclonableError, ValueTooLargeError, BlobMissingError, BlobTooLargeError; any error of
   * `publish`
   */
  async submit(program: string | Uint8Array, fn: string, input?: unknown, options: SubmitOptions = {}): Promise<Job> {
    checkSubmitOptions(options)
    // Pins the files until the job has its id, which depends on all of them.
    const pin = { for: `submission ${crypto.randomUUID()}` }
    try {
      return await this.#submit(program, fn, input, options, pin)
    } finally {
      this.#store.unpin(pin.for)
    }
  }

  async #submit(program: string | Uint8Array, fn: string, input: unknown, options: SubmitOptions, pin: { for: string }): Promise<Job> {
    const bytes = typeof program === 'string' ? await bundleProgram(program) : program
    if (bytes.length > MAX_PART_BYTES)
      throw new BlobTooLargeError(`a program may have ${MAX_PART_BYTES} bytes, not ${bytes.length}: hand large data in as a blob`)
    const hash = await this.#store.put(bytes, pin)
    const functions = this.#functions.get(hash) ?? (await describeProgram(async () => await this.#store.fileOf(hash)))
    this.#functions.set(hash, functions)
    const { result } = findFunction(functions, fn)
    const { votes = 1 } = options
    if (!Number.isInteger(votes) || votes < 1 || votes > MAX_VOTES)
      throw new VotesError(`votes: a whole number from 1 to ${MAX_VOTES}, not ${votes}`)
    const needs = needsOf(new TextDecoder().decode(bytes))
    const encoded = encodeValue(input)
    const inputBlob = encoded.length > MAX_INLINE_INPUT ? await this.#store.put(encoded, pin) : undefined
    const list = await listBlobs(this.#store, [...blobsIn(input), ...(options.blobs ?? [])])
    const blobs = list && (await this.#store.put(list, pin))
    const name = options.name ?? crypto.randomUUID()
    const job: JobRecord = {
      program: hash,
      fn,
      input: inputBlob === undefined ? encoded : undefined,
      inputBlob,
      blobs,
      result,
      trusted: needs.length > 0,
      votes,
      submitted: Date.now(),
      keep: options.keep ?? DEFAULT_KEEP,
      wish: 'run',
    }
    const id = jobId(this.owner, name, job)
    const known = this.#named(this.owner, name)
    // The name of a cancelled job is free.
    if (known !== undefined && known.wish !== 'cancel') {
      if (known.id !== id) throw new JobNameTakenError(`this owner has another job of the name ${JSON.stringify(name)}`)
      return new Job(this, id)
    }
    if (needs.length > 0)
      this.#warn('PROGRAM_NEEDS_TRUST', `${needs.join(', ')}: what no sandbox has. Only members that accept ${this.owner} run it`, id)
    const parts = list === undefined ? [] : (await readBlobList(list)).flatMap((each) => each.parts)
    for (const part of parts) this.#store.pin(part, pin.for)
    await this.#distribute(
      id,
      [hash, inputBlob, blobs, ...parts].filter((each) => each !== undefined),
    )
    await this.#publish(name, job, MAX_LIFE)
    return new Job(this, id)
  }

  /**
   * Returns a job by its id or name.
   *
   * @throws UnknownJobError if there is none, or if several owners have a job of this name
   */
  job(idOrName: string): Job {
    if (this.#jobs.has(idOrName)) return new Job(this, idOrName)
    const own = this.#named(this.owner, idOrName)
    if (own !== undefined) return new Job(this, own.id)
    const named = [...this.#jobs.values()].filter(({ name }) => name === idOrName)
    if (named.length === 1) return new Job(this, (named[0] as PublishedJob).id)
    if (named.length === 0) throw new UnknownJobError(`nobody in the pool has published a job ${JSON.stringify(idOrName)}`)
    const ids = named.map(({ id, owner }) => `${id} of ${owner}`).join(', ')
    throw new UnknownJobError(`several owners have a job ${JSON.stringify(idOrName)}: ${ids}`)
  }

  /** All jobs of the pool, the oldest first. */
  jobs(): Job[] {
    return [...this.#jobs.values()].sort((a, b) => a.submitted - b.submitted).map(({ id }) => new Job(this, id))
  }

  /**
   * Stops computing here. Other members take over the tasks that this member holds. The pool stays
   * open.
   */
  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    this.#expiry.close()
    await this.#runner.close()
    await this.#roster.close()
    await this.#streams.close()
    await this.#blobs.close()
    await this.#keepers.close()
    this.#store.close()
    this.#endings.tellAll()
    this.#explanations.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** @internal */
  published(id: JobId): PublishedJob | undefined {
    return this.#jobs.get(id)
  }

  /** @internal */
  status(id: JobId): JobStatus | undefined {
    return this.#runner.scheduler.job(id)
  }

  /** @internal */
  replicas(id: JobId): readonly string[] {
    return this.#runner.scheduler.replicas(id)
  }

  /** @internal */
  watch(id: JobId): void {
    this.#runner.feed({ type: 'watch', job: id })
  }

  /** @internal */
  async explain(id: JobId, ms: number): Promise<readonly HeldTask[]> {
    if (this.#runner.scheduler.ended(id) !== undefined) return []
    return await this.#explanations.of(id, ms, () => this.#runner.feed({ type: 'explain', job: id }))
  }

  /** @internal */
  get closed(): boolean {
    return this.#stop.signal.aborted
  }

  /**
   * @internal Resolves when the job has ended or expired, when this grid is closed, or after `ms`.
   */
  async ended(id: JobId, ms?: number): Promise<Entry | undefined> {
    const isOver = this.closed || !this.#jobs.has(id) || this.#runner.scheduler.ended(id) !== undefined
    if (!isOver) await this.#endings.wait(id, ms)
    return this.status(id)?.entry
  }

  /** @internal */
  async kept(id: JobId, within: number): Promise<string> {
    let asked: readonly string[] = []
    for (const end = performance.now() + within; !this.closed && this.#jobs.has(id);) {
      asked = this.replicas(id).filter((member) => member !== this.#pool.self.id)
      for (const member of asked) if (await this.#keepers.ask(member, id)) return member
      if (this.#runner.scheduler.ended(id) !== undefined) return this.#pool.self.id
      if (performance.now() > end) break
      await sleep(KEEP_AGAIN)
    }
    const why = asked.length === 0 ? 'nobody else computes in this pool' : `none of ${asked.length} members has taken all of it`
    throw new JobNotKeptError(`the job is at this member alone, and would be lost with it: ${why}`)
  }

  /** @internal */
  async wish(id: JobId, wish: JobRecord['wish']): Promise<void> {
    const job = this.#ownJob(id, wish)
    const left = Math.max(1000, job.expires - Date.now())
    await this.#publish(job.name, { ...job, wish }, wish === 'cancel' ? Math.min(job.keep, left) : left)
    // The job is over here once replicas have answered that they stopped, or that it has an
    // outcome.
    if (wish === 'cancel') await this.ended(id, CANCEL_TIME)
    else await this.#keepers.tell(this.#keepersOf(id), id, wish)
  }

  async #publish(name: string, job: JobRecord, ttl: number): Promise<void> {
    const { owner } = this.#options
    const record = await this.#pool.publish(JOB_PREFIX + name, encodeJob(job), { ttl, ...(owner && { owner }) })
    // The owner may have given the name to another job meanwhile.
    const latest = this.#pool.records(record.name).find((each) => each.name === record.name && each.owner === record.owner)
    this.#record(latest ?? record, true)
  }

  /**
   * Extends the record of an ended job. A record lives as long as a job may run. After the end only
   * the owner can state how long it stays; without that the job is kept longer.
   */
  #keepEnded(id: JobId): void {
    const job = this.#jobs.get(id)
    const ttl = job?.owner === this.owner ? lifeAfterEnd(job, Date.now()) : undefined
    if (job !== undefined && ttl !== undefined) void this.#publish(job.name, job, ttl).catch(() => {})
  }

  /** @internal */
  async forget(id: JobId): Promise<void> {
    const job = this.#ownJob(id, 'forget')
    const { owner } = this.#options
    await this.#pool.unpublish(JOB_PREFIX + job.name, { ...(owner && { owner }) })
    if (this.#jobs.get(id) === job) this.#forget(id)
    await this.#keepers.tell(this.#keepersOf(id), id, 'forget')
  }

  #ownJob(id: JobId, what: string): PublishedJob {
    const job = this.#jobs.get(id)
    if (job === undefined) throw new UnknownJobError(`nobody in the pool has published a job ${id}`)
    if (job.owner !== this.owner)
      throw new NotOwnerError(`the job ${job.name} is ${job.owner}'s, and this is ${this.owner}: only its owner may ${what} it`)
    return job
  }

  /** Pushes programs, inputs and blobs to the replicas before any member learns of the job. */
  async #distribute(id: JobId, hashes: readonly string[]): Promise<void> {
    let replicas = this.#runner.scheduler.replicas(id).filter((member) => member !== this.#pool.self.id)
    // A member that did not take a blob is skipped for the next one. It fetches the blobs that it
    // lacks.
    for (const hash of hashes) replicas = await this.#blobs.push(hash, replicas)
  }

  #record(record: PoolRecord, isNews: boolean): void {
    if (!record.name.startsWith(JOB_PREFIX)) return
    const known = this.#named(record.owner, record.name.slice(JOB_PREFIX.length))
    const job = readJob(record)
    if (job === undefined && record.value !== undefined) return
    if (known !== undefined && known.id !== job?.id) this.#forget(known.id)
    if (known !== undefined && known.id === job?.id && known.expires !== job.expires) {
      known.expires = job.expires
      this.#expiry.look()
    }
    if (job === undefined || (known?.id === job.id && known.wish === job.wish)) return
    this.#jobs.set(job.id, job)
    if (!this.#cameAt.has(job.id))
      this.#cameAt.set(job.id, Math.min(Date.now(), isNews ? Math.max(job.submitted, Date.now() - FRESH) : job.submitted))
    const fresh = isNews && known === undefined && Math.abs(Date.now() - job.submitted) < FRESH
    void this.#prepare(job, fresh)
  }

  /** Whether all of a job is here, and stays until the job has ended. Fetches what is missing. */
  async #keeps(id: JobId): Promise<boolean> {
    for (const begin = performance.now(); !this.closed;) {
      if (this.#runner.scheduler.ended(id) !== undefined) return true
      const isKnown = this.#jobs.has(id)
      if (performance.now() - begin > (isKnown ? KEEP_TIME : HEAR_TIME)) return false
      // Only a replica fetches: otherwise any member could make others fetch and pin files at will.
      if (isKnown && !this.replicas(id).includes(this.#pool.self.id)) return false
      const blobs = this.#jobBlobs.get(id)
      if (blobs !== undefined) return await this.#keep(id, blobs)
      await sleep(KEEP_AGAIN)
    }
    return false
  }

  async #keep(id: JobId, blobs: JobBlobs): Promise<boolean> {
    if (blobs.isTooLarge || blobs.size > this.#store.limit) return false
    const { inputBlob, blobs: list } = this.#jobs.get(id) ?? {}
    for (const hash of [inputBlob, list, ...blobs.hashes]) this.#pin(hash, id)
    try {
      await blobs.keep()
      return true
    } catch (error) {
      // A warning was given before.
      if (blobs.isTooLarge) return false
      if (error instanceof BlobTooLargeError) {
        // A part of the files is useless.
        this.#store.unpin(id)
        blobs.isTooLarge = error.isForGood
      }
      this.#warnOfBlob(error, id)
      return false
    }
  }

  /**
   * Forgets a job that expired, that its owner withdrew, or whose name its owner gave to another
   * job.
   */
  #forget(id: JobId): void {
    this.#jobs.delete(id)
    this.#cameAt.delete(id)
    this.#jobBlobs.delete(id)
    this.#store.unpin(id)
    this.#runner.feed({ type: 'expired', job: id })
    this.#endings.tell(id)
  }

  #named(owner: string, name: string): PublishedJob | undefined {
    return [...this.#jobs.values()].find((job) => job.owner === owner && job.name === name)
  }

  /**
   * Takes part in a job: at once as a member that keeps outcomes of others, and as a worker as soon
   * as all that this needs is here.
   */
  async #prepare(job: PublishedJob, fresh: boolean): Promise<void> {
    const { id, owner, program, fn, inputBlob, votes } = job
    const submitted = this.#cameAt.get(id) ?? job.submitted
    const spec = { id, owner, fn, input: job.input, votes, submitted, wish: job.wish, accepted: false, fresh }
    this.#runner.feed({ type: 'job', spec })
    if (this.#endings.has(id)) this.watch(id)
    // A job that is over needs nothing. So a late member asks before it fetches files, which may be
    // large.
    if (!fresh && job.wish !== 'cancel' && (inputBlob ?? job.blobs) !== undefined && !this.#jobBlobs.has(id))
      await this.#askWhetherOver(job)
    for (let wait = FETCH_AGAIN; job.wish !== 'cancel' && this.#isOpen(job);) {
      let blobs: JobBlobs | undefined
      try {
        if (this.#isNeededHere(job)) for (const hash of [inputBlob, job.blobs, this.#placeOf(job) && program]) this.#pin(hash, id)
        const input = job.input ?? (await this.#blobs.fetch(inputBlob as string, () => this.#holders(id)))
        blobs = await this.#blobsOf(job)
        const accepted = this.#placeOf(job) !== undefined && blobs.size <= this.#store.limit
        if (accepted) await this.#blobs.fetch(program, () => this.#holders(id))
        if (this.#jobs.get(id) !== job) return
        this.#jobBlobs.set(id, blobs)
        if (blobs.size > this.#store.limit)
          this.#warn(
            'BLOB_TOO_LARGE',
            `its blobs take ${blobs.size} bytes, and this member keeps ${this.#store.limit}: it leaves the job to others`,
            id,
          )
        this.#runner.feed({ type: 'job', spec: { ...spec, input, accepted, fresh: fresh && wait === FETCH_AGAIN } })
        // Not for strangers: their records alone could otherwise start processes everywhere.
        if (fresh && accepted && job.wish === 'run' && this.#placeOf(job) === 'own') this.#runner.warm(id)
        if (this.#endings.has(id)) this.watch(id)
        this.#keepBlobs()
        return
      } catch (error) {
        if (wait === FETCH_AGAIN) {
          this.#warnOfBlob(error, id)
          // The job may be over long ago. Then nobody needs the file.
          this.watch(id)
        }
        if (error instanceof BlobTooLargeError && error.isForGood) {
          // This member leaves the job to others.
          this.#store.unpin(id)
          if (blobs !== undefined) {
            blobs.isTooLarge = true
            this.#jobBlobs.set(id, blobs)
          }
          return
        }
        await sleep(wait, undefined, { signal: this.#stop.signal }).catch(() => {})
        wait = Math.min(2 * wait, FETCH_SELDOM)
      }
    }
  }

  /** Waits until a replica answers that a job is over, or that it goes on. */
  async #askWhetherOver(job: PublishedJob): Promise<void> {
    const { scheduler } = this.#runner
    this.#runner.feed({ type: 'watch', job: job.id, once: true })
    if (scheduler.replicas(job.id).every((member) => member === this.#pool.self.id)) return
    for (const begin = performance.now(); this.#isOpen(job) && !scheduler.isOpenElsewhere(job.id);) {
      if (performance.now() - begin > HEAR_TIME) return
      await sleep(KEEP_AGAIN, undefined, { ref: false })
    }
  }

  #pin(hash: string | undefined, id: JobId): void {
    const owner = this.#jobs.get(id)?.owner
    if (hash !== undefined && owner !== undefined) this.#store.pin(hash, id, owner === this.owner ? undefined : owner)
  }

  /** Whether the job runs here, is kept here, or belongs to this member's owner. */
  #isNeededHere(job: PublishedJob): boolean {
    if (this.#runner.scheduler.ended(job.id) !== undefined) return false
    return job.owner === this.owner || this.#placeOf(job) !== undefined || this.replicas(job.id).includes(this.#pool.self.id)
  }

  /** Whether something of the job remains to be done here. */
  #isOpen(job: PublishedJob): boolean {
    return !this.closed && this.#jobs.get(job.id) === job && this.#runner.scheduler.ended(job.id) === undefined
  }

  async #blobsOf({ id, program, blobs }: PublishedJob): Promise<JobBlobs> {
    const list = blobs === undefined ? [] : await readBlobList(await this.#blobs.fetch(blobs, () => this.#holders(id), MAX_LIST_BYTES))
    return new JobBlobs(program, list, async (hash, size) => await this.#blobs.fetch(hash, () => this.#holders(id), size))
  }

  /**
   * Makes this member keep the program and blobs of each job of which it is a replica, also of a
   * late one.
   */
  #keepBlobs(): void {
    for (const [id, blobs] of this.#jobBlobs) {
      if (blobs.isKept || blobs.size > this.#store.limit || this.#runner.scheduler.ended(id) !== undefined) continue
      if (!this.#runner.scheduler.replicas(id).includes(this.#pool.self.id)) continue
      void this.#keep(id, blobs)
    }
  }

  /** The place where a job's tasks may run here; undefined if they may not run here. */
  #placeOf({ owner, trusted }: PublishedJob): PlacedProgram['place'] | undefined {
    if ((this.#options.workers ?? 0) === 0) return undefined
    const { accept = DEFAULT_ACCEPT } = this.#options
    if (accept.some((word) => word === 'members' || (word === 'own' ? owner === this.owner : word === owner))) return 'own'
    return accept.includes('sandbox') && !trusted ? 'sandbox' : undefined
  }

  /**
   * The program of a job. If the job is gone meanwhile, nothing is left to run, and the program
   * fails to start.
   */
  #placed(id: JobId): PlacedProgram {
    const job = this.#jobs.get(id)
    return {
      file: async () => await this.#blobs.fileOf((this.#jobs.get(id) as PublishedJob).program, () => this.#holders(id)),
      place: (job && this.#placeOf(job)) ?? 'sandbox',
      blob: (name) => (this.#jobBlobs.get(id) as JobBlobs).open(name),
    }
  }

  /** The members that may keep a job: its replicas, then others that compute. */
  #keepersOf(id: JobId): string[] {
    const replicas = this.#runner.scheduler.replicas(id)
    const others = this.#roster.members.filter((member) => !replicas.includes(member))
    return [...replicas, ...others.slice(0, MAX_ASKED)].filter((member) => member !== this.#pool.self.id)
  }

  /**
   * The members that may have a job's blobs: those that may keep the job, then any others, since a
   * visitor may have submitted it.
   */
  #holders(id: JobId): string[] {
    const keepers = this.#keepersOf(id)
    const others = this.#pool
      .members()
      .map((member) => member.id)
      .filter((member) => member !== this.#pool.self.id && !keepers.includes(member))
    return [...keepers, ...others.slice(0, MAX_ASKED)]
  }

  #membersChanged(inputs: readonly Input[]): void {
    for (const input of inputs) if (input.type === 'gone') this.#streams.forget(input.id)
    this.#runner.feed(...inputs)
    // Members do not report ends of jobs to a visitor unless it asks.
    if (this.#options.visits === true && inputs.some(({ type }) => type === 'joined'))
      for (const job of this.#endings.jobs()) this.watch(job)
    this.#keepBlobs()
  }

  /**
   * Warns with the error's own code, such as `ENOSPC` for a full disk here: others are not to
   * blame.
   */
  #warnOfBlob(error: unknown, id: JobId): void {
    const { code = 'BLOB_MISSING', message = String(error) } = error as Partial<NodeJS.ErrnoException>
    this.#warn(code, message, id)
  }

  #warn(code: string, message: string, job: string | undefined): void {
    this.safeDispatchEvent('warning', { detail: { code, message, job } })
  }
}
