import type { JobId, Milliseconds } from '../core/io.ts'
import type { BlobReference } from '../program/blob.ts'
import type { FromProgram, ToProgram } from '../program/messages.ts'
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
  /** Returns how long this thread must not read from the programs of this job, ms. */
  wait(job: JobId, now: Milliseconds): Milliseconds
}

export interface ContainerEvents {
  /** Receives checked messages: the program may have taken over the process. */
  readonly onMessages: (messages: readonly FromProgram[]) => void
  /**
   * The process did not start, ended by itself, or sent a forbidden message. `reason` states which.
   * Called at most once, and not before `startProgram` has returned.
   */
  readonly onLost: (reason: string) => void
}

/** A blob as its job lists it. */
export interface BlobSource {
  readonly size: number
  /** Each function returns the checked bytes of one part. Together the parts are the blob. */
  readonly parts: readonly (() => Promise<Uint8Array>)[]
}

/** A program to run, and its place. */
export interface PlacedProgram {
  /** Returns the path of the module's checked file. Rejects if the file is gone. */
  readonly file: () => Promise<string>
  /** `own`: all rights of this process. `sandbox`: it can compute, and nothing else. */
  readonly place: Place
  /** Returns a blob of the job by its CID. Throws if the job has no such blob. */
  readonly blob: (cid: string) => BlobSource
  /** Keeps bytes that the program made as a blob. */
  readonly store: (bytes: Uint8Array) => Promise<BlobReference>
}
