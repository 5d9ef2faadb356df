/** The results of a soak: a table, JSON, a plot. */
import { linePlot } from '@jel/simulator'
import type { Shown } from '../base/figures.ts'
import { markdownRow } from '../base/markdown.ts'
import { mean } from '../base/quantiles.ts'
import { ALL, isJudged, type Row, type Samples, type SoakReport } from './samples.ts'
import { MEASURES, type Measure } from './plan.ts'
import { isFlat } from './slope.ts'

/**
 * A slope counts as none if it is below this share of the mean in an hour, at any confidence. A
 * guess: 0.7 MB in an hour for a heap of 22 MB.
 */
const SHARE = 0.03

const UNITS: Partial<Record<Measure, number>> = { heap: 2 ** 20, code: 2 ** 20, buffers: 2 ** 20, resident: 2 ** 20 }

function inUnits(measure: Measure, value: number): string {
  return (value / (UNITS[measure] ?? 1)).toFixed(2)
}

function label(measure: Measure): string {
  return measure in UNITS ? `${measure}, MiB` : measure
}

function grows(row: Row): boolean {
  return isJudged(row) && !isFlat(row.slope, SHARE) && row.slope.perHour > 0
}

/**
 * True if no judged measure grew in any group, or if the soak was too short to judge. A shrinking
 * measure is no leak.
 */
export function isWithinNoise({ rows, isLong }: SoakReport): boolean {
  return !isLong || !rows.some(grows)
}

/**
 * The table of all slopes. Each group has a column, because the mean of all groups would hide a
 * leak in one of them. All groups together also have a column, because a single group is less
 * certain.
 */
export function table({ rows, minutes, warmUp, samples, isLong }: SoakReport): string {
  const groups = [...new Set(rows.map(({ group }) => group))]
  const lines = MEASURES.map((measure) => {
    const cells = groups.map((group) => {
      const row = rows.find((each) => each.group === group && each.measure === measure)
      if (row === undefined) return '–'
      const { mean, perHour, uncertainty } = row.slope
      const sign = perHour < 0 ? '−' : '+'
      const text = `${inUnits(measure, mean)}, ${sign}${inUnits(measure, Math.abs(perHour))} ± ${inUnits(measure, uncertainty)}`
      return isLong && grows(row) ? `**${text}**` : text
    })
    return markdownRow([label(measure), ...cells])
  })
  const brief = 'Too short to tell growth from noise: nothing is judged.'
  return [
    `${minutes.toFixed(0)} minutes, ${samples} samples; the first ${warmUp.toFixed(0)} minutes are left out.${isLong ? '' : ` ${brief}`}`,
    'Mean, then change an hour ± half of its interval of confidence: 95 % for all groups and measures at once, and 95 % for each of the last column,',
    'which has what the judged ones have in common; bold: it grew. Heap and resident memory are judged in interpreted groups.',
    '',
    `| | ${groups.join(' | ')} |`,
    `| --- |${' --- |'.repeat(groups.length)}`,
    ...lines,
  ].join('\n')
}

/** The data for the document: the samples and the report on them. */
export interface SoakData {
  readonly report: SoakReport
  readonly samples: Samples
  /** Groups whose process ended by itself. */
  readonly lost?: readonly string[]
}

export const shown: Shown<SoakData> = {
  name: 'soak',
  document: 'docs/benchmarks.md',
  section: 'soak',
  text: ({ report }) => table({ ...report, rows: report.rows.filter(isShown) }),
  picture: { file: 'docs/soak.svg', draw: ({ report, samples }) => plot(report, samples) },
}

/** The document shows only the interpreted groups, and all groups together. */
function isShown({ group }: Row): boolean {
  return group === ALL || group.startsWith('interpreted')
}

/**
 * Plots each measure as a share of its mean after the warm-up. Absolute values would need two
 * plots, one for heaps and one for handles.
 */
async function plot({ rows, start, minutes, warmUp }: SoakReport, samples: Samples): Promise<string> {
  const drawn: readonly Measure[] = ['heap', 'code', 'buffers', 'resident', 'descriptors', 'timers', 'connections', 'streams']
  const series = drawn.map((measure) => {
    const means = new Map(rows.filter((row) => row.measure === measure).map(({ group, slope }) => [group, slope.mean]))
    const all = Object.entries(samples).flatMap(([group, each]) =>
      each.map(({ time, values }) => ({ minute: Math.floor((time - start) / 60_000), share: values[measure] / (means.get(group) ?? 1) })),
    )
    const byMinute = Map.groupBy(all, ({ minute }) => minute)
    const points = [...byMinute].sort(([a], [b]) => a - b).map(([minute, each]) => [minute, mean(each.map(({ share }) => share))] as const)
    return { name: measure, points }
  })
  return await linePlot({
    title: `What processes hold while 60 nodes come and go for ${minutes.toFixed(0)} minutes`,
    subtitle: `Mean of ${Object.keys(samples).length} processes, each as a share of its own mean after minute ${warmUp.toFixed(0)}`,
    x: { title: 'time', unit: 'min' },
    y: { title: 'share of the mean', domain: [0, 2] },
    series,
  })
}
