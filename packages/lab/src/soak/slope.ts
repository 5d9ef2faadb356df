/** Fits a line through measurements, with its uncertainty, to test whether they are flat. */
import { mean as average, sum } from '../base/quantiles.ts'

export interface Slope {
  /**
   * Mean of all values, and the change in an hour with half the width of its 95 % confidence
   * interval.
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
 * Least squares over the means of blocks. Neighbouring samples resemble one another (a crowd of
 * connections stays for a while), so single samples would promise more certainty than they have.
 * NaN with fewer than three blocks. `z`: the width of the interval.
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
 * Within noise: the interval contains zero, or the whole change in an hour is below `share` of the
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
 * The quantile of Student's t that corresponds to one of the normal distribution, by the
 * Cornish–Fisher expansion (off by 1 % or less from 8 degrees on).
 */
function studentT(degrees: number, z: number): number {
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2)
}
