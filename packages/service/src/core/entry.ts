import type { Milliseconds } from '@jel/machine'
import type { Mark, Reign } from './history.ts'
import { MAX_VALUE_BYTES } from './value.ts'

/** An operation to which a primary has given a number. */
export interface Entry {
  readonly reign: Reign
  readonly seq: number
  /** The member that called. Caller and key together name the operation. */
  readonly caller: string
  readonly key: string
  readonly operation: unknown
  /** The time of the service, ms. */
  readonly now: Milliseconds
  readonly result: unknown
  /** Why the operation failed. It has a number as well, so that all replicas apply the same. */
  readonly error?: string | undefined
  /** The place of this operation on another side of a partition, and its former results. */
  readonly orphan?: { readonly reign: Reign; readonly seq: number; readonly before: readonly unknown[] } | undefined
}

/** Maximum bytes of an entry in a message: an operation, and its results on all sides. */
export const MAX_ENTRY_BYTES = 10 * MAX_VALUE_BYTES + 8192

export type Apply = (state: unknown, operation: unknown, context: { readonly now: Milliseconds }) => readonly [unknown, unknown]

/** All that a replica knows of the service. */
export interface Snapshot {
  readonly state: unknown
  readonly history: readonly Mark[]
  readonly now: Milliseconds
  /** The name, the number and the outcome of operations, and whether they failed: oldest first. */
  readonly results: readonly (readonly [string, number, string, boolean])[]
  /** The last operation that was applied again, for each reign of another side. */
  readonly absorbed: readonly (readonly [string, number])[]
  /** The operations since the last one that all replicas surely have. */
  readonly log: readonly Entry[]
}

/** The reason why an operation is not applied. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
