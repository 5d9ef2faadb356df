import type { Overlay } from './overlay.ts'
import type { RunResult } from './result.ts'

/** One run that was made, with its settings. */
export interface Outcome {
  readonly seed: number
  readonly set: readonly string[]
  readonly result: RunResult
  /** The links at the end. */
  readonly overlay: Overlay
  /** The real time of the run, ms. */
  readonly took: number
}
