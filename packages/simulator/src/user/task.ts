import type { Overlay } from '../report/overlay.ts'
import type { RunResult } from '../report/result.ts'
import type { Scenario } from '../scenario/scenario.ts'

/** One run that is to be made: plain data, so that another thread can make it. */
export interface Task {
  readonly scenario: Scenario
  readonly seed: number
  /** What the sweep changed in the file, as `--set` has it. */
  readonly set: readonly string[]
  /** Write the trace there, as JSON lines. */
  readonly traceFile?: string
}

export interface Outcome {
  readonly seed: number
  readonly set: readonly string[]
  readonly result: RunResult
  /** The links at the end. */
  readonly overlay: Overlay
  /** Real time that it took, ms. */
  readonly took: number
}

/** What a worker says. */
export type Report =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly outcome: Outcome }
  | { readonly type: 'failed'; readonly message: string }
