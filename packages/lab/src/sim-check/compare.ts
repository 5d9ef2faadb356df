import { markdownTable } from '../base/markdown.ts'
import type { Figures } from './cases.ts'

/** A changed figure. */
export interface Difference {
  readonly scenario: string
  readonly figure: string
  /** Undefined if a side lacks the figure. */
  readonly before: number | undefined
  readonly now: number | undefined
  readonly verdict: 'worse' | 'better' | 'new' | 'gone'
}

/** Largest difference, as a share, that counts as no change. */
export const tolerance = 0.1

/**
 * Differences up to this one count as no change, even if their share is above the tolerance. An
 * example is one delivery more or less. By the unit at the end of the figure's name.
 */
const grain: Readonly<Record<string, number>> = { ms: 50, bytes: 500 }
const otherGrain = 5

/** Returns the figures that changed by more than the tolerance. */
export function compare(before: Readonly<Record<string, Figures>>, now: Readonly<Record<string, Figures>>): Difference[] {
  const differences: Difference[] = []
  for (const scenario of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [old = {}, fresh = {}] = [before[scenario], now[scenario]]
    for (const figure of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
      const verdict = judge(figure, old[figure], fresh[figure])
      if (verdict !== undefined) differences.push({ scenario, figure, before: old[figure], now: fresh[figure], verdict })
    }
  }
  return differences
}

function judge(figure: string, before: number | undefined, now: number | undefined): Difference['verdict'] | undefined {
  if (before === undefined) return now === undefined ? undefined : 'new'
  if (now === undefined) return 'gone'
  const change = now - before
  const least = grain[/\w+$/u.exec(figure)?.[0] ?? ''] ?? otherGrain
  if (Math.abs(change) <= Math.max(least, tolerance * before)) return undefined
  return change > 0 ? 'worse' : 'better'
}

/** Formats the differences as a table. */
export function table(differences: readonly Difference[]): string {
  const text = (value: number | undefined): string => (value === undefined ? '–' : String(value))
  return markdownTable(
    ['scenario', 'figure', 'before', 'now', 'change', ''],
    differences.map(({ scenario, figure, before, now, verdict }) => [
      scenario,
      figure,
      text(before),
      text(now),
      percent(before, now),
      verdict,
    ]),
  )
}

function percent(before: number | undefined, now: number | undefined): string {
  if (before === undefined || now === undefined || before === 0) return ''
  const change = Math.round((now / before - 1) * 100)
  return `${change > 0 ? '+' : ''}${change}%`
}
