import { BlobMissingError, JobCancelledError, JobFailedError, ProgramError, UnknownJobError } from './errors.ts'
import type { HeldTask, JobExplanation } from './core/messages.ts'
import type { JobSource } from './job-source.ts'
import { progressOf, stateOf, type JobProgress, type JobState } from './job-progress.ts'
import type { BlobReference } from './program/blob.ts'
import { MAX_ENCODED, type CollectedFile } from './program/collected-files.ts'
import { decodeLarge, MAX_RESULT_BYTES, StoredValue } from './program/stored-value.ts'
import { decodeValue } from './program/values.ts'
import { readName } from './shell/blob-names.ts'
import { decodeFiles } from './shell/collected-files.ts'
import type { PublishedJob } from './shell/job-record.ts'
import type { TaskOutput } from './shell/output-log.ts'
import { pause } from '@jel/overlay'

/** Time in which a replica must list the held tasks, ms. A guess: some round trips and a dial. */
const EXPLAIN = 2000

/**
 * This member asks replicas for a job's progress until this long after the next reading is due, ms.
 * A guess: an application handles one reading in less time.
 */
export const WATCH = 10_000

/** Interval at which this member asks replicas for new output, ms. A guess. */
const LISTEN_AGAIN = 1000
/**
 * Maximum number of outputs that an iteration remembers as seen. A guess: far more than the logs of
 * a job contain.
 */
const MAX_KNOWN = 10_000

/** Time in which others must get all files of a job, ms. A guess: 64 MiB on a line of 30 Mbit/s. */
const KEEP = 20_000

/** Options of `output` of a {@link Job}. */
export interface OutputOptions {
  /** Yields further output until the job has ended. Default: false. */
  readonly follow?: boolean
  /** Ends the iteration. */
  readonly signal?: AbortSignal
}

/** A job of the pool. Any member can find it and ask for its result. */
export class Job {
  /** The id of the job. */
  readonly id: string
  readonly #source: JobSource

  /** @internal */
  constructor(source: JobSource, id: string) {
    this.#source = source
    this.id = id
  }

  /** The name of the job. @throws UnknownJobError once the job has expired or was withdrawn */
  get name(): string {
    return this.#published.name
  }

  /** The id of the key that published the job. @throws UnknownJobError */
  get owner(): string {
    return this.#published.owner
  }

