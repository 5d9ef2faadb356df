/**
 * Fits a line through measurements and gives its uncertainty, to test whether the measurements are
 * flat.
 */
import { mean as average, sum } from '../base/quantiles.ts'

export interface Slope {
  /**
   * Mean of all values, change in an hour, and half the width of the confidence interval of this
   * change.
   */
  readonly mean: number
  readonly perHour: number
  readonly uncertainty: number
}

/** One measurement: Unix milliseconds, value. */
export type Point = readonly [time: number, value: number]

const HOUR = 3_600_000

/**
 * Quantiles of the normal distribution for a 95 % interval: for one slope, and for eighty that must
 * all hold at once (Bonferroni).
 */
const ONE = 1.959964
export const EIGHTY = 3.420527

/**
 * Fits a line by least squares through the means of blocks. Neighbouring samples are correlated (a
 * crowd of connections stays for a while). So single samples would give too small an uncertainty.
 * The uncertainty is NaN with fewer than three blocks. `block`: length of a block, ms. `z`:
 * quantile for the interval.
 */
export function slopeOf(points: readonly Point[], block: number, z = ONE): Slope {
  const blocks = means(points, block)
  const n = blocks.length
  const time = average(blocks.map(([x]) => x))
  const mean = average(blocks.map(([, y]) => y))
  const spread = sum(blocks.map(([x]) => (x - time) ** 2))
  const slope = sum(blocks.map(([x, y]) => (x - time) * (y - mean))) / spread
  const residual = sum(blocks.map(([x, y]) => (y - mean - slope * (x - time)) ** 2))
  const error = n < 3 ? Number.NaN : Math.sqrt(residual / (n - 2) / spread)
  return { mean, perHour: slope * HOUR, uncertainty: studentT(n - 2, z) * error * HOUR }
}

/**
 * Returns true if the interval contains zero, or if the change in an hour is below `share` of the
 * mean.
 */
export function isFlat({ mean, perHour, uncertainty }: Slope, share: number): boolean {
  return Math.abs(perHour) <= Math.max(uncertainty, share * Math.abs(mean))
}

function means(points: readonly Point[], block: number): Point[] {
  const [first] = points
  if (first === undefined) return []
  const blocks = Map.groupBy(points, ([time]) => Math.floor((time - first[0]) / block))
  return [...blocks.values()].map((each) => [average(each.map(([x]) => x)), average(each.map(([, y]) => y))])
}

/**
 * Returns the quantile of Student's t that corresponds to the quantile `z` of the normal
 * distribution, by the Cornish–Fisher expansion. The error is at most 1 % from 8 degrees of freedom
 * on.
 */
function studentT(degrees: number, z: number): number {
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
}
