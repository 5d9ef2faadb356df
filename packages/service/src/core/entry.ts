import type { Milliseconds } from '@jel/machine'
import type { Mark, Reign } from './history.ts'
import { MAX_VALUE_BYTES } from './value.ts'

/** An operation, as the primary numbered it. */
export interface Entry {
  readonly reign: Reign
  readonly seq: number
  /** The member that called, and its key. Together they name the operation. */
  readonly caller: string
  readonly key: string
  readonly operation: unknown
  /** The time of the service, ms. */
  readonly now: Milliseconds
  readonly result: unknown
  /** Why it failed. It has a number all the same, so that all replicas do the same. */
  readonly error?: string | undefined
  /** Where another side of a partition applied it, and its results before. */
  readonly orphan?: { readonly reign: Reign; readonly seq: number; readonly before: readonly unknown[] } | undefined
}

/** The most bytes of one entry on the wire: an operation, and its results on all sides. */
export const MAX_ENTRY_BYTES = 10 * MAX_VALUE_BYTES + 8192

export type Apply = (state: unknown, operation: unknown, context: { readonly now: Milliseconds }) => readonly [unknown, unknown]

/** All that a replica knows of the service. */
export interface Snapshot {
  readonly state: unknown
  readonly history: readonly Mark[]
  readonly now: Milliseconds
  /** Name and number of the operation, its outcome, and whether it failed, the oldest first. */
  readonly results: readonly (readonly [string, number, string, boolean])[]
  /** For each reign of another side the last operation that was applied again. */
  readonly absorbed: readonly (readonly [string, number])[]
  /** The last operations, back to where the other side of a partition may have left. */
  readonly log: readonly Entry[]
}

/** Why an operation is not applied. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
