import type { Milliseconds } from '@jel/protocol'
import type { Machine } from './machine.ts'

/** Where a packet comes from or goes to. */
interface Place {
  /** The number of the node, in the order in which they were started. */
  readonly index: number
  readonly machine: Machine
}

/**
 * How long a packet takes from one node to another, one way. Use only `+ - * /` and `Math.sqrt` on the draws: other functions may differ
 * in the last bit between versions of the engine, and one seed must give one history everywhere.
 */
export type Delay = (from: Place, to: Place, random: () => number) => Milliseconds

export function constantDelay(ms: Milliseconds): Delay {
  return () => ms
}

/** Anything between the two, equally likely. */
export function uniformDelay(min: Milliseconds, max: Milliseconds): Delay {
  return (_from, _to, random) => min + (max - min) * random()
}

/** Processes on one machine: 0.1 to 0.5 ms (measured on loopback between two processes). */
export const loopback: Delay = uniformDelay(0.1, 0.5)
