/** Runs with the same settings belong together: what a sweep changed is what it compares. */
import type { Outcome } from '../user/task.ts'

export interface SettingRuns {
  /** What the sweep changed, as `--set` has it; empty where nothing was swept. */
  readonly set: readonly string[]
  readonly outcomes: readonly Outcome[]
}

/** In the order in which they come first. */
export function bySettings(outcomes: readonly Outcome[]): SettingRuns[] {
  const groups = Map.groupBy(outcomes, ({ set }) => set.join(' '))
  return [...groups.values()].map((group) => ({ set: group[0]?.set ?? [], outcomes: group }))
}
