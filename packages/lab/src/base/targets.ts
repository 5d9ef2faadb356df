/** Figures beside their targets. */
import { markdownTable } from './markdown.ts'

/** A figure and its target. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The highest value that meets the target. Infinity: there is no target. */
  readonly most: number
}

/** @param title what the figures are about */
export function targetTable(title: string, rows: readonly Row[]): string {
  return markdownTable(
    [title, 'value', 'target', 'met'],
    rows.map(({ what, value, unit, most }) => [
      what,
      `${Number(value.toFixed(2))} ${unit}`.trim(),
      most === Infinity ? '' : `≤ ${most}`,
      most === Infinity ? '' : value <= most ? 'yes' : 'no',
    ]),
  )
}

export function areMet(rows: readonly Row[]): boolean {
  return rows.every(({ value, most }) => value <= most)
}
