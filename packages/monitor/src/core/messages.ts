import * as v from 'valibot'
import type { Reading } from './reading.ts'
import type { AttributeSchema } from './attribute.ts'
import { MAX_VALUE_BYTES } from '../expression/value.ts'

/** Maximum number of attributes of one read. A guess. */
export const MAX_NAMES = 256
/** Maximum bytes of a request, and of an answer: each attribute with its longest value. */
export const [MAX_REQUEST_BYTES, MAX_ANSWER_BYTES] = [32_768, MAX_NAMES * 2 * MAX_VALUE_BYTES]

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const span = v.pipe(v.number(), v.finite(), v.minValue(0))
const scalar = v.union([v.pipe(v.number(), v.finite()), text(MAX_VALUE_BYTES), v.boolean()])
const value = v.union([scalar, v.pipe(v.array(scalar), v.maxLength(MAX_VALUE_BYTES))])

/** The options of a read, as they go over the wire. */
export const readOptions = v.object({
  response: v.optional(v.picklist(['cached', 'immediate', 'last'], 'must be cached, immediate or last')),
  quality: v.optional(v.pipe(v.number(), v.minValue(0, 'must be from 0 to 100'), v.maxValue(100, 'must be from 0 to 100'))),
  timeout: v.optional(v.pipe(v.number(), v.minValue(1, 'must be from 1 to 60,000 ms'), v.maxValue(60_000, 'must be from 1 to 60,000 ms'))),
  cancel: v.optional(v.boolean()),
})

/** A request: the names of attributes to read (default: all), or a question for the schemas. */
export const request = v.union([
  v.object({ schema: v.literal(true) }),
  v.object({ read: v.optional(v.pipe(v.array(text(64)), v.maxLength(MAX_NAMES))), ...readOptions.entries }),
])
export type Request = v.InferOutput<typeof request>

const problem = v.object({
  code: v.picklist(['NO_ATTRIBUTE', 'NO_VALUE', 'NO_ANSWER', 'SENSOR_FAILED', 'CANCELLED', 'DENIED']),
  message: text(512),
})
const reading = v.union([
  v.object({ name: text(64), unit: text(16), problem }),
  v.object({ name: text(64), unit: text(16), value, age: span, quality: span, took: v.object({ mean: span, deviation: span }) }),
])
const schema = v.object({
  name: text(64),
  unit: text(16),
  about: text(128),
  ttl: span,
  halfLife: v.optional(span),
  delay: v.optional(span),
})

/** The answer to a request. */
export const answer = v.object({
  readings: v.optional(v.pipe(v.array(reading), v.maxLength(MAX_NAMES))),
  schemas: v.optional(v.pipe(v.array(schema), v.maxLength(MAX_NAMES))),
})
export interface Answer {
  readonly readings?: readonly Reading[] | undefined
  readonly schemas?: readonly AttributeSchema[] | undefined
}
