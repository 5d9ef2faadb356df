/** Common parts of the encoding of messages of schedulers and sandboxes, with checks and bounds. */
import { Encoder } from 'cbor-x'
import * as v from 'valibot'
import { checkContainers } from './program/cbor-bounds.ts'
import { MAX_SHOWN } from './core/entry.ts'
import type { Message } from './core/messages.ts'
import { MAX_DEPTH, pathProblem, STEP_LENGTH } from './core/path.ts'
import { fitsShared, MAX_UNION } from './core/shared-value.ts'
import { MAX_VALUE_BYTES } from './program/values.ts'

/**
 * Maximum number of elements of a list in a message. A guess: as many as a frame may have open
 * children.
 */
export const MAX_ITEMS = 65_536

const encoder = new Encoder({
  structuredClone: false,
  useRecords: false,
  mapsAsObjects: false,
  tagUint8Array: false,
  variableMapSize: true,
})

export const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
/**
 * A count. The schema caps a larger value, and does not reject it: an honest member may add its own
 * counts to a false count of another member, and report the sum.
 */
export const count = v.pipe(
  v.number(),
  v.finite(),
  v.minValue(0),
  v.transform((value) => Math.min(value, Number.MAX_SAFE_INTEGER)),
)
export const bytes = v.pipe(
  v.instance(Uint8Array),
  v.check((value) => value.length <= MAX_VALUE_BYTES),
)
export const path = v.pipe(
  text(MAX_DEPTH * STEP_LENGTH),
  v.check((value) => pathProblem(value) === undefined),
)
export const id = text(128)
export const list = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(MAX_ITEMS))

const offer = v.object({
  rule: v.picklist(['min', 'max', 'first', 'union']),
  key: v.number(),
  values: v.pipe(v.array(bytes), v.minLength(1), v.maxLength(MAX_UNION)),
})
export const shared = v.pipe(
  v.map(text(64), offer),
  v.check((value) => fitsShared(value)),
)
const failure = v.object({
  code: text(64),
  message: text(4096),
  stack: v.optional(text(8192)),
  member: text(128),
  tries: count,
  task: v.optional(path),
  fn: v.optional(text(256)),
  input: v.optional(text(MAX_SHOWN)),
  cause: v.optional(text(MAX_SHOWN)),
})
export const outcome = v.union([v.object({ value: bytes }), v.object({ failure })])

/** Returns a message in its form on the wire, where a lifeline has the name `surplus`. */
export function wireForm(message: Message): unknown {
  return message.type === 'lifeline' ? { type: 'surplus' } : message
}

export function toBytes(value: unknown): Uint8Array {
  return Uint8Array.from(encoder.encode(value))
}

/**
 * Maximum number of lists and maps of a message. A guess: four for each element of the longest
 * list. Decoded, they take about 75 MB.
 */
const MAX_CONTAINERS = 300_000

/**
 * @param containers maximum number of lists and maps
 * @throws Error for bytes that do not match the schema
 */
export function fromBytes<Schema extends v.GenericSchema>(
  schema: Schema,
  data: Uint8Array,
  containers = MAX_CONTAINERS,
): v.InferOutput<Schema> {
  checkContainers(data, containers)
  let left = data.length
  /** Turns CBOR's maps of text keys back into objects. Shared values stay maps. */
  function objectOf(value: unknown, key?: unknown): unknown {
    // CBOR's references can repeat one list many times. 240 bytes could become 10,000,000 elements.
    // In an honest message each element takes bytes of its own.
    if (left-- === 0) throw new RangeError('more elements than bytes')
    if (value instanceof Uint8Array) return value
    if (Array.isArray(value)) return value.map((each) => objectOf(each))
    if (!(value instanceof Map)) return value
    const items = [...(value as Map<unknown, unknown>)].map(([name, each]) => [name, objectOf(each, name)] as const)
    return key === 'shared' || key === 'given' ? new Map(items) : Object.fromEntries(items)
  }
  return v.parse(schema, objectOf(encoder.decode(data)))
}
