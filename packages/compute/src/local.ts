import type { Entry } from './core/entry.ts'
import { NOTHING_EXPLAINED } from './core/explanation.ts'
import type { JobSpec } from './core/io.ts'
import type { JobExplanation } from './core/messages.ts'
import { describeProgram, findFunction } from './executors/describe.ts'
import type { ProgramFunction } from './executors/messages.ts'
import { Job, type JobSource } from './job.ts'
import { BlobMissingError, JobNotKeptError } from './errors.ts'
import { blobsIn, type BlobReference } from './program/blob.ts'
import { encodeValue } from './program/values.ts'
import {
  checkLocalOptions,
  checkLocalSubmitOptions,
  type LocalOptions,
  type CommandOptions,
  type MapOptions,
  type SubmitOptions,
} from './options.ts'
import { keepBlob, listBlobs, readBlobList } from './shell/blob-list.ts'
import { readName } from './shell/blob-names.ts'
import { blobOf } from './shell/large-results.ts'
import { BlobStore } from './shell/blob-store.ts'
import { bundleProgram, SWEEP } from './shell/bundle.ts'
import { Endings } from './shell/endings.ts'
import { JobBlobs } from './shell/job-blobs.ts'
import { OutputLog, type NumberedOutput } from './shell/output-log.ts'
import { MAX_DATE, type PublishedJob } from './shell/job-record.ts'
import { Replies } from './shell/replies.ts'
import { Runner } from './shell/runner.ts'
import { commandSweep, functionSweep } from './shell/sweep.ts'
import { Sweep } from './sweep.ts'

/** The options of a job that apply without a pool. */
type LocalSubmitOptions = Pick<SubmitOptions, 'blobs'>
type LocalMapOptions = Pick<MapOptions, 'blobs' | 'keepGoing' | 'retries'>
type LocalCommandOptions = LocalMapOptions & Pick<CommandOptions, 'files' | 'collect' | 'persistent' | 'container'>

/**
 * Runs programs of jobs without a pool, on the processors of this machine (as a Cilk program also
 * runs without its keywords, but on several processors).
 *
 * @param options `workers` is required
 * @throws InvalidOptionError that names the option
 */
export function computeLocal(options: LocalOptions): LocalGrid {
  checkLocalOptions(options)
  return new LocalGrid(options)
}

/** Computing on this machine alone. `computeLocal` creates a local grid. */
export class LocalGrid implements AsyncDisposable, JobSource {
  readonly #store: BlobStore
  readonly #runner: Runner
  readonly #jobs = new Map<string, PublishedJob>()
  readonly #functions = new Map<string, readonly ProgramFunction[]>()
  readonly #blobs = new Map<string, JobBlobs>()
  readonly #endings = new Endings()
  /**
   * The ends of jobs. The record, the outcome, the output and a large result of an ended job stay
   * as long as the `Job` object lives.
   */
  readonly #ended = new Map<string, ReturnType<JobSource['status']>>()
  readonly #handles = new FinalizationRegistry<string>((id) => this.#forget(id))
  closed = false
  readonly #output = new OutputLog()
  #outputs = 0
  readonly #explanations = new Replies<JobExplanation>(NOTHING_EXPLAINED)
  readonly #outcomes = new Replies<readonly Entry[]>([])

  constructor({ workers, limits, cache, place = 'own' }: LocalOptions) {
    this.#store = new BlobStore(cache, limits?.disk)
    this.#runner = new Runner({
      self: { id: 'local', location: 'local' },
      workers,
      ...(limits && { limits }),
      programOf: (job) => ({
        file: async () => await this.#store.fileOf((this.#jobs.get(job) as PublishedJob).program),
        place,
        blob: (name) => (this.#blobs.get(job) as JobBlobs).open(name),
        store: async (made) => await this.#keepFor(job, made),
      }),
      send: () => {},
      onOutput: (job, { path: task, ...printed }) => {
        // Without a pool the programs are the application's own, so their output goes to its
        // streams.
        process[printed.stream].write(printed.text)
        const output = { member: 'local', ...(task !== undefined && { task }), ...printed, time: Date.now(), number: this.#outputs++ }
        this.#output.append(job, output)
      },
      onEnded: ({ job }) => this.#jobEnded(job),
      onExplained: ({ job, tasks, functions, members }) => this.#explanations.answered(job, { tasks, functions, members }),
      onOutcomes: ({ job, entries }) => this.#outcomes.answered(job, entries),
      onWarning: () => {},
    })
  }

