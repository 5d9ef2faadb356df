import type { FromProgram, ToProgram } from './messages.ts'
import type { Place } from './program-module.ts'

/** A process that runs one program. Whatever goes wrong with it is told by its events: nothing is thrown. */
export interface Container {
  /** A program that is being loaded gets it later. */
  post(messages: readonly ToProgram[]): void
  /** Resolves when it has room for more. Never, if it ends before. */
  taken(): Promise<void>
  /** Ends it, whatever it does. Nothing is told afterwards. */
  end(): Promise<void>
}

export interface ContainerEvents {
  /** Checked: it may have been taken over by its program. */
  readonly onMessages: (messages: readonly FromProgram[]) => void
  /** It could not be started, ended by itself, or said what it may not, and why. At most once, and not before `startProgram` has returned. */
  readonly onLost: (reason: string) => void
}

/**
 * How long a program may take to load, ms, or as long as a task, if that may take longer; a task's time counts from then. A guess: with a load of
 * eleven on two processors a first start took 3 to 5 s (measured).
 */
export const LOAD_TIME = 60_000

/** What one task may take. */
export interface TaskLimits {
  /** Running time, ms; waiting for children does not count. */
  readonly time: number
  /** MiB. In a sandbox all that it takes; elsewhere its heap: buffers and WASM memory pass it (measured). */
  readonly memory: number
  /** MiB that programs, large inputs and blobs take on disk, of all jobs together; the longest unused go first. A task in a sandbox can write nothing. */
  readonly disk: number
}

export const defaultTaskLimits: TaskLimits = { time: 600_000, memory: 512, disk: 256 }

/** A blob as its job's list has it. */
export interface BlobSource {
  readonly size: number
  /** Each gives its bytes, checked; together they are the blob. */
  readonly parts: readonly (() => Promise<Uint8Array>)[]
}

/** A program that is to be run, and where. */
export interface PlacedProgram {
  /** Gives the file of its module, checked. Rejects where that is not here any more. */
  readonly file: () => Promise<string>
  /** `own`: it may do what this process may. `sandbox`: it can compute, and nothing else. */
  readonly place: Place
  /** A blob of its job, by its CID. Throws if the job has none of this name. */
  readonly blob: (cid: string) => BlobSource
}
