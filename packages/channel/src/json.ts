import * as v from 'valibot'

/**
 * Encodes a message as JSON. A short text of JSON never decodes to a large object, so a limit of
 * the bytes limits the object, too.
 */
export function toJson(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message))
}

/** @throws Error for bytes that are no message of this schema */
export function fromJson<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> {
  return v.parse(schema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
}