  /**
   * Stores bytes, or the bytes of a file, and returns their name for the inputs of jobs.
   * @throws BlobTooLargeError
   */
  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await keepBlob(this.#store, source)
  }

  /**
   * Submits a job; see `submit` of `Grid`. Each submission is a job of its own.
   *
   * @throws InvalidOptionError, ProgramError, FunctionMissingError, UnclonableError,
   * ValueTooLargeError, BlobMissingError, BlobTooLargeError
   */
  async submit(program: string | Uint8Array, fn: string, input?: unknown, options: LocalSubmitOptions = {}): Promise<Job> {
    const id = await this.#submit(program, fn, input, options)
    return this.#handle(new Job(this, id))
  }

  /**
   * Submits a sweep; see `map` of `Grid`.
   *
   * @throws as `submit`
   */
  async map(program: string, fn: string, inputs: readonly unknown[], options: LocalMapOptions = {}): Promise<Sweep> {
    const sweep = await functionSweep(program, fn, inputs, options, async (source) => await this.blob(source))
    const id = await this.#submit(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return this.#handle(new Sweep(this, id, sweep.fn, sweep.input))
  }

  /**
   * Submits a sweep that runs a command once for each input, as `mapCommand` of `Grid` does.
   *
   * @param command a shell command; `{}` stands for the quoted input, but not in a persistent
   * command
   * @throws as `submit`
   */
  async mapCommand(command: string, inputs: readonly unknown[], options: LocalCommandOptions = {}): Promise<Sweep> {
    const sweep = await commandSweep(command, inputs, options, async (source) => await this.blob(source))
    const id = await this.#submit(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return this.#handle(new Sweep(this, id, sweep.fn, sweep.input))
  }

