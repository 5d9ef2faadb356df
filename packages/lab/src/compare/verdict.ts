/** Compares two sets of draws, and finds the rows that differ. */
import type { DrawnRow } from '../base/draw.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { median, quantile } from '../base/quantiles.ts'

/**
 * Medians whose ratio is below this count as equal. A guess: repeated runs of one revision differ
 * by this much on two slow cores, in processor time and start-up.
 */
export const NOISE = 1.15

/**
 * Fewest values on each side. With fewer, disjoint ranges are too often chance (one in three with
 * two values on each side).
 */
const ENOUGH = 3

interface Side {
  readonly count: number
  readonly median: number
  readonly least: number
  readonly most: number
}

export interface Compared {
  readonly name: string
  readonly unit: string
  /** Undefined if the revision lacks the row. */
  readonly old: Side | undefined
  readonly now: Side | undefined
  /** The new median divided by the old one. */
  readonly ratio: number | undefined
  readonly verdict: 'worse' | 'better' | 'same'
}

/** Returns all rows: those of the new revision, then those that only the old revision has. */
export function compare(old: readonly (readonly DrawnRow[])[], now: readonly (readonly DrawnRow[])[]): Compared[] {
  const [before, after] = [join(old), join(now)]
  return [...new Map([...after, ...before])].map(([key, { name, unit, better }]) => {
    const [a, b] = [sideOf(before.get(key)?.values), sideOf(after.get(key)?.values)]
    const ratio = a === undefined || b === undefined ? undefined : ratioOf(a.median, b.median)
    return { name, unit, old: a, now: b, ratio, verdict: judge(a, b, ratio, better) }
  })
}

export function table(rows: readonly Compared[]): string {
  return markdownTable(
    ['row', 'unit', 'old median (min–max)', 'new median (min–max)', 'new ÷ old', 'differs'],
    rows.map(({ name, unit, old, now, ratio, verdict }) => [
      name,
      unit,
      shown(old),
      shown(now),
      ratio === undefined ? '–' : figure(ratio),
      verdict === 'same' ? '' : verdict,
    ]),
  )
}

function join(draws: readonly (readonly DrawnRow[])[]): Map<string, DrawnRow> {
  const rows = new Map<string, DrawnRow>()
  for (const row of draws.flat()) {
    const key = `${row.name} ${row.unit}`
    rows.set(key, { ...row, values: [...(rows.get(key)?.values ?? []), ...row.values] })
  }
  return rows
}

function sideOf(values: readonly number[] = []): Side | undefined {
  if (values.length === 0) return undefined
  return { count: values.length, median: median(values), least: quantile(values, 0), most: quantile(values, 1) }
}

/** Two zeros are equal, and so are two infinities. */
function ratioOf(old: number, now: number): number {
  return old === now ? 1 : now / old
}

function judge(old: Side | undefined, now: Side | undefined, ratio: number | undefined, better: DrawnRow['better']): Compared['verdict'] {
  if (old === undefined || now === undefined || ratio === undefined) return 'same'
  if (old.count < ENOUGH || now.count < ENOUGH) return 'same'
  const isApart = now.least > old.most || now.most < old.least
  if (!isApart || (ratio < NOISE && ratio > 1 / NOISE)) return 'same'
  return ratio > 1 === (better === 'less') ? 'worse' : 'better'
}

function shown(side: Side | undefined): string {
  if (side === undefined) return '–'
  const { median, least, most } = side
  return least === most ? figure(median) : `${figure(median)} (${figure(least)}–${figure(most)})`
}
