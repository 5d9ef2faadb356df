import type { Effect, Input } from '@jel/compute/virtual'
import type { Milliseconds } from '@jel/protocol'
import type { ComputeNode } from './compute-node.ts'

/** Ends the run: a promise of jobs is broken by this member. */
export type Break = (member: ComputeNode, what: string) => never

/** One promise of jobs, checked as it runs. */
export interface JobCheck {
  /** Before a member's scheduler handles an input, and before anything is done with an effect. */
  took?(member: ComputeNode, input: Input): void
  did?(member: ComputeNode, effect: Effect): void
  /** Once a second. */
  look?(now: Milliseconds): void
}
