import { JobCancelledError, JobFailedError, UnknownJobError } from './errors.ts'
import type { Entry } from './core/entry.ts'
import type { HeldTask } from './core/io.ts'
import type { JobView } from './core/scheduler.ts'
import { decodeValue } from './program/values.ts'
import type { JobRecord, PublishedJob } from './shell/job-record.ts'

/** What a member knows of a job's execution. */
export type JobStatus = JobView

/** How long a replica may take to say who holds what, ms. A guess: some round trips, and a dial. */
const EXPLAIN = 2000

/** How long others may take to get all of a job, ms. A guess: 64 MiB on a line of 30 Mbit/s. */
const KEEP = 20_000

/** `pending`: nobody has begun it. As in GRAM. */
export type JobState = 'pending' | 'active' | 'suspended' | 'done' | 'failed' | 'cancelled'

/** How a job goes, as far as its replicas told. */
export interface JobProgress {
  readonly state: JobState
  /** How much of it is done, 0 to 1: a guess from the tree, in which siblings count as equal. */
  readonly covered: number
  /** Members that took part. */
  readonly members: number
  /** Executions that were begun, and tasks that gave an outcome. */
  readonly begun: number
  readonly finished: number
  /** Tasks a second since the last progress. */
  readonly rate: number
  /** Why it is in this state, for people. */
  readonly reason: string
}

/** What a job needs of its grid. */
export interface JobSource {
  published(id: string): PublishedJob | undefined
  status(id: string): JobStatus | undefined
  watch(id: string): void
  explain(id: string, ms: number): Promise<readonly HeldTask[]>
  readonly closed: boolean
  replicas(id: string): readonly string[]
  kept(id: string, within: number): Promise<string>
  ended(id: string, ms?: number): Promise<Entry | undefined>
  wish(id: string, wish: JobRecord['wish']): Promise<void>
  forget(id: string): Promise<void>
}

/** One job, found at any member. */
export class Job {
  readonly id: string
  readonly #source: JobSource

  constructor(source: JobSource, id: string) {
    this.#source = source
    this.id = id
  }

  get name(): string {
    return this.#published.name
  }

  /** The id of the key that published it. */
  get owner(): string {
    return this.#published.owner
  }

  get submitted(): Date {
    return new Date(this.#published.submitted)
  }

  /** Until when it, and its result, are kept. Without a pool no date ends that: it is the last one that there is. */
  get expires(): Date {
    return new Date(this.#published.expires)
  }

  /** The members that keep it, by this one's view; the first one sees to its root. */
  get replicas(): readonly string[] {
    return this.#source.replicas(this.id)
  }

  /** As far as this member knows without asking; {@link progress} asks. */
  get state(): JobState {
    return this.#progress(0).state
  }

  /**
   * The job's value, once its root has one: that of its function, or the shared value that this names.
   *
   * @throws JobFailedError, JobCancelledError; UnknownJobError when its time is over
   */
  get result(): Promise<unknown> {
    return this.#result()
  }

  /** How it goes, each second until it ends; the last one says how it ended. */
  async *progress(every = 1000): AsyncGenerator<JobProgress, void> {
    this.#source.watch(this.id)
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
      this.#source.watch(this.id)
    }
  }

  /**
   * Resolves once another member keeps the job, with all that it needs: from then on it outlives this one. Gives that member's id, or this one's where the job has ended and only this one has heard of that. On one machine without a pool there is none.
   *
   * @param within ms; default: 20 s
   * @throws JobNotKeptError that says why
   */
  async kept(within = KEEP): Promise<string> {
    return await this.#source.kept(this.id, within)
  }

  /** What it waits for: tasks that members hold, those first of which nothing was heard for longest; at most 64. A task waits for those whose paths begin with its own. */
  async waits(): Promise<readonly HeldTask[]> {
    return await this.#source.explain(this.id, EXPLAIN)
  }

  /**
   * Ends it everywhere, unless it has an outcome, which stays. Another job may take its name then. Resolves once two replicas
   * have answered that they stopped, or after 3 s.
   *
   * @throws NotOwnerError
   */
  async cancel(): Promise<void> {
    await this.#source.wish(this.id, 'cancel')
  }

  /**
   * Nothing more of it is begun, until {@link resume}. Resolves once two members have heard of it, or after 3 s; so do
   * {@link resume} and {@link forget}.
   *
   * @throws NotOwnerError
   */
  async suspend(): Promise<void> {
    await this.#source.wish(this.id, 'suspend')
  }

  /** @throws NotOwnerError */
  async resume(): Promise<void> {
    await this.#source.wish(this.id, 'run')
  }

  /** Takes it out of the pool, with its result: nobody finds it any more, and its name is free. @throws NotOwnerError */
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
    if (result === undefined) return decodeValue(entry.outcome.value)
    const offer = entry.shared.get(result)
    if (offer === undefined) return undefined
    return offer.rule === 'union' ? offer.values.map(decodeValue) : decodeValue(offer.values[0] as Uint8Array)
  }

  #progress(rate: number): JobProgress {
    const { wish } = this.#published
    const status = this.#source.status(this.id)
    const { begun, finished, members } = status?.totals ?? { begun: 0, finished: 0, members: 0 }
    const state = stateOf(wish, status)
    const isOver = state === 'done' || state === 'failed' || state === 'cancelled'
    return { state, covered: status?.progress ?? 0, members, begun, finished, rate: isOver ? 0 : rate, reason: reasonOf(state, status) }
  }
}

function stateOf(wish: JobRecord['wish'], status: JobStatus | undefined): JobState {
  if (status?.entry !== undefined) return 'failure' in status.entry.outcome ? 'failed' : 'done'
  // Until replicas have answered it may have an outcome.
  if (status?.ended === 'cancelled') return 'cancelled'
  if (wish === 'suspend') return 'suspended'
  return (status?.totals.begun ?? 0) > 0 ? 'active' : 'pending'
}

function reasonOf(state: JobState, status: JobStatus | undefined): string {
  switch (state) {
    case 'pending':
      return status === undefined
        ? 'its input or program is not here yet'
        : 'no replica has told this member of anybody that began it: there is none that accepts its program and has room for its blobs, or they have not answered yet'
    case 'failed':
      return status?.entry !== undefined && 'failure' in status.entry.outcome ? status.entry.outcome.failure.message : ''
    case 'cancelled':
    case 'suspended':
      return 'its owner says so'
    case 'active':
    case 'done':
  }
  return ''
}
