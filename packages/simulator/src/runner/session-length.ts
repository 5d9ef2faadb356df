/** The lengths of nodes' stays. */
import type { Milliseconds } from '@jel/protocol'
import type { Sessions } from '../scenario/population.ts'
import { exponential, pareto, residualPareto } from './distributions.ts'

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
 * Returns the remaining lifetime of a node found in an old pool. Such a node is mostly one of the
 * long-lived ones, and has been there for some time (renewal theory's equilibrium distribution: the
 * density at x is the share of lifetimes above x, over their mean).
 */
export function residualLifetime(length: Sessions['length'], random: () => number): Milliseconds {
  switch (length.type) {
    case 'exponential':
      return exponential(length.mean, random) // It has no memory.
    case 'pareto':
      return residualPareto(length.min, length.shape, random)
    case 'constant':
      return length.length * random()
  }
}
