/** Maximum bytes of an input, an operation or a result as JSON: see docs/services.md. */
export const MAX_VALUE_BYTES = 1_048_576
/** Maximum depth of a value. A guess: recursive code needs a bound. */
const MAX_DEPTH = 100

/**
 * Returns a value as JSON. `undefined` becomes null.
 *
 * @throws Error with the reason why the value can't be sent
 */
export function textOfValue(value: unknown): string {
  checkDepth(value, 0)
  const text = JSON.stringify(value ?? null) as string | undefined
  if (text === undefined) throw new Error('is no JSON value')
  // A text has at most three bytes for a character.
  if (text.length * 3 > MAX_VALUE_BYTES) {
    const bytes = new TextEncoder().encode(text).length
    if (bytes > MAX_VALUE_BYTES) throw new Error(`has ${bytes} bytes; at most ${MAX_VALUE_BYTES} are allowed`)
  }
  return text
}

/** @throws Error for a value that is nested too deeply */
export function checkDepth(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) throw new Error(`has more than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) for (const each of value) checkDepth(each, depth + 1)
  else for (const each of Object.values(value)) checkDepth(each, depth + 1)
}

/** Maximum characters of the text of an error. A guess. */
export const MAX_ERROR = 4096

/** Returns the text of a thrown value. Some values have no text. */
export function textOfError(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error).slice(0, MAX_ERROR)
  } catch {
    return 'an error without a text'
  }
}
