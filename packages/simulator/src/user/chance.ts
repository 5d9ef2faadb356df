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
