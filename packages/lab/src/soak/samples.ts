/** The samples of all groups, and the slopes through them. */
import { mean } from '../base/quantiles.ts'
import { UsageError } from '../base/settings.ts'
import { MEASURED, MEASURES, type Measure, type Sample } from './plan.ts'
import { EIGHTY, slopeOf, type Point, type Slope } from './slope.ts'

const MINUTE = 60_000
/**
 * Minutes whose samples form one point of a line. A guess: a churning group replaces its nodes in
 * this time.
 */
const BLOCK = 2
/**
 * Fewest points of a line with a verdict. The report only shows a line through fewer points. Below
 * eight degrees of freedom the quantiles of `slope.ts` are wrong. The interval is then so wide that
 * it hides every slope.
 */
const LEAST = 10

/** The name of all groups together, in place of a group's name. */
export const ALL = 'all'

export interface Row {
  readonly group: string
  readonly measure: Measure
  readonly slope: Slope
}

export interface SoakReport {
  /** Time of the first sample, Unix ms, and length of the sampling, minutes. */
  readonly start: number
  readonly minutes: number
  /** Minutes at the start that the report leaves out. */
  readonly warmUp: number
  readonly samples: number
  /** True if the soak was long enough to tell growth from noise. */
  readonly isLong: boolean
  readonly rows: readonly Row[]
}

/** Measures that contain the engine's compiled code. */
const COMPILED: readonly Measure[] = ['heap', 'resident']

/**
 * Returns true if a measure of a group gets a verdict. The report only shows compiled code, because
 * the sources bound its size. Measures that contain compiled code get a verdict only in interpreted
 * groups, and in all groups together.
 */
export function isJudged({ group, measure }: { readonly group: string; readonly measure: Measure }): boolean {
  const isInterpreted = MEASURED.some(({ name, interpreted }) => name === group && interpreted === true)
  return measure !== 'code' && (!COMPILED.includes(measure) || isInterpreted || group === ALL)
}

/** The samples of each measured group. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** Makes the report. Throws UsageError if there are no samples. */
export function reportOf(samples: Samples, warmUpAtMost: number): SoakReport {
  const groups = Object.keys(samples).sort()
  const times = Object.values(samples).flatMap((each) => each.map(({ time }) => time))
  if (times.length === 0) throw new UsageError('no samples: nothing lived long enough')
  const start = Math.min(...times)
  const minutes = (Math.max(...times) - start) / MINUTE
  const warmUp = Math.min(warmUpAtMost, minutes / 2)
  const points = (group: string, measure: Measure): Point[] =>
    (samples[group] ?? []).filter(({ time }) => time >= start + warmUp * MINUTE).map(({ time, values }) => [time, values[measure]] as const)
  const rows = groups.flatMap((group) =>
    MEASURES.map((measure) => ({ group, measure, slope: slopeOf(points(group, measure), BLOCK * MINUTE, EIGHTY) })),
  )
  // All groups are in one pool, and an event of the pool shows in all groups at once. So the
  // differences between groups do not give the certainty of their mean.
  const common = MEASURES.map((measure) => {
    const judged = groups.filter((group) => isJudged({ group, measure }) || !isJudged({ group: ALL, measure }))
    return { group: ALL, measure, slope: slopeOf(levelled(judged.map((group) => points(group, measure))), BLOCK * MINUTE) }
  })
  return { start, minutes, warmUp, samples: times.length, isLong: minutes - warmUp >= LEAST * BLOCK, rows: [...rows, ...common] }
}

/**
 * Merges several series into one. Shifts each series to the mean of all series. So a series with
 * one more sample at one end makes no slope.
 */
function levelled(series: readonly (readonly Point[])[]): Point[] {
  const average = (points: readonly Point[]): number => mean(points.map(([, value]) => value))
  const level = average(series.flat())
  return series.flatMap((points) => {
    const shift = level - average(points)
    return points.map(([time, value]): Point => [time, value + shift])
  })
}
