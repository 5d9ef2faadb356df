/**
 * Inputs and values as bytes: CBOR with what the structured clone has besides JSON. Equal values give equal bytes on every engine, which paths rest on; `v8.serialize` does not do that:
 * a number's bytes there depend on how the engine happens to store it.
 */
import { JelError } from '@jel/protocol'
import { addExtension, Encoder, setSizeLimits } from 'cbor-x'

/** Bytes of one input or value. Larger ones would hold up what else goes over a stream. A guess: some milliseconds of a slow line. */
export const MAX_VALUE_BYTES = 1024 * 1024

// A few bytes may claim a list of millions, for which memory would be taken at once: no value has more elements than bytes.
setSizeLimits({ maxArraySize: MAX_VALUE_BYTES, maxMapSize: MAX_VALUE_BYTES, maxObjectSize: MAX_VALUE_BYTES })

const encoder = new Encoder({ structuredClone: true, useRecords: false, mapsAsObjects: true, tagUint8Array: false })

/** A value can't be sent to another member. */
export class UnclonableError extends JelError {
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

/** An input or a value has too many bytes to be sent. */
export class ValueTooLargeError extends JelError {
  readonly code = 'VALUE_TOO_LARGE'

  constructor(bytes: number) {
    super(
      `it has ${bytes} bytes; an input or a value may have ${MAX_VALUE_BYTES}. Hand large data in as a blob, and cut what is computed into tasks that each give a part`,
    )
  }
}

/** @throws UnclonableError for functions, symbols and promises, or what holds them; ValueTooLargeError */
export function encodeValue(value: unknown): Uint8Array {
  try {
    // The encoder hands out a part of its own buffer.
    const bytes = Uint8Array.from(encoder.encode(value))
    if (bytes.length > MAX_VALUE_BYTES) throw new ValueTooLargeError(bytes.length)
    return bytes
  } catch (error) {
    if (error instanceof ValueTooLargeError) throw error
    if (error instanceof UnclonableError) throw error
    throw new UnclonableError(`it can not be sent to another member: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @throws Error for bytes that are no value */
export function decodeValue(bytes: Uint8Array): unknown {
  // What it cuts out of Node's own kind of bytes would be of that kind, too: programs get what they would get elsewhere.
  return encoder.decode(bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes))
}
