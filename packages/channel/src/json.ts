import * as v from 'valibot'

/** Encodes a message as JSON. No decoder of JSON can be made to build more than the text has. */
export function toJson(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message))
}

/** @throws Error for bytes that are no such message */
export function fromJson<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> {
  return v.parse(schema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
}
