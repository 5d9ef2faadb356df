import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { TypedEventEmitter } from 'main-event'
import type { Entry } from './core/entry.ts'
import type { JobId } from './core/io.ts'
import type { JobExplanation } from './core/messages.ts'
import type { JobView } from './core/scheduler.ts'
import { TIME_BOUNDS } from './core/task-counts.ts'
import { JobNameTakenError, JobNotKeptError } from './errors.ts'
import { Job, type JobSource } from './job.ts'
import { checkSubmitOptions, type ComputeOptions, type CommandOptions, type MapOptions, type SubmitOptions } from './options.ts'
import type { BlobReference } from './program/blob.ts'
import { MAX_ENCODED } from './program/collected-files.ts'
import { keepBlob } from './shell/blob-list.ts'
import { SWEEP } from './shell/bundle.ts'
import { Engine } from './shell/engine.ts'
import { jobId, MAX_LIFETIME, type JobRecord, type PublishedJob } from './shell/job-record.ts'
import type { EndedShift, Shift } from './shell/shifts.ts'
import type { NumberedOutput, TaskOutput } from './shell/output-log.ts'
import { Submissions } from './shell/submission.ts'
import { commandSweep, functionSweep } from './shell/sweep.ts'
import { Sweep } from './sweep.ts'

/** Interval of the checks whether another member keeps a job, ms. A guess. */
const KEEP_AGAIN = 100
/**
 * Time in which replicas must learn of a cancellation, ms. It exceeds the time-out of a request
 * (3 s). A guess.
 */
const CANCEL_TIME = 5000

/** Events of a {@link Grid}. */
export interface GridEvents {
  /** This member runs its first task of a job. */
  working: CustomEvent<Shift>
  /** A job has ended, and this member has run some of its tasks. */
  worked: CustomEvent<EndedShift>
  /** A task that runs here printed text. `job`: the id of the job. */
  output: CustomEvent<TaskOutput & { readonly job: string }>
  /**
   * A warning for the operator. `code`: for example `MEMBER_UNFIT`, or the code of an error. `job`:
   * the id of the job; undefined if the warning concerns no job.
   */
  warning: CustomEvent<{ readonly code: string; readonly message: string; readonly job: string | undefined }>
}

/** The work of one member for all jobs together. Counts begin when the grid opens. */
export interface GridFigures {
  /** The largest number of tasks that run here at once. */
  readonly workers: number
  /** Workers that have something to do. */
  readonly busy: number
  /** Tasks that wait for a worker here. */
  readonly waiting: number
  /** Executions that ended here. */
  readonly run: number
  /** The part of `run` that failed, or ended the process of the program. */
  readonly failed: number
  /** Tasks that this member took from others. */
  readonly stolen: number
  /** Tasks that this member gave to others. */
  readonly given: number
  /**
   * A histogram of executions: for how long each kept a worker busy. `upTo`: the upper bound of
   * these times, ms.
   */
  readonly times: readonly { readonly upTo: number; readonly count: number }[]
  /** The time for which all executions together kept workers busy, ms. */
  readonly ran: number
  /** Jobs of which this member is a replica, ended jobs included. */
  readonly kept: number
  /** Bytes of programs, inputs and blobs on disk. All processes of this user share them. */
  readonly blobBytes: number
}

/** Computing on a pool: the workers of this member, and all jobs. `compute` creates a grid. */
export class Grid extends TypedEventEmitter<GridEvents> implements AsyncDisposable, JobSource {
  readonly #pool: Pool
  readonly #options: ComputeOptions
  readonly #engine: Engine
  readonly #submissions: Submissions

