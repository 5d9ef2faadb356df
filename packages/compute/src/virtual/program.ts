import type { Outcome } from '../core/entry.ts'
import type { Milliseconds, Spawn } from '../core/io.ts'
import type { Shared } from '../core/shared-value.ts'

/** What one execution of a task does, in virtual time. */
export interface Plan {
  /** What it computes before it calls for its children, or ends, ms of a processor of speed 1. */
  readonly cost: number
  readonly children: readonly Spawn[]
  /** After its cost it ends its container, or its whole member. */
  readonly ends?: 'container' | 'member'
  readonly offers: Shared
  /** What it calls for once this child has its outcome: a driver's next tasks. They count as its children from then on. */
  readonly more?: (child: Spawn) => readonly Spawn[]
  /** What it gives, of its children's outcomes in their order. */
  readonly outcome: (children: readonly Outcome[]) => Outcome
}

/** Where a task runs. */
interface PlanContext {
  readonly shared: Shared
  readonly split: boolean
  readonly speed: number
  readonly random: () => number
  /** What this worker measured, by function: how long one index of a space takes here, ms. */
  readonly rates: Map<string, Milliseconds>
}

/** A program whose tasks take virtual time. What a task gives must be a function of its input, as in real ones. */
export type VirtualProgram = (fn: string, input: Uint8Array, context: PlanContext) => Plan
