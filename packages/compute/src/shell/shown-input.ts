import { inspect } from 'node:util'
import { decodeValue } from '../program/values.ts'

/** Maximum characters of an input that other members see. A guess: a line. */
export const MAX_SHOWN = 200
/** Maximum bytes of an encoded input to decode. A guess. */
const MAX_DECODED = 64 * 1024

/** Returns the beginning of an encoded input, as text for people. */
export function shownInput(input: Uint8Array): string {
  if (input.length > MAX_DECODED) return `${input.length} bytes`
  try {
    const options = { customInspect: false, breakLength: Infinity, depth: 2, maxArrayLength: 6, maxStringLength: 100 }
    return inspect(decodeValue(input), options).slice(0, MAX_SHOWN)
  } catch {
    // The input is no valid value: a dishonest member made it up.
    return `${input.length} bytes`
  }
}
