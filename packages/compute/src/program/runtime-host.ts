import type { FromProgram } from './messages.ts'
import type { TaskLimits } from './task-limits.ts'

/** The services that the runtime needs from its process. */
export interface RuntimeHost {
  /** The id of the job. */
  readonly job: string
  /** The limits of tasks at this member. */
  readonly limits?: TaskLimits
  post(messages: readonly FromProgram[]): void
  /**
   * Returns a step of a path: 10 characters of base64url of a hash of a function, its input, and
   * the number of the call among equal calls.
   */
  step(fn: string, input: Uint8Array, occurrence: number): string
  /** Maps a stack to the author's files, without frames of this runtime. */
  stack(stack: string): string
  /** Describes an input for a person. */
  describe(value: unknown): string
  /** Resolves when all code that was ready to run has run. */
  idle(): Promise<void>
  /**
   * Runs an action for `owner`. If nobody catches an error of the action, `stray` gets this owner.
   */
  onBehalfOf<Result>(owner: object, action: () => Result): Result
}
