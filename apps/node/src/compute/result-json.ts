/**
 * The limit of a result as JSON: the number of its parts plus the characters of its texts. A guess:
 * 1.5 times the bytes of the largest result.
 */
const MAX_WRITTEN = 24 * 1024 * 1024

/**
 * Converts a value to JSON: large integers, bytes, NaN and infinities become text, sets and maps
 * become lists. JSON repeats a part as often as it is referenced. So a value of some hundred bytes
 * could take up all memory.
 */
export function asJson(value: unknown): unknown {
  let left = MAX_WRITTEN
  const take = (_: string, each: unknown): unknown => {
    left -= typeof each === 'string' ? 1 + each.length : 1
    if (left < 0) throw new RangeError('the result is too large as JSON: it names its own parts again and again')
    return jsonOf(each)
  }
  return JSON.parse(JSON.stringify(value, take) ?? 'null')
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)]
  if (ArrayBuffer.isView(value)) return [...(value as unknown as Iterable<unknown>)]
  return value
}
