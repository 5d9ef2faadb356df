/** How long a node stays. */
import type { Milliseconds } from '@jel/protocol'
import type { Sessions } from '../scenario/population.ts'
import { exponential, pareto, residualPareto } from './chance.ts'

/** Of a node that comes now. */
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
 * What is left to a node that one meets in a pool that has been there for long: in most cases it is one of the long-lived ones, and has been there for some time
 * (renewal theory's equilibrium distribution: the density at x is the share of lifetimes above x, over their mean).
 */
export function residualLifetime(length: Sessions['length'], random: () => number): Milliseconds {
  switch (length.type) {
    case 'exponential':
      return exponential(length.mean, random) // it has no memory
    case 'pareto':
      return residualPareto(length.min, length.shape, random)
    case 'constant':
      return length.length * random()
  }
}
