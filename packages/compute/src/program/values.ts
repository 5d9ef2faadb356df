/**
 * Inputs and values as bytes: CBOR with what the structured clone has besides JSON. Equal values give equal bytes on every engine, which paths rest on; `v8.serialize` does not do that:
 * a number's bytes there depend on how the engine happens to store it.
 */
import { addExtension, Encoder } from 'cbor-x'

const encoder = new Encoder({ structuredClone: true, useRecords: false, mapsAsObjects: true, tagUint8Array: false })

/** A value can't be sent to another member. */
export class UnclonableError extends TypeError {
  readonly code = 'VALUE_UNCLONABLE'
}

addExtension({
  Class: Promise,
  tag: 43_311,
  encode: () => {
    throw new UnclonableError('a promise can not be sent to another member: await it first')
  },
  decode: () => undefined,
})

/** @throws UnclonableError for functions, symbols and promises, or what holds them */
export function encodeValue(value: unknown): Uint8Array {
  try {
    // The encoder hands out a part of its own buffer.
    return Uint8Array.from(encoder.encode(value))
  } catch (error) {
    if (error instanceof UnclonableError) throw error
    throw new UnclonableError(`it can not be sent to another member: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @throws Error for bytes that are no value */
export function decodeValue(bytes: Uint8Array): unknown {
  // What it cuts out of Node's own kind of bytes would be of that kind, too: programs get what they would get elsewhere.
  return encoder.decode(bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes))
}
