import * as v from 'valibot'

/** Maximum bytes of a request for a measurement, and of its answer. */
export const [MAX_REQUEST_BYTES, MAX_ANSWER_BYTES] = [256, 1024]
/** The longest time in which a member may be asked to measure, ms. A guess. */
export const MAX_WITHIN = 60_000

const figure = v.pipe(v.number(), v.finite(), v.minValue(0))

/** Asks a member to measure the connection to another one. */
export const measureRequest = v.object({
  measure: v.pipe(v.string(), v.maxLength(128)),
  within: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_WITHIN)),
})
export type MeasureRequest = v.InferOutput<typeof measureRequest>

/** The figures of a probe. */
const figures = v.object({
  /** ms */
  roundTrip: figure,
  /** Bytes a second in the slower direction, while both directions are in use. */
  bandwidth: figure,
  /** The time of the probe itself, ms. */
  took: figure,
})
export type Figures = Readonly<v.InferOutput<typeof figures>>

/** `age`: the time since the probe ended, ms. */
export const measureAnswer = v.union([v.object({ figures, age: figure }), v.object({ problem: v.pipe(v.string(), v.maxLength(512)) })])
export type MeasureAnswer = v.InferOutput<typeof measureAnswer>
