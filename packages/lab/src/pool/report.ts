/** The figures as a Markdown table, which is readable in a terminal too. */
import type { Measure } from './measure.ts'
import type { Shown } from '../base/figures.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { summarize } from '../base/quantiles.ts'

const HEADER = ['swarm', 'row', 'unit', 'n', 'median', 'p99', 'worst', 'target', 'met']

function row({ name, swarm, nodes, unit, target, values }: Measure): string[] {
  const { count, median, p99, worst } = summarize(values)
  // With too few values, the p99 is the worst value, and is held to the target all the same.
  const met = target === undefined || Number.isNaN(p99) ? '' : p99 <= target ? 'yes' : 'no'
  return [
    `${nodes} ${swarm}`,
    name,
    unit,
    String(count),
    figure(median),
    figure(p99),
    figure(worst),
    target === undefined ? '' : figure(target),
    met,
  ]
}

export function table(measures: readonly Measure[]): string {
  return markdownTable(HEADER, measures.map(row))
}

export const shown: Shown<readonly Measure[]> = {
  name: 'pool',
  document: 'docs/benchmarks.md',
  section: 'figures',
  text: table,
}
