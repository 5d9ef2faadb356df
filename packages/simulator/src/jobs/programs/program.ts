import type { Outcome, Shared, Spawn } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'

/** The plan of one execution of a task, in virtual time. */
export interface Plan {
  /** Time until the task waits for its children or ends, in ms of a processor of speed 1. */
  readonly cost: number
  readonly children: readonly Spawn[]
  /** If set, the task ends its container or its whole member after its cost. */
  readonly ends?: 'container' | 'member'
  /** If set, the task saves its state at this interval, ms. A later run goes on from there. */
  readonly saveEvery?: Milliseconds
  readonly offers: Shared
  /**
   * Returns a driver's next tasks after the outcome of a child. These tasks become children, too.
   */
  readonly more?: (child: Spawn) => readonly Spawn[]
  /** Computes the outcome from the children's outcomes in their order. */
  readonly outcome: (children: readonly Outcome[]) => Outcome
}

/** The environment of a task. */
interface PlanContext {
  readonly shared: Shared
  readonly split: boolean
  readonly speed: number
  /**
   * Time that one index of a space takes on this worker, by function, ms. The worker has measured
   * it.
   */
  readonly rates: Map<string, Milliseconds>
}

/**
 * A program whose tasks take virtual time. As in a real program, a task's outcome must be a
 * function of its input.
 */
export type VirtualProgram = (fn: string, input: Uint8Array, context: PlanContext) => Plan
