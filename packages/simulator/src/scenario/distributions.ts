/** Draws from distributions, such as the lengths of nodes' stays. */
import type { Milliseconds } from '@jel/protocol'
import { exactExp, exactLog } from '../engine/exact.ts'
import type { Sessions } from './population.ts'

/** Returns a draw above 0, because 0 has no logarithm. */
function positive(random: () => number): number {
  return 1 - random()
}

/** Returns the time to the next of independent events. On average, one happens in `mean`. */
export function exponential(mean: Milliseconds, random: () => number): Milliseconds {
  return -mean * exactLog(positive(random))
}

/** Returns a time of at least `min`. A smaller shape gives more very long times. */
export function pareto(min: Milliseconds, shape: number, random: () => number): Milliseconds {
  return min * exactExp(-exactLog(positive(random)) / shape)
}

/**
 * Returns the rest of a Pareto time at a random moment within that time. With a shape of 1 or less
 * the mean has no bound, and no pool has a steady state. Then the function returns a whole time.
 */
export function residualPareto(min: Milliseconds, shape: number, random: () => number): Milliseconds {
  if (shape <= 1) return pareto(min, shape, random)
  const longer = positive(random) // This share of all residual times is longer.
  const mean = (shape * min) / (shape - 1)
  return longer * shape >= 1 ? (1 - longer) * mean : min * exactExp(-exactLog(longer * shape) / (shape - 1))
}

/** Returns the lifetime of a new node. */
export function lifetime(length: Sessions['length'], random: () => number): Milliseconds {
  switch (length.type) {
    case 'exponential':
      return exponential(length.mean, random)
    case 'pareto':
      return pareto(length.min, length.shape, random)
    case 'constant':
      return length.length
  }
}

/**
 * Returns the remaining lifetime of a node found in an old pool. Such a node is probably
 * long-lived, and has been there for some time (renewal theory's equilibrium distribution: the
 * density at x is the share of lifetimes above x, over their mean).
 */
export function residualLifetime(length: Sessions['length'], random: () => number): Milliseconds {
  switch (length.type) {
    case 'exponential':
      return exponential(length.mean, random) // An exponential time has no memory.
    case 'pareto':
      return residualPareto(length.min, length.shape, random)
    case 'constant':
      return length.length * random()
  }
}
