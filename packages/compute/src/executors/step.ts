import { sha256Url } from '#platform/crypto'
import { STEP_LENGTH } from '../core/path.ts'

/** Returns the last step of a task's path, see `Path`. */
export function stepOf(fn: string, input: Uint8Array, occurrence: number): string {
  return sha256Url(`${occurrence} ${fn}\n`, input).slice(0, STEP_LENGTH)
}
