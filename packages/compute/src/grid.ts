import { commandSweep, createSubmissions, functionSweep } from '#platform/submissions'
import { InvalidOptionError, type Pool } from '@jel/jel'
import { TypedEventEmitter } from 'main-event'
import type { JobId } from './core/io.ts'
import { TIME_BOUNDS } from './core/task-counts.ts'
import { JobNameTakenError } from './errors.ts'
import { Job } from './job.ts'
import type { JobSource } from './job-source.ts'
import { checkSubmitOptions, type ComputeOptions, type CommandOptions, type MapOptions, type SubmitOptions } from './options.ts'
import type { BlobReference } from './program/blob.ts'
import { SWEEP } from './program/map.ts'
import { keepBlob } from './shell/blob-list.ts'
import { Engine } from './shell/engine.ts'
import { jobId, MAX_LIFETIME } from './shell/job-record.ts'
import { PoolJobSource } from './shell/pool-job-source.ts'
import type { EndedShift, Shift } from './shell/shifts.ts'
import type { TaskOutput } from './shell/output-log.ts'
import type { Submissions } from './shell/submission.ts'
import { Sweep } from './sweep.ts'

/**
 * Maximum number of names in the warning about a program that needs trust. A guess: the first names
 * show why.
 */
const MOST_NEEDS = 3

/** Events of a {@link Grid}. */
export interface GridEvents {
  /** This member runs its first task of a job. */
  working: CustomEvent<Shift>
  /** A job has ended, and this member has run some of its tasks. */
  worked: CustomEvent<EndedShift>
  /** A task that runs here printed text. `job`: the id of the job. */
  output: CustomEvent<TaskOutput & { readonly job: string }>
  /**
   * An execution of a task ended here. `took`: the time for which it kept a worker busy, ms. For
   * metrics, see `observeGrid` of `@jel/compute/opentelemetry`.
   */
  measured: CustomEvent<{ readonly took: number }>
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
   * A histogram of the times for which executions kept a worker busy. `upTo`: the upper bound of a
   * class, ms.
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
export class Grid extends TypedEventEmitter<GridEvents> implements AsyncDisposable {
  /** @internal */
  readonly source: JobSource
  readonly #options: ComputeOptions
  readonly #engine: Engine
  readonly #submissions: Submissions

  /** @internal */
  constructor(pool: Pool, options: ComputeOptions) {
    super()
    this.#options = options
    this.#engine = new Engine(pool, options, {
      onWorking: (detail) => this.safeDispatchEvent('working', { detail }),
      onWorked: (detail) => this.safeDispatchEvent('worked', { detail }),
      // There may be thousands of tasks a second, and seldom a listener.
      onRan: (took) => this.listenerCount('measured') > 0 && this.safeDispatchEvent('measured', { detail: { took } }),
      onOutput: (job, output) => this.safeDispatchEvent('output', { detail: { job, ...output } }),
      onWarning: (code, message, job) => this.#warn(code, message, job),
    })
    this.source = new PoolJobSource(pool, this.#engine)
    this.#submissions = createSubmissions(this.#engine.store)
  }

  /** @internal */
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
   * UnclonableError, ValueTooLargeError, BlobMissingError, BlobTooLargeError, UnknownJobError for
   * `after`; any error of `publish`
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
   * together have at most 16 MiB. All values together have at most 16 MiB.
   *
   * @param program the path of a file that may import others
   * @param fn the name of an exported task, or of any exported function of one input
   * @throws as `submit`
   */
  async map(program: string, fn: string, inputs: readonly unknown[], options: MapOptions = {}): Promise<Sweep> {
    const sweep = await functionSweep(program, fn, inputs, options, async (source) => await this.blob(source))
    const { id } = await this.submit(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return new Sweep(this.source, id, sweep.fn, sweep.input)
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
    return new Sweep(this.source, id, sweep.fn, sweep.input)
  }

  async #submit(program: string | Uint8Array, fn: string, input: unknown, options: SubmitOptions, pin: { for: string }): Promise<Job> {
    const after = options.after && { after: options.after.map((each) => this.#engine.jobs.find(each)) }
    const { job, needs, hashes } = await this.#submissions.prepare(program, fn, input, { ...options, ...after }, pin)
    const name = options.name ?? crypto.randomUUID()
    const id = jobId(this.owner, name, job)
    const known = this.#engine.jobs.named(this.owner, name)
    // The name of a cancelled job is free again.
    if (known !== undefined && known.desired !== 'cancel') {
      if (known.id !== id)
        throw new JobNameTakenError(`this owner has another job of the name ${JSON.stringify(name)}: its program or its inputs differ`)
      return new Job(this.source, id)
    }
    if (needs.length > 0)
      this.#warn(
        'PROGRAM_NEEDS_TRUST',
        `${listed(needs)}, which no sandbox has. Only members that accept ${this.owner} run the program`,
        id,
      )
    for (const hash of hashes) this.#engine.store.pin(hash, pin.for)
    await this.#distribute(id, hashes)
    await this.#engine.jobs.publish(name, job, MAX_LIFETIME)
    return new Job(this.source, id)
  }

  /**
   * Reserves workers for other programs, for example because their processors are leased. Reserved
   * workers get no tasks. A running task goes on until it ends or saves a state.
   *
   * @param count the number of reserved workers; 0: all work
   * @throws InvalidOptionError
   */
  reserveWorkers(count: number): void {
    const { workers = 0 } = this.#options
    if (!Number.isInteger(count) || count < 0 || count > workers)
      throw new InvalidOptionError(`reserveWorkers: must be a whole number from 0 to ${workers}`)
    this.#engine.runner.feed({ type: 'reserved', workers: count })
  }

  /**
   * Returns a job by its id or name.
   *
   * @throws UnknownJobError if there is no such job, or if several owners have a job of this name
   */
  job(idOrName: string): Job {
    return new Job(this.source, this.#engine.jobs.find(idOrName))
  }

  /** All jobs of the pool, the oldest first. */
  jobs(): Job[] {
    return this.#engine.jobs.ids().map((id) => new Job(this.source, id))
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
   * Stops computing here. Waits for at most two seconds for the last states of tasks that save.
   * Other members take over the tasks that this member holds. The pool stays open.
   */
  async close(): Promise<void> {
    await this.#engine.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
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

/** Returns the first names as text, and the number of the other names. */
function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NEEDS
  return `${names.slice(0, MOST_NEEDS).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
