/**
 * Encodes inputs and values as CBOR, extended by the types that a structured clone has besides
 * those of JSON. Equal values give equal bytes on every engine. Paths depend on this.
 * `v8.serialize` does not guarantee this: the bytes of a number depend on the engine's storage of
 * the number.
 */
import { JelError } from '@jel/protocol'
import { addExtension, Encoder, setSizeLimits } from 'cbor-x'
import { PACKED_TABLE } from './cbor-bounds.ts'

/**
 * Maximum bytes of one input or value. A larger value would delay everything else on a stream. A
 * guess: this many bytes take 8 ms at 1 Gbit/s.
 */
export const MAX_VALUE_BYTES = 1024 * 1024

// A few bytes could announce a list of millions of elements, and the decoder would allocate its
// memory at once. No value has more elements than bytes.
setSizeLimits({ maxArraySize: MAX_VALUE_BYTES, maxMapSize: MAX_VALUE_BYTES, maxObjectSize: MAX_VALUE_BYTES })

const encoder = new Encoder({ structuredClone: true, useRecords: false, mapsAsObjects: true, tagUint8Array: false })

/** No value has packed tables. The decoder would unpack the table of a stranger. */
class PackedTable {
  readonly values: readonly unknown[] = []
}
const refuse = (): never => {
  throw new RangeError('CBOR with a packed table')
}
addExtension<PackedTable, never>({ Class: PackedTable, tag: PACKED_TABLE, encode: refuse, decode: refuse })

/** A value cannot be sent to another member. The message states its type and its position. */
export class UnclonableError extends JelError {
  readonly code = 'VALUE_UNCLONABLE'
}

/** Stands for -0. CBOR has no integer -0, so it would become 0. */
class NegativeZero {
  readonly magnitude = 0
}

addExtension<NegativeZero | number, number>({
  Class: NegativeZero,
  tag: 43_312,
  encode: (zero, encode) => encode((zero as NegativeZero).magnitude),
  decode: () => -0,
})

/** Stands for an `ArrayBuffer`. Otherwise the buffer would become a view. */
class BareBuffer {
  readonly bytes: Uint8Array

  constructor(buffer: ArrayBuffer) {
    this.bytes = new Uint8Array(buffer)
  }
}

addExtension<BareBuffer | ArrayBuffer, Uint8Array>({
  Class: BareBuffer,
  tag: 43_313,
  encode: (buffer, encode) => encode((buffer as BareBuffer).bytes),
  decode: (bytes: Uint8Array) => Uint8Array.from(bytes).buffer,
})

/**
 * Decodes an integer of more than 64 bits. The decoder's own method adds one byte after the other.
 * Its time grows with the square of the number of bytes: hours for the bytes of one message.
 */
