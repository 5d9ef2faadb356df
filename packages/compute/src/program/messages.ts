/** The messages between a member and the containers of programs. */
import * as v from 'valibot'
import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import { STEP_LENGTH, type Path } from '../core/path.ts'
import type { Shared } from '../core/shared-value.ts'
import { bytes, count, list, outcome, path, shared, text } from '../schemas.ts'

export type ToProgram =
  /** `given`: for a job with votes, all shared values that the task sees besides its own offers. */
  | {
      readonly type: 'run'
      readonly path: Path
      readonly fn: string
      readonly input: Uint8Array
      readonly split: boolean
      readonly given?: Shared
      /** The state that the task saved in an earlier run. */
      readonly saved?: Uint8Array
    }
  | { readonly type: 'deliver'; readonly path: Path; readonly step: string; readonly outcome: Outcome }
  | { readonly type: 'forget'; readonly path: Path }
  /** The member leaves soon: each task may save a last state. */
  | { readonly type: 'stop' }
  | { readonly type: 'shared'; readonly shared: Shared }
  /** The next bytes of a blob of `size` bytes. */
  | { readonly type: 'blob'; readonly blob: string; readonly size: number; readonly bytes: Uint8Array }
  /** The member keeps bytes of the program as a blob. `store`: the number of the request. */
  | { readonly type: 'stored'; readonly store: number; readonly blob: string; readonly size: number }
  | { readonly type: 'notStored'; readonly store: number; readonly code: string; readonly message: string }
  | { readonly type: 'noBlob'; readonly blob: string; readonly code: string; readonly message: string }

export type FromProgram =
  | { readonly type: 'ready'; readonly functions: readonly ProgramFunction[] }
  /** The program did not load, or can't run on this machine. */
  | { readonly type: 'unusable'; readonly code: string; readonly message: string; readonly stack?: string; readonly path?: Path }
  | { readonly type: 'spawned'; readonly path: Path; readonly children: readonly Spawn[] }
  | { readonly type: 'returned'; readonly path: Path; readonly outcome: Outcome; readonly shared: Shared; readonly ran: number }
  | { readonly type: 'offered'; readonly shared: Shared }
  /**
   * A task saves. `state`: its state; undefined: it will save once it must stop. `last`: it has
   * nothing more to save here.
   */
  | { readonly type: 'saved'; readonly path: Path; readonly state?: Uint8Array; readonly last?: boolean }
  /** A task needs a blob, by its CID. */
  | { readonly type: 'use'; readonly blob: string }
  /** The next bytes of a blob for the member to keep. `store`: a new number for each blob. */
  | { readonly type: 'store'; readonly store: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  /** The number of runs and deliveries that the program has handled. */
  | { readonly type: 'seen'; readonly seen: number }
  | ({ readonly type: 'output' } & PrintedText)

export type OutputStream = 'stdout' | 'stderr'

/** Text that a program printed. */
export interface PrintedText {
  /** The task that printed it. Undefined: no task did, or nobody knows which. */
  readonly path?: Path
  /** The function of the task. */
  readonly fn?: string
  readonly stream: OutputStream
  /** At most `MAX_TEXT` characters. */
  readonly text: string
}

/** Bytes of each `store` message but the last one of a blob. A guess: a quarter of a frame. */
export const STORE_PIECE = 1024 * 1024

/** Maximum characters of one message of output. */
export const MAX_TEXT = 8192

/** A function that a program exports. */
export interface ProgramFunction {
  readonly name: string
  /** The name of the shared value that is the job's result, if there is one. */
  readonly result: string | undefined
}

const step = v.pipe(v.string(), v.length(STEP_LENGTH), v.regex(/^[\w-]*$/u))
const spawn = v.object({ step, fn: text(256), input: bytes, occurrence: v.optional(count) })
const message = v.variant('type', [
  v.object({ type: v.literal('ready'), functions: list(v.object({ name: text(256), result: v.optional(text(64)) })) }),
  v.object({ type: v.literal('unusable'), code: text(64), message: text(4096), stack: v.optional(text(8192)), path: v.optional(path) }),
  v.object({ type: v.literal('spawned'), path, children: v.array(spawn) }),
  v.object({ type: v.literal('returned'), path, outcome, shared, ran: count }),
  v.object({ type: v.literal('offered'), shared }),
  v.object({ type: v.literal('saved'), path, state: v.optional(bytes), last: v.optional(v.boolean()) }),
  v.object({ type: v.literal('use'), blob: text(64) }),
  v.object({ type: v.literal('store'), store: count, bytes, isLast: v.boolean() }),
  v.object({ type: v.literal('seen'), seen: count }),
  v.object({
    type: v.literal('output'),
    path: v.optional(path),
    fn: v.optional(text(256)),
    stream: v.picklist(['stdout', 'stderr']),
    text: text(MAX_TEXT),
  }),
])

/**
 * The schema of the messages that a program's process may send at a time. The member checks them,
 * since the program may have taken over the process.
 */
export const fromProgram = list(message)