  /** When the owner submitted the job, by the owner's clock. @throws UnknownJobError */
  get submitted(): Date {
    return new Date(this.#published.submitted)
  }

  /**
   * When this member learned of the end of the job; undefined if the job has not ended. A member
   * that came later learned of the end later.
   */
  get ended(): Date | undefined {
    const { endedAt } = this.#source.status(this.id) ?? {}
    return endedAt === undefined ? undefined : new Date(Date.now() - (performance.now() - endedAt))
  }

  /**
   * When the job and its result expire. Without a pool nothing expires, and this is the last date
   * that a `Date` can hold.
   * @throws UnknownJobError
   */
  get expires(): Date {
    return new Date(this.#published.expires)
  }

  /**
   * The ids of the members that keep the job, in the view of this member. The first member
   * supervises its root.
   */
  get replicas(): readonly string[] {
    return this.#source.replicas(this.id)
  }

  /**
   * The state, as far as this member knows without asking others; {@link progress} asks.
   * @throws UnknownJobError
   */
  get state(): JobState {
    return stateOf(this.#published.desired, this.#source.status(this.id))
  }

  /**
   * The value of the job, once its root has one: the return value of its function, or the shared
   * value that the task names as `result`.
   *
   * @throws JobFailedError, JobCancelledError; BlobMissingError if no member has a large value any
   * more; UnknownJobError if the job has expired, or if this member stops computing before the job
   * has ended
   */
  get result(): Promise<unknown> {
    return this.#result()
  }

  /**
   * Yields the progress of the job at this interval until it ends. The last progress has the final
   * state.
   *
   * @param every ms; default: 1000
   * @throws UnknownJobError once the job has expired
   */
  async *progress(every = 1000): AsyncGenerator<JobProgress, void> {
    this.#source.watch(this.id, every + WATCH)
    let last = { finished: 0, at: performance.now() }
    for (;;) {
      await this.#source.ended(this.id, every)
      const now = performance.now()
      const { finished } = this.#progress(0)
      const rate = (Math.max(0, finished - last.finished) * 1000) / Math.max(1, now - last.at)
      last = { finished, at: now }
      const progress = this.#progress(rate)
      yield progress
      if (['done', 'failed', 'cancelled'].includes(progress.state) || this.#source.closed) return
      this.#source.watch(this.id, every + WATCH)
    }
  }

  /**
   * Resolves once another member keeps the job with all its files. From then on the job outlives
   * this member. Returns the other member's id. If the job has ended and only this member knows
   * that, the call returns this member's id. Without a pool there is no other member, so the call
   * always rejects.
   *
   * @param within ms; default: 20 s
   * @throws JobNotKeptError that states the reason
   */
  async kept(within = KEEP): Promise<string> {
    return await this.#source.kept(this.id, within)
  }

  /**
   * Returns at most 64 tasks that members hold and for which the job waits. The task whose last
   * progress is the oldest comes first. A task waits for the tasks whose paths begin with its own
   * path.
   */
  async waits(): Promise<readonly HeldTask[]> {
    if (this.#source.status(this.id)?.ended !== undefined) return []
    return (await this.explain()).tasks
  }

  /**
   * Asks a replica for the work on the job: the tasks of each function, the work of each member
   * with its oldest running tasks, and the tasks that members hold. The lists are empty if no
   * replica answers within 2 s. Another member may report false counts.
   */
  async explain(): Promise<JobExplanation> {
    return await this.#source.explain(this.id, EXPLAIN)
  }

  /**
   * Yields the output of the job's tasks: the latest 64 KiB that they printed. Members send output
   * after 0.25 s. Output may be lost with a member. Members leave out output above about 64 KiB a
   * second.
   */
  async *output({ follow = false, signal }: OutputOptions = {}): AsyncGenerator<TaskOutput, void> {
    const known = new Set<string>()
    for (let isOver = !follow; ;) {
      for (const { number, ...output } of await this.#source.output(this.id)) {
        const key = `${output.member} ${number}`
        if (known.has(key)) continue
        if (signal?.aborted === true) return
        known.add(key)
        if (known.size > MAX_KNOWN) known.delete(known.values().next().value as string)
        yield output
      }
      if (isOver || this.#source.closed || signal?.aborted === true) return
      this.#source.watch(this.id, LISTEN_AGAIN + WATCH)
      await this.#source.ended(this.id, LISTEN_AGAIN)
      // The last output may be on its way.
      isOver = ['done', 'failed', 'cancelled'].includes(this.state)
      if (isOver) await pause(LISTEN_AGAIN)
    }
  }

  /**
   * Returns the files that one run of a command made: `await job.files(value.files)`. Members keep
   * these files until the job has ended, and then as long as they have room.
   *
   * @throws BlobMissingError if no member has them; ProgramError if the blob is no set of files, or
   * if a path leads out of its folder
   */
  async files(files: BlobReference): Promise<readonly CollectedFile[]> {
    const bytes = await this.#made(files, MAX_ENCODED)
    try {
      return decodeFiles(bytes)
    } catch (error) {
      throw new ProgramError(`the files of a command: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }

  /**
   * Ends the job everywhere, unless it has an outcome. An outcome stays. Afterwards another job may
   * take the name. Resolves once two replicas have answered that they stopped, or after 5 s.
   *
   * @throws NotOwnerError, UnknownJobError
   */
  async cancel(): Promise<void> {
    await this.#source.setDesired(this.id, 'cancel')
  }

  /**
   * Suspends the job. No member begins a task of it until {@link resume}. Resolves once two members
   * know the new state, or after 3 s. So do {@link resume} and {@link forget}.
   *
   * @throws NotOwnerError, UnknownJobError
   */
  async suspend(): Promise<void> {
    await this.#source.setDesired(this.id, 'suspend')
  }

  /** Resumes a suspended job. @throws NotOwnerError, UnknownJobError */
  async resume(): Promise<void> {
    await this.#source.setDesired(this.id, 'run')
  }

  /**
   * Removes the job and its result from the pool. Afterwards no member finds the job, and another
   * job may take its name.
   * @throws NotOwnerError, UnknownJobError
   */
  async forget(): Promise<void> {
    await this.#source.forget(this.id)
  }

  get #published(): PublishedJob {
    const published = this.#source.published(this.id)
    if (published === undefined) throw new UnknownJobError(`the job ${this.id} is over: its time has passed, or it was withdrawn`)
    return published
  }

  async #result(): Promise<unknown> {
    this.#source.watch(this.id)
    const entry = await this.#source.ended(this.id)
    const { result, name } = this.#published
    if (entry === undefined) {
      if (this.#source.closed) throw new UnknownJobError(`this member stopped computing before the job ${name} was done`)
      throw new JobCancelledError(`the job ${name} was cancelled by its owner`)
    }
    if ('failure' in entry.outcome) throw new JobFailedError(entry.outcome.failure)
    if (result === undefined) return await this.#valueOf(entry.outcome.value)
    const offer = entry.shared.get(result)
    if (offer === undefined) return undefined
    return offer.rule === 'union' ? offer.values.map(decodeValue) : decodeValue(offer.values[0] as Uint8Array)
  }

  async #valueOf(bytes: Uint8Array): Promise<unknown> {
    const value = decodeValue(bytes)
    return value instanceof StoredValue ? decodeLarge(await this.#made(value, MAX_RESULT_BYTES)) : value
  }

  /** Returns the bytes of a blob that a task of the job made. */
  async #made({ blob }: BlobReference, maxBytes: number): Promise<Uint8Array> {
    const named = readName(blob)
    if (named === undefined) throw new BlobMissingError(`${blob} is no name of a blob`)
    return await this.#source.made(this.id, named.hash, maxBytes)
  }

  #progress(rate: number): JobProgress {
    return progressOf(this.#published.desired, this.#source.status(this.id), rate, (hasBegun) => this.#source.whyWaiting(this.id, hasBegun))
  }
}
