/** Markdown tables that are also readable in a terminal, and sections of documents. */
import { UsageError } from './settings.ts'

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  const lines = all.map((cells) => markdownRow(cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))))
  const rule = markdownRow(widths.map((width) => '-'.repeat(width)))
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` of the document. */
export function replaceSection(document: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [before, rest] = document.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new UsageError(`the document has no ${start} … ${end}`)
  return `${before}${start}\n${content}\n${end}${after}`
}

export function figure(value: number): string {
  if (Number.isNaN(value)) return '–'
  if (value === Infinity) return 'never'
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
