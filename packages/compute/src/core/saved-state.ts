import type { MemberId } from './ids.ts'
import type { Path } from './path.ts'

/** A state that a task saved. The task begins with it if it has to run again. */
export interface SavedState {
  /** How often the task has saved, over all its runs. Of two states the one with more counts. */
  readonly number: number
  /** The encoded state. */
  readonly state: Uint8Array
}

/** The saved state of a task in a message. */
export interface SavedTask extends SavedState {
  readonly path: Path
}

/** A saved state as this member keeps it. */
export interface KeptState extends SavedState {
  /** The member that stated it: the holder of the task, a replica, or this member. */
  readonly by: MemberId
}

/** Maximum number of saves of a task that counts. A guess: 31 years with one save a second. */
export const MAX_SAVES = 1e9

export function savedOf({ number, state }: KeptState): SavedState {
  return { number, state }
}
