import type { JobId, Milliseconds } from '../core/io.ts'
import type { FromProgram, ToProgram } from './messages.ts'
import type { Place } from './program-module.ts'

/** A process that runs one program. Its events report every fault, and nothing is thrown. */
export interface Container {
  /** Sends messages. A program that still loads gets the messages later. */
  post(messages: readonly ToProgram[]): void
  /** Resolves when the container has room for more. If it ends first, this may never resolve. */
  taken(): Promise<void>
  /** Ends the process in any state. No event follows. */
  end(): Promise<void>
}

/** Bounds the time of this thread that the messages of each job take. */
export interface MessageBudget {
  /** `took`: ms. */
  charge(job: JobId, took: Milliseconds, bytes: number, now: Milliseconds): void
  /** Returns how long no more is read from the programs of this job, ms. */
  wait(job: JobId, now: Milliseconds): Milliseconds
}

export interface ContainerEvents {
  /** Receives messages. They are checked, since the program may have taken over the process. */
  readonly onMessages: (messages: readonly FromProgram[]) => void
  /**
   * The process could not be started, ended by itself, or sent a forbidden message. `reason` states
   * which. Called at most once, and not before `startProgram` has returned.
   */
  readonly onLost: (reason: string) => void
}

/**
 * A program may take this long to load, ms, or as long as a task if that limit is longer. The time
 * of a task counts from the end of the load. A guess: with a system load of eleven on two
 * processors a first start took 3 to 5 s (measured).
 */
export const LOAD_TIME = 60_000

/** Limits of a task, and of the disk. */
export interface TaskLimits {
  /** Running time of one task, ms, without the wait for children. Default: 600,000 (10 minutes). */
  readonly time: number
  /**
   * Memory, MiB. In a sandbox it bounds all memory of the process. Elsewhere it bounds the heap:
   * buffers and WASM memory can exceed it (measured). Default: 512.
   */
  readonly memory: number
  /**
   * Disk space for the programs, large inputs and blobs of all jobs together, MiB. The least
   * recently used files are removed first. A task in a sandbox can't write to the disk. Default:
   * 256.
   */
  readonly disk: number
}

export const defaultTaskLimits: TaskLimits = { time: 600_000, memory: 512, disk: 256 }

/** A blob as listed by its job. */
export interface BlobSource {
  readonly size: number
  /** Each part returns its bytes, checked. Together the parts are the blob. */
  readonly parts: readonly (() => Promise<Uint8Array>)[]
}

/** A program to run, and its place. */
export interface PlacedProgram {
  /** Returns the file of the module, checked. Rejects if the file is gone. */
  readonly file: () => Promise<string>
  /** `own`: all rights of this process. `sandbox`: it can compute, and nothing else. */
  readonly place: Place
  /** Returns a blob of the job by its CID. Throws if the job has no such blob. */
  readonly blob: (cid: string) => BlobSource
}
