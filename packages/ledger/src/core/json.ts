import * as v from 'valibot'

export function toJson(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

/** Returns undefined for bytes that do not fit the schema. So all members skip the same entries. */
export function fromJson<Schema extends v.GenericSchema>(schema: Schema, bytes: Uint8Array): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
    return result.success ? result.output : undefined
  } catch {
    return undefined
  }
}
