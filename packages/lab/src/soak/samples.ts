/** All samples of all groups, and the slopes through them. */
import { mean } from '../base/quantiles.ts'
import { UsageError } from '../base/settings.ts'
import { MEASURED, MEASURES, type Measure, type Sample } from './plan.ts'
import { EIGHTY, slopeOf, type Point, type Slope } from './slope.ts'

const MINUTE = 60_000
/**
 * Samples of so many minutes are one point of a line. A guess: a churning group changes its nodes
 * in this time.
 */
const BLOCK = 2
/**
 * A line through fewer points than this is shown and not judged. Below eight degrees of freedom the
 * quantiles of `slope.ts` are wrong, and an interval is so wide that nothing is ever found.
 */
const LEAST = 10

/** In place of a group: all groups together. */
export const ALL = 'all'

export interface Row {
  readonly group: string
  readonly measure: Measure
  readonly slope: Slope
}

export interface SoakReport {
  /** When the first sample was taken, Unix ms, and the length of the sampling, in minutes. */
  readonly start: number
  readonly minutes: number
  /** Left out at the start, in minutes. */
  readonly warmUp: number
  readonly samples: number
  /** It lasted long enough to tell growth from noise. */
  readonly isLong: boolean
  readonly rows: readonly Row[]
}

/** Measures that contain the engine's compiled code. */
const COMPILED: readonly Measure[] = ['heap', 'resident']

/**
 * Compiled code is shown and not judged: the sources bound its size. The same holds for measures
 * that contain it, except in interpreted groups and in all together.
 */
export function isJudged({ group, measure }: { readonly group: string; readonly measure: Measure }): boolean {
  const isInterpreted = MEASURED.some(({ name, interpreted }) => name === group && interpreted === true)
  return measure !== 'code' && (!COMPILED.includes(measure) || isInterpreted || group === ALL)
}

/** The samples of each group that is measured. */
export type Samples = Readonly<Record<string, readonly Sample[]>>

/** Throws UsageError if there is nothing to report on. */
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
  // All groups are in one pool, and its events show in all at once. So the spread between groups
  // says nothing about the certainty of their mean.
  const common = MEASURES.map((measure) => {
    const judged = groups.filter((group) => isJudged({ group, measure }) || !isJudged({ group: ALL, measure }))
    return { group: ALL, measure, slope: slopeOf(levelled(judged.map((group) => points(group, measure))), BLOCK * MINUTE) }
  })
  return { start, minutes, warmUp, samples: times.length, isLong: minutes - warmUp >= LEAST * BLOCK, rows: [...rows, ...common] }
}

/**
 * Merges several series into one. Each is moved to the mean of all, so that a sample more of one at
 * an end is no slope.
 */
function levelled(series: readonly (readonly Point[])[]): Point[] {
  const average = (points: readonly Point[]): number => mean(points.map(([, value]) => value))
  const level = average(series.flat())
  return series.flatMap((points) => {
    const shift = level - average(points)
    return points.map(([time, value]): Point => [time, value + shift])
  })
}
