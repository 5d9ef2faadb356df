/** What the main thread and the threads of programs say to each other. */
import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import type { Shared } from '../core/shared-value.ts'

export type ToThread =
  | { readonly type: 'run'; readonly path: Path; readonly fn: string; readonly input: Uint8Array; readonly split: boolean }
  | { readonly type: 'deliver'; readonly path: Path; readonly step: string; readonly outcome: Outcome }
  | { readonly type: 'forget'; readonly path: Path }
  | { readonly type: 'shared'; readonly shared: Shared }

export type FromThread =
  | { readonly type: 'ready'; readonly functions: readonly ProgramFunction[] }
  /** The program could not be loaded. */
  | { readonly type: 'unusable'; readonly code: string; readonly message: string; readonly stack?: string }
  | { readonly type: 'spawned'; readonly path: Path; readonly children: readonly Spawn[] }
  | { readonly type: 'returned'; readonly path: Path; readonly outcome: Outcome; readonly shared: Shared; readonly ran: number }
  | { readonly type: 'offered'; readonly shared: Shared }
  /** How many runs and deliveries it has dealt with. */
  | { readonly type: 'seen'; readonly seen: number }

/** A function that a program exports. */
export interface ProgramFunction {
  readonly name: string
  /** The shared value that is the job's result, if it is one. */
  readonly result: string | undefined
}
