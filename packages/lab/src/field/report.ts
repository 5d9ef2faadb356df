/** The figures of both contenders, side by side. */
import { ratioPlot } from '@jel/simulator'
import type { Shown } from '../base/figures.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { median, quantile } from '../base/quantiles.ts'
import { ROWS, type Figures, type Row } from './rows.ts'

const HEADER = ['row', 'unit', 'jel', 'worst', 'Serf', 'worst', 'jel ÷ Serf', 'ahead']

/**
 * One row for each measure: the medians, the worst values beside them, and the ratio of the
 * medians.
 */
function table(ours: Figures, theirs: Figures): string {
  const rows = rowsOf(ours, theirs).map((row) => {
    const [what, unit] = ROWS[row]
    const [a, b] = [ours[row] ?? [], theirs[row] ?? []]
    const ratio = ratioOf(ours, theirs, row)
    const isAhead = a.length === 0 || b.length === 0 ? '' : median(a) === median(b) ? 'equal' : median(a) < median(b) ? 'yes' : 'no'
    return [
      what,
      unit,
      figure(median(a)),
      figure(worst(a)),
      figure(median(b)),
      figure(worst(b)),
      ratio === undefined ? '–' : figure(ratio),
      isAhead,
    ]
  })
  return markdownTable(HEADER, rows)
}

/**
 * Plots the ratio of `jel` to Serf. Below 1, `jel` is ahead. Intervals go from the least to the
 * largest value of `jel`, each divided by the median of Serf.
 */
async function plot(ours: Figures, theirs: Figures, subtitle: string): Promise<string> {
  const rows = rowsOf(ours, theirs).flatMap((row) => {
    const ratio = ratioOf(ours, theirs, row)
    if (ratio === undefined) return []
    const [mine, other] = [ours[row] ?? [], median(theirs[row] ?? [])]
    const interval = mine.length > 1 ? { least: Math.min(...mine) / other, most: worst(mine) / other } : {}
    return [{ name: ROWS[row][0], ratio, ...interval }]
  })
  return await ratioPlot({ title: 'jel ÷ Serf: to the left, jel takes less', subtitle, x: 'jel ÷ Serf', rows, width: 480 })
}

/** The figures of one run. */
export interface FieldData {
  /** The contenders with their versions, and the hosts. */
  readonly title: string
  readonly places: string
  readonly ours: Figures
  readonly theirs: Figures
}

export const shown: Shown<FieldData> = {
  name: 'field',
  document: 'docs/benchmarks.md',
  section: 'field',
  text: ({ title, ours, theirs }) => `${title}\n\n${table(ours, theirs)}`,
  picture: { file: 'docs/field.svg', draw: ({ ours, theirs, places }) => plot(ours, theirs, places) },
}

function rowsOf(ours: Figures, theirs: Figures): Row[] {
  return (Object.keys(ROWS) as Row[]).filter((row) => ours[row] !== undefined || theirs[row] !== undefined)
}

/** Returns undefined if a median is missing or infinite, or if the ratio is 0. */
function ratioOf(ours: Figures, theirs: Figures, row: Row): number | undefined {
  const ratio = median(ours[row] ?? []) / median(theirs[row] ?? [])
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined
}

function worst(values: readonly number[]): number {
  return quantile(values, 1)
}
