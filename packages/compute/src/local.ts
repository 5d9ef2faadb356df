import { Job } from './job.ts'
import type { BlobReference } from './program/blob.ts'
import { checkLocalOptions, type CommandOptions, type LocalOptions, type LocalSubmitOptions, type MapOptions } from './options.ts'
import { SWEEP } from './program/map.ts'
import { LocalJobs } from './shell/local-jobs.ts'
import { commandSweep, functionSweep } from './shell/sweep.ts'
import { Sweep } from './sweep.ts'

/** The options of a sweep that apply without a pool. */
type LocalMapOptions = Pick<MapOptions, 'blobs' | 'keepGoing' | 'retries'>
type LocalCommandOptions = LocalMapOptions & Pick<CommandOptions, 'files' | 'collect' | 'persistent' | 'container'>

/** See `compute-local.ts`. */
export function computeLocal(options: LocalOptions): LocalGrid {
  checkLocalOptions(options)
  return new LocalGrid(options)
}

/** Computing on this machine alone. `computeLocal` creates a local grid. */
export class LocalGrid implements AsyncDisposable {
  /** @internal */
  readonly source: LocalJobs

  /** @internal */
  constructor(options: LocalOptions) {
    this.source = new LocalJobs(options)
  }

  /**
   * Stores bytes, or the bytes of a file, and returns their name for the inputs of jobs.
   * @throws BlobTooLargeError
   */
  async blob(source: string | Uint8Array): Promise<BlobReference> {
    return await this.source.blob(source)
  }

  /**
   * Submits a job; see `submit` of `Grid`. Each submission is a job of its own.
   *
   * @throws InvalidOptionError, ProgramError, FunctionMissingError, UnclonableError,
   * ValueTooLargeError, BlobMissingError, BlobTooLargeError
   */
  async submit(program: string | Uint8Array, fn: string, input?: unknown, options: LocalSubmitOptions = {}): Promise<Job> {
    const id = await this.source.start(program, fn, input, options)
    return this.source.handled(new Job(this.source, id))
  }

  /**
   * Submits a sweep; see `map` of `Grid`.
   *
   * @throws as `submit`
   */
  async map(program: string, fn: string, inputs: readonly unknown[], options: LocalMapOptions = {}): Promise<Sweep> {
    const sweep = await functionSweep(program, fn, inputs, options, async (source) => await this.blob(source))
    const id = await this.source.start(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return this.source.handled(new Sweep(this.source, id, sweep.fn, sweep.input))
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
    const id = await this.source.start(sweep.program, SWEEP, sweep.rootInput, sweep.options)
    return this.source.handled(new Sweep(this.source, id, sweep.fn, sweep.input))
  }

  /** Stops computing. Jobs that still run get no outcome. */
  async close(): Promise<void> {
    await this.source.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
