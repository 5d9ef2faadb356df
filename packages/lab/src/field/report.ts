/** The figures of both, side by side. */
import { barPlot } from '@jel/simulator'
import { figure, markdownTable } from '../base/markdown.ts'
import { quantile } from '../base/quantiles.ts'
import { ROWS, type Figures, type Row } from './rows.ts'

const HEADER = ['what', 'unit', 'jel', 'worst', 'Serf', 'worst', 'jel ÷ Serf', 'ahead']

/** One row for each thing measured; medians, the worst beside them, and the ratio of the medians. */
export function table(ours: Figures, theirs: Figures): string {
  const rows = rowsOf(ours, theirs).map((row) => {
    const [what, unit] = ROWS[row]
    const [a, b] = [ours[row] ?? [], theirs[row] ?? []]
    const ratio = ratioOf(ours, theirs, row)
    const isAhead = median(a) === median(b) ? 'equal' : median(a) < median(b) ? 'yes' : 'no'
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

/** How many times what Serf takes we take, on a logarithmic axis: below 1 is ahead. */
export async function plot(ours: Figures, theirs: Figures, subtitle: string): Promise<string> {
  const rows = rowsOf(ours, theirs).filter((row) => ratioOf(ours, theirs, row) !== undefined)
  return await barPlot({
    title: 'jel ÷ Serf: below 1, jel takes less',
    subtitle,
    y: { title: 'jel ÷ Serf', log: true, domain: [0.001, 10] },
    groups: rows.map((row) => row),
    series: [{ name: 'jel ÷ Serf', values: rows.map((row) => ratioOf(ours, theirs, row)) }],
    width: 900,
  })
}

function rowsOf(ours: Figures, theirs: Figures): Row[] {
  return (Object.keys(ROWS) as Row[]).filter((row) => ours[row] !== undefined || theirs[row] !== undefined)
}

/** Undefined where there is no number to divide by, or one of them never came to its end. */
function ratioOf(ours: Figures, theirs: Figures, row: Row): number | undefined {
  const ratio = median(ours[row] ?? []) / median(theirs[row] ?? [])
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function worst(values: readonly number[]): number {
  return quantile(values, 1)
}
