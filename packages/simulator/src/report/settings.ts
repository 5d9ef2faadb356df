/** The runs with the same settings of a sweep. */
import type { Outcome } from './outcome.ts'

export interface SettingRuns {
  /** The settings of the sweep, in the form of `--set`; empty without a sweep. */
  readonly set: readonly string[]
  readonly outcomes: readonly Outcome[]
}

/** Groups the outcomes by settings, in the order of first appearance. */
export function bySettings(outcomes: readonly Outcome[]): SettingRuns[] {
  const groups = Map.groupBy(outcomes, ({ set }) => set.join(' '))
  return [...groups.values()].map((group) => ({ set: group[0]?.set ?? [], outcomes: group }))
}
