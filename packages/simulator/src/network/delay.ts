import type { Milliseconds } from '@jel/protocol'

/**
 * How long a packet takes from one host to another, one way. Hosts are named by their number, in the order in which they were
 * started. Use only `+ - * /` and `Math.sqrt` on the draws: other functions may differ in the last bit between versions of the
 * engine, and one seed must give one history everywhere.
 */
export type Delay = (from: number, to: number, random: () => number) => Milliseconds

export function constantDelay(ms: Milliseconds): Delay {
  return () => ms
}

/** Anything between the two, equally likely. */
export function uniformDelay(min: Milliseconds, max: Milliseconds): Delay {
  return (_from, _to, random) => min + (max - min) * random()
}

/** Processes on one machine: 0.1 to 0.5 ms (measured on loopback between two processes). */
export const loopback: Delay = uniformDelay(0.1, 0.5)
