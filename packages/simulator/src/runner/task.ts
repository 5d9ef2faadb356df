import type { Outcome } from '../report/outcome.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** One run to make: plain data, so that another thread can make it. */
export interface Task {
  readonly scenario: Scenario
  readonly seed: number
  /** The settings of the sweep, in the form of `--set`. */
  readonly set: readonly string[]
  /** The file for the trace, as JSON lines. */
  readonly traceFile?: string
}

/** A message of a worker. */
export type Report =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly outcome: Outcome }
  | { readonly type: 'failed'; readonly message: string }
