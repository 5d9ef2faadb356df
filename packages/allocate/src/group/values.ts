/**
 * Arrays of numbers are sent as their bytes. The position in this list, plus 1, is the kind of a
 * value.
 */
const ARRAYS = [Uint8Array, Float64Array, Float32Array, Int32Array] as const

type NumberArray = Uint8Array | Float64Array | Float32Array | Int32Array

/** A value of JSON, or an array of numbers. `undefined` stays undefined. */
export type GroupValue = unknown

const [JSON_KIND, NOTHING] = [0, 255]

/** @throws TypeError for a value that JSON can't carry */
export function encodeValue(value: GroupValue): Uint8Array {
  if (value === undefined) return Uint8Array.of(NOTHING)
  const at = ARRAYS.findIndex((each) => value instanceof each)
  if (at !== -1) {
    const { buffer, byteOffset, byteLength } = value as NumberArray
    return join(at + 1, new Uint8Array(buffer, byteOffset, byteLength))
  }
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} can't be sent`)
  return join(JSON_KIND, new TextEncoder().encode(text))
}

/** @throws Error for bytes that hold no value */
export function decodeValue(bytes: Uint8Array): GroupValue {
  const [kind = NOTHING] = bytes
  if (kind === NOTHING) return undefined
  if (kind === JSON_KIND) return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(1)))
  const array = ARRAYS[kind - 1]
  if (array === undefined) throw new RangeError(`a value of an unknown kind: ${kind}`)
  // The copy begins at an address that suits numbers of any size.
  return new array(bytes.slice(1).buffer)
}

function join(kind: number, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + content.length)
  bytes[0] = kind
  bytes.set(content, 1)
  return bytes
}
