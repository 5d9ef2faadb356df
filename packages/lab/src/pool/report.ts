/** The figures as a Markdown table, which is readable in a terminal too, and as JSON. */
import type { Measure } from './measure.ts'
import { figure, markdownTable, replaceSection } from '../base/markdown.ts'
import { summarize } from '../base/quantiles.ts'

const HEADER = ['swarm', 'what', 'unit', 'n', 'median', 'p99', 'worst', 'target', 'met']

function row({ name, swarm, nodes, unit, target, values }: Measure): string[] {
  const { count, median, p99, worst } = summarize(values)
  // Too few values for a p99 of its own: it is the worst one, and is held to the target all the same.
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

export function json(measures: readonly Measure[], started: Record<string, unknown>): string {
  const figures = measures.map((measure) => ({ ...measure, ...summarize(measure.values) }))
  // JSON has no Infinity: what never came is null.
  return `${JSON.stringify({ machine: started, figures }, undefined, 2)}\n`
}

/** The document with its table of figures, and the line that says where they come from, replaced by these. */
export function withFigures(document: string, measures: readonly Measure[], where: Record<string, unknown>): string {
  const line = `Node ${String(where['node'])}, ${String(where['cores'])} cores (${String(where['processor'])}), ${String(where['memoryGB'])} GB, load average at the start ${String(where['loadAverage'])}.`
  return replaceSection(document, 'figures', `${line}\n\n${table(measures)}`)
}