function integerOf(bytes: Uint8Array): bigint {
  if (bytes.length > MAX_VALUE_BYTES) throw new RangeError(`an integer of ${bytes.length} bytes`)
  return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`)
}

// These tags need no class, since the encoder knows their values.
addExtension({ tag: 2, decode: integerOf } as Parameters<typeof addExtension<bigint, Uint8Array>>[0])
addExtension({ tag: 3, decode: (bytes) => -1n - integerOf(bytes) } as Parameters<typeof addExtension<bigint, Uint8Array>>[0])

/** Kinds of objects with content that the encoder does not see. They would become empty. */
const OPAQUE = new Set('BigInt,Boolean,DataView,Generator,AsyncGenerator,Number,Promise,SharedArrayBuffer,String,Symbol'.split(','))
/** Kinds of objects that are complete even without fields. */
const KNOWN = new Set('Object,Array,Arguments,Map,Set,Date,RegExp,Error,DOMException'.split(','))

/** The objects found in a value, each with the object that contains it. */
type Found = Map<object, object | undefined>

/**
 * Whether the encoder would change a part of this value. @throws UnclonableError if a part would be
 * lost
 */
function isChanged(value: unknown, found: Found, holder?: object): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') throw refusal(typeof value, value, found, holder)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0)
  if (found.has(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView))) return false
  found.set(value, holder)
  if (value instanceof ArrayBuffer) return true
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  // Objects of the platform, such as a URL, have no visible fields.
  if (OPAQUE.has(kind) || (!KNOWN.has(kind) && Object.keys(value).length === 0)) throw refusal(kind, value, found, holder)
  let isAny = false
  // Checks all parts, since a later part may be one that can't be sent.
  for (const each of partsOf(value)) isAny = isChanged(each, found, value) || isAny
  return isAny
}

function refusal(kind: string, value: unknown, found: Found, holder: object | undefined): UnclonableError {
  const [what, remedy] = kind === 'Promise' ? ['a promise', ', await it first'] : [`a value of type ${kind}`, '']
  let path = ''
  for (let [part, of] = [value, holder]; of !== undefined; [part, of] = [of, found.get(of)]) path = `${placeOf(part, of)}${path}`
  const where = path === '' ? '' : `: it is at ${path.replace(/^\.(?!get\()/u, '')}`
  return new UnclonableError(`${what} can not be sent to another member${remedy}${where}`)
}

function placeOf(part: unknown, holder: object): string {
  if (Array.isArray(holder)) return `[${holder.indexOf(part)}]`
  if (holder instanceof Set) return '{…}'
  const isMap = holder instanceof Map
  const entries = isMap ? [...(holder as Map<unknown, unknown>)] : Object.entries(holder)
  const [key] = entries.find(([, each]) => each === part) ?? []
  const name = typeof key === 'string' || typeof key === 'number' ? key : '…'
  return isMap ? `.get(${name})` : `.${name}`
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)].flat()
  return value instanceof Set || Array.isArray(value) ? (value as Iterable<unknown>) : Object.values(value)
}

/**
 * Returns a copy of the value. Replaces parts that the encoder would change by types that it
 * preserves.
 */
function encodable(value: unknown, made: Map<object, unknown>): unknown {
  if (Object.is(value, -0)) return new NegativeZero()
  if (typeof value !== 'object' || value === null) return value
  if (made.has(value)) return made.get(value)
  const keep = <Copy extends object>(copy: Copy): Copy => {
    made.set(value, copy)
    return copy
  }
  if (value instanceof ArrayBuffer) return keep(new BareBuffer(value))
  if (Array.isArray(value)) {
    const copy = keep([] as unknown[])
    for (const each of value as unknown[]) copy.push(encodable(each, made))
    return copy
  }
  if (value instanceof Set) {
    const copy = keep(new Set())
    for (const each of value) copy.add(encodable(each, made))
    return copy
  }
  if (value instanceof Map) {
    const copy = keep(new Map())
    for (const [key, each] of value) copy.set(encodable(key, made), encodable(each, made))
    return copy
  }
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const copy = keep<Record<string, unknown>>({})
  for (const [key, each] of Object.entries(value)) copy[key] = encodable(each, made)
  return copy
}

/** An input or a value is too large. */
export class ValueTooLargeError extends JelError {
  readonly code = 'VALUE_TOO_LARGE'

  constructor(bytes: number, most = MAX_VALUE_BYTES) {
    super(
      `it has ${bytes} bytes, and ${most} are the most here. Hand large data in as a blob, and cut a large result into tasks that each give a part`,
    )
  }
}

/**
 * @param most bytes; default: 1 MiB
 * @throws UnclonableError for functions, symbols, promises, weak maps, shared memory and the like,
 * and for objects that contain them; ValueTooLargeError above `most`
 */
export function encodeValue(value: unknown, most = MAX_VALUE_BYTES): Uint8Array {
  try {
    const sent = isChanged(value, new Map()) ? encodable(value, new Map()) : value
    // Copies the bytes, since the encoder returns a part of its own buffer.
    const bytes = Uint8Array.from(encoder.encode(sent))
    if (bytes.length > most) throw new ValueTooLargeError(bytes.length, most)
    return bytes
  } catch (error) {
    if (error instanceof ValueTooLargeError) throw error
    if (error instanceof UnclonableError) throw error
    throw new UnclonableError(`it can not be sent to another member: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** @throws Error for bytes that are not a value */
export function decodeValue(bytes: Uint8Array): unknown {
  // The decoder would turn byte arrays in a `Buffer` into `Buffer`s. Programs must get the same
  // types everywhere.
  return encoder.decode(bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes))
}
