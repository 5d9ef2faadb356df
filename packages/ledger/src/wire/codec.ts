import { fromString, toString } from 'uint8arrays'
import * as v from 'valibot'

/** Marks bytes in JSON: an object with this one key, and base64 as its value. */
const BYTES = '~'

/** Encodes a value of plain data and bytes as JSON in UTF-8. */
export function encodeValue(value: object): Uint8Array {
  const text = JSON.stringify(value, (_, each: unknown) => (each instanceof Uint8Array ? { [BYTES]: toString(each, 'base64pad') } : each))
  return new TextEncoder().encode(text)
}

/** Returns undefined for bytes that are no encoded value, or do not fit the schema. */
export function decodeValue<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), revive))
    return result.success ? result.output : undefined
  } catch {
    return undefined
  }
}

function revive(_: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && Object.keys(value).length === 1 && Object.hasOwn(value, BYTES)
  return isBytes ? fromString((value as { readonly [BYTES]: string })[BYTES], 'base64pad') : value
}
