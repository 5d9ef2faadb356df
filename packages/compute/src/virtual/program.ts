import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import type { Shared } from '../core/shared-value.ts'

/** What one execution of a task does, in virtual time. */
export interface Plan {
  /** What it computes before it calls for its children, or ends, ms of a processor of speed 1. */
  readonly cost: number
  readonly children: readonly Spawn[]
  readonly offers: Shared
  /** What it gives, of its children's outcomes in their order. */
  readonly outcome: (children: readonly Outcome[]) => Outcome
}

/** A program whose tasks take virtual time. It must be a function of the task, as real ones. */
export type VirtualProgram = (fn: string, input: Uint8Array, context: { readonly shared: Shared; readonly split: boolean }) => Plan
