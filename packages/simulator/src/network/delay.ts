import type { Milliseconds } from '@jel/protocol'
import type { Machine } from './machine.ts'

/** One end of a packet's path. */
interface Place {
  /** The number of the node, in the order of starting. */
  readonly index: number
  readonly machine: Machine
}

/**
 * Returns the one-way delay of a packet. An implementation applies only `+ - * /` and `Math.sqrt`
 * to the random numbers. Other functions may differ in the last bit between versions of the engine.
 * But one seed must give one history everywhere.
 */
export type Delay = (from: Place, to: Place, random: () => number) => Milliseconds

export function constantDelay(ms: Milliseconds): Delay {
  return () => ms
}

/** Returns a delay with a uniform distribution between `min` and `max`. */
export function uniformDelay(min: Milliseconds, max: Milliseconds): Delay {
  return (_from, _to, random) => min + (max - min) * random()
}

/**
 * The delay between processes on one machine: 0.1 to 0.5 ms (measured on loopback between two
 * processes).
 */
export const loopback: Delay = uniformDelay(0.1, 0.5)