  /** Call `compute` instead of this. */
  constructor(pool: Pool, options: ComputeOptions) {
    super()
    this.#pool = pool
    this.#options = options
    this.#engine = new Engine(pool, options, {
      onWorking: (detail) => this.safeDispatchEvent('working', { detail }),
      onWorked: (detail) => this.safeDispatchEvent('worked', { detail }),
      onOutput: (job, output) => this.safeDispatchEvent('output', { detail: { job, ...output } }),
      onWarning: (code, message, job) => this.#warn(code, message, job),
    })
    this.#submissions = new Submissions(this.#engine.store)
  }

  /** Called once, by `compute`. */
  async start(): Promise<void> {
    await this.#engine.start()
  }

  /** Whether this member runs tasks. */
  get works(): boolean {
    return (this.#options.workers ?? 0) > 0
  }

  /** The id of the owner of the jobs that this member submits. */
  get owner(): string {
    return this.#engine.jobs.owner
  }

  /**
   * Stores bytes, or the bytes of a file, at this member and returns their name. If the input of a
   * job contains the name, the blob belongs to the job. The tasks of the job get the bytes with
   * `use`.
   *
   * @param source the path of a file, or bytes; at most the limit of the disk, 256 MiB by default
   * @throws BlobTooLargeError
   */
  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await keepBlob(this.#engine.store, source)
  }

  /**
   * Submits a job: a function of a program, and its input. The job goes on without this member.
   * Submissions of one owner with the same `name`, program, function, input, blobs and votes are
   * one job. Without a `name` each submission is a new job. The name of a cancelled job is free
   * again.
   *
   * @param program the path of a file that may import others, or the bytes of a module without
   * imports; at most 64 MiB
   * @param fn the name under which the program exports the task
   * @param input any value that a structured clone takes, except data views and boxed numbers and
   * strings; at most 1 MiB
   * @throws InvalidOptionError, ProgramError, FunctionMissingError, VotesError, JobNameTakenError,
   * UnclonableError, ValueTooLargeError, BlobMissingError, BlobTooLargeError; any error of
   * `publish`
   */
  async submit(program: string | Uint8Array, fn: string, input?: unknown, options: SubmitOptions = {}): Promise<Job> {
    checkSubmitOptions(options)
    // Until the job is published, only this pin protects its files from eviction.
    const pin = { for: `submission ${crypto.randomUUID()}` }
    try {
      return await this.#submit(program, fn, input, options, pin)
    } finally {
      this.#engine.store.unpin(pin.for)
    }
  }

  /**
   * Submits a sweep: a job that calls one function for each of many inputs. Its result is the list
   * of the values, in the order of the inputs. An input or a value has at most 1 MiB. All inputs
   * together have at most 16 MiB, and so have all values.
   *
   * @param program the path of a file that may import others
   * @param fn the name of an exported task, or of any exported function of one input
   * @throws as `submit`
   */
  async map(program: string, fn: string, inputs: readonly unknown[], options: MapOptions = {}): Promise<Sweep> {
    const sweep = await functionSweep(program, fn, inputs, options, async (source) => await this.blob(source))
    const { id } = await this.submit(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return new Sweep(this, id, sweep.fn, sweep.input)
  }

  /**
   * Submits a sweep that runs a command once for each input; see `map`. Only members that trust
   * the owner of the job run the command. They confine it as far as their machine can.
   *
   * @param command a shell command; `{}` stands for the quoted input, but not in a persistent
   * command
   * @throws as `submit`
   */
  async mapCommand(command: string, inputs: readonly unknown[], options: CommandOptions = {}): Promise<Sweep> {
    const sweep = await commandSweep(command, inputs, options, async (source) => await this.blob(source))
    const { id } = await this.submit(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return new Sweep(this, id, sweep.fn, sweep.input)
  }

  async #submit(program: string | Uint8Array, fn: string, input: unknown, options: SubmitOptions, pin: { for: string }): Promise<Job> {
    const { job, needs, hashes } = await this.#submissions.prepare(program, fn, input, options, pin)
    const name = options.name ?? crypto.randomUUID()
    const id = jobId(this.owner, name, job)
    const known = this.#engine.jobs.named(this.owner, name)
    // The name of a cancelled job is free again.
    if (known !== undefined && known.desired !== 'cancel') {
      if (known.id !== id)
        throw new JobNameTakenError(`this owner has another job of the name ${JSON.stringify(name)}: its program or its inputs differ`)
      return new Job(this, id)
    }
    if (needs.length > 0)
      this.#warn(
        'PROGRAM_NEEDS_TRUST',
        `${needs.join(', ')}, which no sandbox has. Only members that accept ${this.owner} run the program`,
        id,
      )
    for (const hash of hashes) this.#engine.store.pin(hash, pin.for)
    await this.#distribute(id, hashes)
    await this.#engine.jobs.publish(name, job, MAX_LIFETIME)
    return new Job(this, id)
  }

  /**
   * Returns a job by its id or name.
   *
   * @throws UnknownJobError if there is no such job, or if several owners have a job of this name
   */
  job(idOrName: string): Job {
    return new Job(this, this.#engine.jobs.find(idOrName))
  }

  /** All jobs of the pool, the oldest first. */
  jobs(): Job[] {
    return this.#engine.jobs.ids().map((id) => new Job(this, id))
  }

  /**
   * Reads the work of this member for all jobs together. The call reads the folder of blobs, so
   * don't make it more often than about once a second.
   */
  async figures(): Promise<GridFigures> {
    const { workers, busy, waiting, kept, counts } = this.#engine.runner.scheduler.figures()
    const { run, failed, stolen, given, ran } = counts
    const times = [...TIME_BOUNDS, Infinity].map((upTo, at) => ({ upTo, count: counts.times[at] ?? 0 }))
    const blobBytes = await this.#engine.store.bytes()
    return { workers, busy, waiting, run, failed, stolen, given, times, ran, kept, blobBytes }
  }

  /**
   * Stops computing here. Other members take over the tasks that this member holds. The pool stays
   * open.
   */
  async close(): Promise<void> {
    await this.#engine.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** @internal */
  published(id: JobId): PublishedJob | undefined {
    return this.#engine.jobs.get(id)
  }

  /** @internal */
  status(id: JobId): JobView | undefined {
    return this.#engine.runner.scheduler.job(id)
  }

  /** @internal */
  replicas(id: JobId): readonly string[] {
    return this.#engine.runner.scheduler.replicas(id)
  }

  /** @internal */
  watch(id: JobId, within = Infinity): void {
    this.#engine.runner.feed({ type: 'watch', job: id, within })
  }

  /** @internal */
  async explain(id: JobId, ms: number): Promise<JobExplanation> {
    return await this.#engine.explanations.of(id, ms, () => this.#engine.runner.feed({ type: 'explain', job: id }))
  }

  /** @internal */
  async outcomes(id: JobId, paths: readonly string[], ms: number): Promise<readonly Entry[]> {
    return await this.#engine.outcomes.of(id, ms, () => this.#engine.runner.feed({ type: 'read', job: id, paths }))
  }

  /** @internal */
  async output(id: JobId): Promise<readonly NumberedOutput[]> {
    return await this.#engine.output.of(id)
  }

  /** @internal */
  async made(id: JobId, hash: string): Promise<Uint8Array> {
    return await this.#engine.blobs.read(hash, () => this.#engine.holders.all(id), MAX_ENCODED)
  }

  /** @internal */
  whyWaiting(id: JobId, hasBegun: boolean): string {
    return this.#engine.whyWaiting(id, hasBegun)
  }

  /** @internal */
  get closed(): boolean {
    return this.#engine.closed
  }

  /**
   * @internal Resolves when the job has ended or expired, when this grid is closed, or after `ms`.
   */
  async ended(id: JobId, ms?: number): Promise<Entry | undefined> {
    const isOver = this.closed || !this.#engine.jobs.has(id) || this.#engine.runner.scheduler.ended(id) !== undefined
    if (!isOver) await this.#engine.endings.wait(id, ms)
    return this.status(id)?.entry
  }

  /** @internal */
  async kept(id: JobId, within: number): Promise<string> {
    let asked: readonly string[] = []
    for (const end = performance.now() + within; !this.closed && this.#engine.jobs.has(id);) {
      asked = this.#engine.holders.replicas(id)
      for (const member of asked) if (await this.#engine.keepers.ask(member, id, undefined, end - performance.now())) return member
      if (this.#engine.runner.scheduler.ended(id) !== undefined) return this.#pool.self.id
      if (performance.now() > end) break
      await sleep(KEEP_AGAIN)
    }
    const why = asked.length === 0 ? 'nobody else computes in this pool' : `none of ${asked.length} members has taken all of it`
    throw new JobNotKeptError(`the job is at this member alone, and would be lost with it: ${why}`)
  }

  /** @internal */
  async setDesired(id: JobId, desired: JobRecord['desired']): Promise<void> {
    await this.#engine.jobs.setDesired(id, desired)
    // The job ends here once replicas have answered that they stopped, or that the job has an
    // outcome.
    if (desired === 'cancel') await this.ended(id, CANCEL_TIME)
    else await this.#engine.untilKnown(id, desired)
  }

  /** @internal */
  async forget(id: JobId): Promise<void> {
    await this.#engine.jobs.withdraw(id)
    await this.#engine.untilKnown(id, 'forget')
  }

  /** Pushes programs, inputs and blobs to the replicas before any member learns of the job. */
  async #distribute(id: JobId, hashes: readonly string[]): Promise<void> {
    let replicas: readonly string[] = this.#engine.holders.replicas(id)
    // A member that did not take a blob gets no further blobs. It fetches missing blobs itself.
    for (const hash of hashes) replicas = await this.#engine.blobs.push(hash, replicas)
  }

  #warn(code: string, message: string, job: string | undefined): void {
    this.safeDispatchEvent('warning', { detail: { code, message, job } })
  }
}
