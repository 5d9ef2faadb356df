/** The messages of schedulers as bytes, and back, checked and bounded. */
import { Encoder } from 'cbor-x'
import * as v from 'valibot'
import type { Message } from '../core/io.ts'
import { MAX_DEPTH, pathProblem, STEP_LENGTH } from '../core/path.ts'
import { MAX_UNION } from '../core/shared-value.ts'
import { MAX_VALUE_BYTES } from '../program/values.ts'

/** Bytes of one message: more than a page of entries, each of at most 1 MiB. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** Elements of a list in a message. A guess: what a frame may have open. */
const MAX_ITEMS = 65_536

const encoder = new Encoder({
  structuredClone: false,
  useRecords: false,
  mapsAsObjects: false,
  tagUint8Array: false,
  variableMapSize: true,
})

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const count = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER))
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const bytes = v.pipe(
  v.instance(Uint8Array),
  v.check((value) => value.length <= MAX_VALUE_BYTES),
)
const path = v.pipe(
  text(MAX_DEPTH * STEP_LENGTH),
  v.check((value) => pathProblem(value) === undefined),
)
const id = text(128)
const list = <Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(MAX_ITEMS))

const offer = v.object({
  rule: v.picklist(['min', 'max', 'first', 'union']),
  key: v.number(),
  values: v.pipe(v.array(bytes), v.minLength(1), v.maxLength(MAX_UNION)),
})
const shared = v.map(text(64), offer)
const failure = v.object({
  code: text(64),
  message: text(4096),
  stack: v.optional(text(8192)),
  member: text(128),
  tries: count,
})
const outcome = v.union([v.object({ value: bytes }), v.object({ failure })])
const entry = v.object({ path, outcome, shared })
const task = { path, fn: text(256), input: bytes }
const grant = v.object({ ...task, job: id, replay: v.boolean(), tries: count })
const claim = v.object({ ...task, age: count, progress: share, leaf: v.boolean(), second: v.boolean() })
const work = { begun: count, finished: count, ran: count }
const totals = v.object({ ...work, members: count })

const message = v.variant('type', [
  v.object({ type: v.literal('steal'), request: count, jobs: list(id), count }),
  v.object({ type: v.literal('work'), request: count, tasks: list(grant), left: count, ended: list(id) }),
  v.object({ type: v.literal('surplus') }),
  v.object({ type: v.literal('awaiting'), job: id, paths: list(path) }),
  v.object({
    type: v.literal('holding'),
    job: id,
    progress: list(v.tuple([path, share])),
    totals: v.optional(totals),
  }),
  v.object({ type: v.literal('moved'), job: id, tasks: list(v.object({ path, holder: id })) }),
  v.object({ type: v.literal('unknown'), job: id, paths: list(path) }),
  v.object({ type: v.literal('result'), job: id, entries: list(entry), totals: v.optional(totals) }),
  v.object({
    type: v.literal('report'),
    job: id,
    number: count,
    full: v.boolean(),
    entries: list(entry),
    claims: list(claim),
    dropped: list(path),
    work: v.object(work),
  }),
  v.object({ type: v.literal('noted'), job: id, number: count }),
  v.object({ type: v.literal('lookup'), job: id, request: count, paths: list(path) }),
  v.object({
    type: v.literal('found'),
    job: id,
    request: count,
    entries: list(entry),
    claims: list(v.object({ path, holder: id })),
    last: v.boolean(),
  }),
  v.object({ type: v.literal('merged'), job: id }),
  v.object({ type: v.literal('yield'), job: id, path, to: id }),
  v.object({ type: v.literal('idle'), request: count, jobs: list(id) }),
  v.object({ type: v.literal('shared'), job: id, shared }),
])

export function encodeMessage(value: Message): Uint8Array {
  return Uint8Array.from(encoder.encode(value))
}

/** @throws Error for bytes that are no message, or one beyond its bounds */
export function decodeMessage(data: Uint8Array): Message {
  return v.parse(message, objectOf(encoder.decode(data))) as Message
}

/** CBOR's maps of text keys are what objects became; those of shared values stay maps. */
function objectOf(value: unknown, key?: unknown): unknown {
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map((each) => objectOf(each))
  if (!(value instanceof Map)) return value
  const items = [...(value as Map<unknown, unknown>)].map(([name, each]) => [name, objectOf(each, name)] as const)
  return key === 'shared' ? new Map(items) : Object.fromEntries(items)
}
