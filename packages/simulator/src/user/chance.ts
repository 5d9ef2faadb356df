/** Draws from distributions. */
import type { Milliseconds } from '@jel/protocol'
import { exactExp, exactLog } from '../engine/exact.ts'

/** Never 0, whose logarithm is none. */
function positive(random: () => number): number {
  return 1 - random()
}

/** Time to the next of independent events that come once in `mean`. */
export function exponential(mean: Milliseconds, random: () => number): Milliseconds {
  return -mean * exactLog(positive(random))
}

/** Never below `min`; the smaller the shape, the more of the very long ones. */
export function pareto(min: Milliseconds, shape: number, random: () => number): Milliseconds {
  return min * exactExp(-exactLog(positive(random)) / shape)
}

/**
 * What is left of a Pareto time that is under way, met at a random moment. Where the shape is 1 or less the mean has no bound, so no pool is in a steady state: then a
 * whole time.
 */
export function residualPareto(min: Milliseconds, shape: number, random: () => number): Milliseconds {
  if (shape <= 1) return pareto(min, shape, random)
  const longer = positive(random) // this share of all residual times is longer
  const mean = (shape * min) / (shape - 1)
  return longer * shape >= 1 ? (1 - longer) * mean : min * exactExp(-exactLog(longer * shape) / (shape - 1))
}
