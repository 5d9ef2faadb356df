import { NOTHING_EXPLAINED } from '../core/explanation.ts'
import type { Entry } from '../core/entry.ts'
import type { JobSpec } from '../core/io.ts'
import type { JobExplanation } from '../core/messages.ts'
import type { JobView } from '../core/job-view.ts'
import { BlobMissingError, JobNotKeptError } from '../errors.ts'
import { describeProgram, findFunction } from '../executors/describe.ts'
import type { ProgramFunction } from '../program/messages.ts'
import type { JobSource } from '../job-source.ts'
import { checkLocalSubmitOptions, type LocalOptions, type LocalSubmitOptions } from '../options.ts'
import { blobsIn, type BlobReference } from '../program/blob.ts'
import { encodeValue } from '../program/values.ts'
import { keepBlob, listBlobs, readBlobList } from './blob-list.ts'
import { readName } from './blob-names.ts'
import { BlobStore } from './blob-store.ts'
import { bundleProgram } from './bundle.ts'
import { Endings } from './endings.ts'
import { JobBlobs } from './job-blobs.ts'
import { MAX_DATE, type PublishedJob } from './job-record.ts'
import { blobOf } from './large-results.ts'
import { OutputLog, type NumberedOutput } from './output-log.ts'
import { Replies } from './replies.ts'
import { Runner } from './runner.ts'

/** The jobs of a machine without a pool, with one scheduler and its workers. */
export class LocalJobs implements JobSource {
  readonly #store: BlobStore
  readonly #runner: Runner
  readonly #records = new Map<string, PublishedJob>()
  readonly #functions = new Map<string, readonly ProgramFunction[]>()
  readonly #blobs = new Map<string, JobBlobs>()
  readonly #endings = new Endings()
  /**
   * The ends of jobs. The record, the outcome, the output and a large result of an ended job stay
   * as long as the `Job` object lives.
   */
  readonly #ended = new Map<string, JobView | undefined>()
  readonly #output = new OutputLog()
  #outputs = 0
  readonly #explanations = new Replies<JobExplanation>(NOTHING_EXPLAINED)
  readonly #outcomes = new Replies<readonly Entry[]>([])
  readonly #handles = new FinalizationRegistry<string>((id) => this.#release(id))
  #isClosed = false

  constructor({ workers, limits, cache, place = 'own' }: LocalOptions) {
    this.#store = new BlobStore(cache, limits?.disk)
    this.#runner = new Runner({
      self: { id: 'local', location: 'local' },
      workers,
      ...(limits && { limits }),
      programOf: (job) => ({
        file: async () => await this.#store.fileOf((this.#records.get(job) as PublishedJob).program),
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

  get closed(): boolean {
    return this.#isClosed
  }

  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await keepBlob(this.#store, source)
  }

  /** Starts a job, and returns its id. A job that can't start leaves nothing behind. */
  async start(program: string | Uint8Array, fn: string, input: unknown, options: LocalSubmitOptions): Promise<string> {
    checkLocalSubmitOptions(options)
    const id = crypto.randomUUID()
    try {
      await this.#begin(id, program, fn, input, options)
      return id
    } catch (error) {
      this.#release(id)
      throw error
    }
  }

  async #begin(id: string, program: string | Uint8Array, fn: string, input: unknown, options: LocalSubmitOptions): Promise<void> {
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
    this.#records.set(id, {
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
      requirements: undefined,
      after: [],
      maxTime: undefined,
      submitted,
      keep: Infinity,
      desired: 'run',
      expires: MAX_DATE,
      version: 0,
    })
    const spec: JobSpec = { id, owner: 'local', fn, input: encoded, submitted, desired: 'run', trusted: false, accepted: true, fresh: true }
    this.#runner.feed({ type: 'job', spec })
  }

  /** Forgets the job once the application no longer refers to this handle. */
  handled<Handle extends { readonly id: string }>(job: Handle): Handle {
    this.#handles.register(job, job.id)
    return job
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#runner.close()
    this.#store.close()
    this.#endings.endAll()
  }

  published(id: string): PublishedJob | undefined {
    return this.#records.get(id)
  }

  status(id: string): JobView | undefined {
    return this.#ended.get(id) ?? this.#runner.scheduler.job(id)
  }

  replicas(): readonly string[] {
    return ['local']
  }

  async outcomes(id: string, paths: readonly string[]): Promise<readonly Entry[]> {
    return await this.#outcomes.of(id, 0, () => this.#runner.feed({ type: 'read', job: id, paths }))
  }

  async explain(id: string): Promise<JobExplanation> {
    return await this.#explanations.of(id, 0, () => this.#runner.feed({ type: 'explain', job: id }))
  }

  async output(id: string): Promise<readonly NumberedOutput[]> {
    return await Promise.resolve(this.#output.of(id))
  }

  whyWaiting(_id: string, hasBegun: boolean): string {
    return hasBegun ? '' : 'its turn has not come'
  }

  watch(): void {}

  async kept(id: string): Promise<string> {
    return await Promise.reject(new JobNotKeptError(`the job ${id} is of this machine alone`))
  }

  async ended(id: string, ms?: number): Promise<Entry | undefined> {
    if (!this.#isClosed && !this.#ended.has(id)) await this.#endings.wait(id, ms)
    return this.status(id)?.entry
  }

  async forget(id: string): Promise<void> {
    this.#runner.feed({ type: 'expired', job: id })
    this.#ended.set(id, undefined)
    this.#endings.end(id)
    this.#release(id)
    await Promise.resolve()
  }

  async setDesired(id: string, desired: PublishedJob['desired']): Promise<void> {
    const job = this.#records.get(id)
    if (job === undefined || this.#ended.has(id)) return
    this.#records.set(id, { ...job, desired })
    const { fn, input, submitted } = job
    this.#runner.feed({
      type: 'job',
      spec: { id, owner: 'local', fn, input, submitted, desired, trusted: false, accepted: true, fresh: false },
    })
    await Promise.resolve()
  }

  async made(_: string, hash: string): Promise<Uint8Array> {
    return await this.#get(hash)
  }

  /**
   * Drops the parts of an ended job that nobody needs any more. See `#ended` for the parts that
   * stay.
   */
  #jobEnded(id: string): void {
    this.#ended.set(id, this.#runner.scheduler.job(id))
    const job = this.#records.get(id)
    if (job !== undefined) this.#records.set(id, { ...job, input: undefined })
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
  #release(id: string): void {
    if (this.#records.has(id) && !this.#ended.has(id) && !this.#isClosed) {
      void this.#endings.wait(id).then(() => this.#release(id))
      return
    }
    this.#store.unpin(id)
    this.#ended.delete(id)
    this.#blobs.delete(id)
    this.#records.delete(id)
    this.#output.forget(id)
  }

  /** Stores bytes of a task. They stay until the job has ended; a large result stays longer. */
  async #keepFor(job: string, bytes: Uint8Array): Promise<BlobReference> {
    const reference = await keepBlob(this.#store, bytes)
    this.#store.pin((readName(reference.blob) as { hash: string }).hash, job)
    return reference
  }

  async #get(hash: string): Promise<Uint8Array> {
    const bytes = await this.#store.get(hash)
    if (bytes === undefined) throw new BlobMissingError(`${hash} is not on this machine any more`)
    return bytes
  }
}
