/** Figures beside their targets. */
import { markdownTable } from './markdown.ts'

/** A value, and the least and the highest value that meet its target. */
interface Bounded {
  readonly value: number
  readonly least?: number
  /** Infinity: there is no target. */
  readonly most: number
}

/** A figure and its target. `what` has the unit. */
export interface Figure extends Bounded {
  readonly what: string
}

export interface Row extends Figure {
  readonly unit: string
}

/** @param title what the figures are about */
export function targetTable(title: string, rows: readonly Row[]): string {
  return markdownTable(
    [title, 'value', 'target', 'met'],
    rows.map(({ what, value, unit, most }) => [
      what,
      `${Number(value.toFixed(2))} ${unit}`.trim(),
      most === Infinity ? '' : `≤ ${most}`,
      most === Infinity ? '' : isMet({ value, most }) ? 'yes' : 'no',
    ]),
  )
}

/** A line for each figure. */
export function targetLines(figures: readonly Figure[]): string[] {
  return figures.map((each) => `${isMet(each) ? '      ' : 'MISSED'} ${each.what}: ${Math.round(each.value)} (at most ${each.most})`)
}

/** NaN meets no target: nothing was measured. */
export function isMet({ value, least = -Infinity, most }: Bounded): boolean {
  return value >= least && value <= most
}

export function areMet(figures: readonly Bounded[]): boolean {
  return figures.every(isMet)
}
