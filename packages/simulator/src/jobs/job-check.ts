import type { Effect, Input } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { ComputeNode } from './compute-node.ts'

/** Ends the run because this member broke a promise of jobs. */
export type Break = (member: ComputeNode, what: string) => never

/** Checks one promise of jobs during the run. */
export interface JobCheck {
  /**
   * The run calls `took` before a scheduler handles an input. It calls `did` before a member
   * carries out an effect.
   */
  took?(member: ComputeNode, input: Input): void
  did?(member: ComputeNode, effect: Effect): void
  /** Called once a second. */
  look?(now: Milliseconds): void
}
