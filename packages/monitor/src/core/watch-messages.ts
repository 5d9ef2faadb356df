import * as v from 'valibot'
import type { Row } from './row.ts'
import { MAX_WATCHED, watchSpec } from './watch-spec.ts'
import { MAX_VALUE_BYTES, valueProblem, type Scalar } from '../expression/value.ts'

export const WATCH_PROTOCOL = '/jel-watch/1.0.0'

/** Maximum bytes of the first message of a consumer, and of any message of a producer. */
export const [MAX_WATCH_BYTES, MAX_ROWS_BYTES] = [16_384, 131_072]

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const scalar = v.union([v.pipe(v.number(), v.finite()), text(MAX_VALUE_BYTES), v.boolean()])
const value = v.pipe(
  v.union([scalar, v.pipe(v.array(scalar), v.maxLength(MAX_VALUE_BYTES))]),
  v.check((given) => valueProblem(given) === undefined),
)
/** From 1970 until the last date of ECMAScript, ms. */
const time = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15))
const index = v.pipe(whole, v.maxValue(MAX_WATCHED - 1))

/** The first message of a stream, from the member that opened it. */
export const watchRequest = v.union([
  /**
   * A consumer wants samples. `since`: the series and the number of its last sample of each
   * attribute.
   */
  v.object({
    watch: watchSpec,
    since: v.optional(v.record(text(64), v.tuple([whole, whole]))),
    /** The consumer wants aggregates of the site of the producer. */
    site: v.optional(v.literal(true)),
    /** The condition was true when the last stream broke. */
    held: v.optional(v.literal(true)),
  }),
  /** A producer wants to send these attributes. */
  v.object({ push: v.pipe(v.array(text(64)), v.minLength(1), v.maxLength(MAX_WATCHED)) }),
])
/** The request of a consumer. */
export type WatchRequest = Extract<v.InferOutput<typeof watchRequest>, { watch: unknown }>

/**
 * Fields that most samples lack: the series, whether the sample is replayed, whether the condition
 * is true, and the number of members of a site.
 */
const extras = v.object({ s: v.optional(whole), r: v.optional(v.literal(1)), h: v.optional(v.boolean()), c: v.optional(whole) })

/**
 * The messages of a producer. First the units, or a refusal. Then rows: a sample is [index, number,
 * Unix ms, value].
 */
export const watchAnswer = v.union([
  v.object({ units: v.pipe(v.array(text(16)), v.maxLength(MAX_WATCHED)) }),
  v.object({ refused: v.object({ code: text(64), message: text(512) }) }),
  v.object({
    rows: v.pipe(
      v.array(
        v.union([
          v.strictTuple([index, whole, time, value]),
          v.strictTuple([index, whole, time, value, extras]),
          v.object({ i: index, problem: v.object({ code: text(64), message: text(512) }) }),
          v.object({ i: index, missing: whole }),
          v.object({ lost: whole }),
        ]),
      ),
      v.maxLength(8192),
    ),
  }),
])
export type WatchAnswer = v.InferOutput<typeof watchAnswer>
type WireRow = Extract<WatchAnswer, { rows: unknown }>['rows'][number]

/**
 * Encodes the rows of one stream. A sample names its series only if the attribute has a new series.
 */
export class RowEncoder {
  readonly #series = new Map<number, number>()

  encode(row: Row): WireRow {
    switch (row.type) {
      case 'sample': {
        const { index: i, seq, at, value: given, series, replayed, holds, count } = row
        const isNew = this.#series.get(i) !== series
        this.#series.set(i, series)
        const scalars = Array.isArray(given) ? [...(given as readonly Scalar[])] : given
        const extra = {
          ...(isNew && { s: series }),
          ...(replayed && { r: 1 as const }),
          ...(holds !== undefined && { h: holds }),
          ...(count !== undefined && { c: count }),
        }
        const plain: WireRow = [i, seq, at, scalars as never]
        return Object.keys(extra).length === 0 ? plain : [...plain, extra]
      }
      case 'problem':
        return { i: row.index, problem: row.problem }
      case 'gap':
        return { i: row.index, missing: row.missing }
      case 'lost':
        return { lost: row.count }
    }
  }
}