  /** Starts a job, and returns its id. A job that can't start leaves nothing behind. */
  async #submit(program: string | Uint8Array, fn: string, input: unknown, options: LocalSubmitOptions): Promise<string> {
    checkLocalSubmitOptions(options)
    const id = crypto.randomUUID()
    try {
      await this.#start(id, program, fn, input, options)
      return id
    } catch (error) {
      this.#forget(id)
      throw error
    }
  }

  async #start(id: string, program: string | Uint8Array, fn: string, input: unknown, options: LocalSubmitOptions): Promise<void> {
    const hash = await this.#store.put(typeof program === 'string' ? await bundleProgram(program) : program, { for: id })
    const functions = this.#functions.get(hash) ?? (await describeProgram(async () => await this.#store.fileOf(hash)))
    this.#functions.set(hash, functions)
    const { result } = findFunction(functions, fn)
    const submitted = Date.now()
    const encoded = encodeValue(input)
    const list = await listBlobs(this.#store, [...blobsIn(input), ...(options.blobs ?? [])])
    const blobs = new JobBlobs(hash, list === undefined ? [] : await readBlobList(list), async (blob) => await this.#get(blob))
    for (const part of blobs.hashes) this.#store.pin(part, id)
    this.#blobs.set(id, blobs)
    this.#jobs.set(id, {
      id,
      name: id,
      owner: 'local',
      program: hash,
      fn,
      input: encoded,
      inputBlob: undefined,
      blobs: undefined,
      result,
      trusted: false,
      votes: 1,
      submitted,
      keep: Infinity,
      desired: 'run',
      expires: MAX_DATE,
      version: 0,
    })
    const spec: JobSpec = { id, owner: 'local', fn, input: encoded, submitted, desired: 'run', trusted: false, accepted: true, fresh: true }
    this.#runner.feed({ type: 'job', spec })
  }

  /** The grid forgets the job once the application no longer refers to the returned `Job`. */
  #handle<Handle extends Job>(job: Handle): Handle {
    this.#handles.register(job, job.id)
    return job
  }

  /**
   * Drops the parts of an ended job that nobody needs any more. See `#ended` for the parts that
   * stay.
   */
  #jobEnded(id: string): void {
    this.#ended.set(id, this.#runner.scheduler.job(id))
    const job = this.#jobs.get(id)
    if (job !== undefined) this.#jobs.set(id, { ...job, input: undefined })
    this.#blobs.delete(id)
    this.#store.unpin(id)
    const entry = this.#ended.get(id)?.entry
    const result = entry && blobOf(entry)
    if (result !== undefined) this.#store.pin(result, id)
    this.#runner.feed({ type: 'expired', job: id })
    this.#endings.end(id)
  }

  /**
   * Forgets a job to which no `Job` object refers. If the job still runs, the grid forgets it once
   * it has ended.
   */
  #forget(id: string): void {
    if (this.#jobs.has(id) && !this.#ended.has(id) && !this.closed) {
      void this.#endings.wait(id).then(() => this.#forget(id))
      return
    }
    this.#store.unpin(id)
    this.#ended.delete(id)
    this.#blobs.delete(id)
    this.#jobs.delete(id)
    this.#output.forget(id)
  }

  /** Stores bytes of a task. They stay until the job has ended; a large result stays longer. */
  async #keepFor(job: string, bytes: Uint8Array): Promise<BlobReference> {
    const reference = await keepBlob(this.#store, bytes)
    this.#store.pin((readName(reference.blob) as { hash: string }).hash, job)
    return reference
  }

  /** @internal */
  async made(_: string, hash: string): Promise<Uint8Array> {
    return await this.#get(hash)
  }

  async #get(hash: string): Promise<Uint8Array> {
    const bytes = await this.#store.get(hash)
    if (bytes === undefined) throw new BlobMissingError(`${hash} is not on this machine any more`)
    return bytes
  }

  /** Stops computing. Jobs that still run get no outcome. */
  async close(): Promise<void> {
    this.closed = true
    await this.#runner.close()
    this.#store.close()
    this.#endings.endAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** @internal */
  published(id: string): PublishedJob | undefined {
    return this.#jobs.get(id)
  }

  /** @internal */
  status(id: string): ReturnType<JobSource['status']> {
    return this.#ended.get(id) ?? this.#runner.scheduler.job(id)
  }

  /** @internal */
  replicas(): readonly string[] {
    return ['local']
  }

  /** @internal */
  async outcomes(id: string, paths: readonly string[]): Promise<readonly Entry[]> {
    return await this.#outcomes.of(id, 0, () => this.#runner.feed({ type: 'read', job: id, paths }))
  }

  /** @internal */
  async explain(id: string): Promise<JobExplanation> {
    return await this.#explanations.of(id, 0, () => this.#runner.feed({ type: 'explain', job: id }))
  }

  /** @internal */
  async output(id: string): Promise<readonly NumberedOutput[]> {
    return await Promise.resolve(this.#output.of(id))
  }

  /** @internal */
  whyWaiting(_id: string, hasBegun: boolean): string {
    return hasBegun ? '' : 'its turn has not come'
  }

  /** @internal */
  watch(): void {}

  /** @internal */
  async kept(id: string): Promise<string> {
    return await Promise.reject(new JobNotKeptError(`the job ${id} is of this machine alone`))
  }

  /** @internal */
  async ended(id: string, ms?: number): Promise<Entry | undefined> {
    if (!this.closed && !this.#ended.has(id)) await this.#endings.wait(id, ms)
    return this.status(id)?.entry
  }

  /** @internal */
  async forget(id: string): Promise<void> {
    this.#runner.feed({ type: 'expired', job: id })
    this.#ended.set(id, undefined)
    this.#endings.end(id)
    this.#forget(id)
    await Promise.resolve()
  }

  /** @internal */
  async setDesired(id: string, desired: PublishedJob['desired']): Promise<void> {
    const job = this.#jobs.get(id)
    if (job === undefined || this.#ended.has(id)) return
    this.#jobs.set(id, { ...job, desired })
    const { fn, input, submitted } = job
    this.#runner.feed({
      type: 'job',
      spec: { id, owner: 'local', fn, input, submitted, desired, trusted: false, accepted: true, fresh: false },
    })
    await Promise.resolve()
  }
}
