import type { Entry } from './core/entry.ts'
import type { HeldTask, JobSpec } from './core/io.ts'
import { describeProgram, findFunction } from './executors/describe.ts'
import type { ProgramFunction } from './executors/messages.ts'
import type { PlacedProgram, TaskLimits } from './executors/container.ts'
import type { SubmitOptions } from './grid.ts'
import { Job, type JobSource } from './job.ts'
import { BlobMissingError } from './errors.ts'
import { blobsIn, type BlobReference } from './program/blob.ts'
import { encodeValue } from './program/values.ts'
import { checkLocalOptions, checkLocalSubmitOptions } from './options.ts'
import { keepBlob, listBlobs, readBlobList } from './shell/blob-list.ts'
import { BlobStore } from './shell/blob-store.ts'
import { bundleProgram } from './shell/bundle.ts'
import { Endings } from './shell/endings.ts'
import { JobBlobs } from './shell/job-blobs.ts'
import type { PublishedJob } from './shell/job-record.ts'
import { Runner } from './shell/runner.ts'

export interface LocalOptions {
  /** How many tasks may run at once. */
  readonly workers: number
  readonly limits?: Partial<TaskLimits>
  /** Where programs run: `own`, which keeps nothing out, or `sandbox`; see the `accept` of `compute`. Default: `own`. */
  readonly place?: PlacedProgram['place']
  /** Where programs are kept. Default: below the user's cache folder. */
  readonly cache?: string
}

/** What of the options of a job there is without a pool. */
type LocalSubmitOptions = Pick<SubmitOptions, 'blobs'>

/** The same programs without a pool, on this machine's processors (Cilk's serial elision, on several). */
export function computeLocal(options: LocalOptions): LocalGrid {
  checkLocalOptions(options)
  return new LocalGrid(options)
}

export class LocalGrid implements AsyncDisposable, JobSource {
  readonly #store: BlobStore
  readonly #runner: Runner
  readonly #jobs = new Map<string, PublishedJob>()
  readonly #functions = new Map<string, readonly ProgramFunction[]>()
  readonly #blobs = new Map<string, JobBlobs>()
  readonly #endings = new Endings()
  closed = false
  #onExplained: (tasks: readonly HeldTask[]) => void = () => {}

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
      }),
      send: () => {},
      onEnded: ({ job }) => this.#endings.tell(job),
      onExplained: ({ tasks }) => this.#onExplained(tasks),
      onWarning: () => {},
    })
  }

  /** Keeps bytes, or those of a file, and gives their name for the inputs of jobs. @throws BlobTooLargeError */
  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await keepBlob(this.#store, source)
  }

  /** @throws InvalidOptionError, ProgramError, FunctionMissingError, UnclonableError, ValueTooLargeError, BlobMissingError, BlobTooLargeError */
  async submit(program: string | Uint8Array, fn: string, input?: unknown, options: LocalSubmitOptions = {}): Promise<Job> {
    checkLocalSubmitOptions(options)
    const hash = await this.#store.put(typeof program === 'string' ? await bundleProgram(program) : program)
    const functions = this.#functions.get(hash) ?? (await describeProgram(async () => await this.#store.fileOf(hash)))
    this.#functions.set(hash, functions)
    const { result } = findFunction(functions, fn)
    const id = crypto.randomUUID()
    const submitted = Date.now()
    const encoded = encodeValue(input)
    const list = await listBlobs(this.#store, [...blobsIn(input), ...(options.blobs ?? [])])
    this.#blobs.set(id, new JobBlobs(hash, list === undefined ? [] : await readBlobList(list), async (blob) => await this.#get(blob)))
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
      wish: 'run',
      expires: Infinity,
    })
    const spec: JobSpec = { id, owner: 'local', fn, input: encoded, submitted, wish: 'run', accepted: true, fresh: true }
    this.#runner.feed({ type: 'job', spec })
    return new Job(this, id)
  }

  async #get(hash: string): Promise<Uint8Array> {
    const bytes = await this.#store.get(hash)
    if (bytes === undefined) throw new BlobMissingError(`${hash} is not on this machine any more`)
    return bytes
  }

  async close(): Promise<void> {
    this.closed = true
    await this.#runner.close()
    this.#endings.tellAll()
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
    return this.#runner.scheduler.job(id)
  }

  /** @internal */
  replicas(): readonly string[] {
    return ['local']
  }

  /** @internal */
  async explain(id: string): Promise<readonly HeldTask[]> {
    let tasks: readonly HeldTask[] = []
    this.#onExplained = (held) => (tasks = held)
    this.#runner.feed({ type: 'explain', job: id })
    return await Promise.resolve(tasks)
  }

  /** @internal */
  watch(): void {}

  /** @internal */
  async ended(id: string, ms?: number): Promise<Entry | undefined> {
    if (!this.closed && this.#runner.scheduler.ended(id) === undefined) await this.#endings.wait(id, ms)
    return this.status(id)?.entry
  }

  /** @internal */
  async forget(id: string): Promise<void> {
    this.#runner.feed({ type: 'expired', job: id })
    this.#jobs.delete(id)
    this.#blobs.delete(id)
    this.#endings.tell(id)
    await Promise.resolve()
  }

  /** @internal */
  async wish(id: string, wish: PublishedJob['wish']): Promise<void> {
    const job = this.#jobs.get(id) as PublishedJob
    this.#jobs.set(id, { ...job, wish })
    const { fn, input, submitted } = job
    this.#runner.feed({
      type: 'job',
      spec: { id, owner: 'local', fn, input, submitted, wish, accepted: true, fresh: false },
    })
    await Promise.resolve()
  }
}
