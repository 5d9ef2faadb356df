import { createHash } from 'node:crypto'
import { STEP_LENGTH } from '../core/path.ts'

/** Returns the last step of a task's path, see `Path`. */
export function stepOf(fn: string, input: Uint8Array, occurrence: number): string {
  return createHash('sha256').update(`${occurrence} ${fn}\n`).update(input).digest('base64url').slice(0, STEP_LENGTH)
}
