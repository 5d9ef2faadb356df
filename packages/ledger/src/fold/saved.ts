import * as v from 'valibot'
import { fromJson } from '../core/json.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(128))
const life = { id, incarnation: count }
const reign = v.object({ winner: v.object(life), epoch: count })

/** The state of a fold, as a snapshot stores it. */
const saved = v.object({
  size: v.optional(v.pipe(count, v.minValue(1))),
  nextRank: count,
  members: v.array(v.object({ ...life, rank: count, index: count })),
  /** The ids that have joined, each with its rank and its latest life. */
  known: v.array(v.tuple([id, v.object({ rank: count, incarnation: count })])),
  numbers: v.array(v.tuple([id, count])),
  elections: v.array(
    v.object({
      name: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
      candidates: v.array(v.object({ ...life, sequence: count, isStanding: v.boolean() })),
      reign: v.optional(reign),
    }),
  ),
})
type DeepReadonly<Type> = { readonly [Key in keyof Type]: DeepReadonly<Type[Key]> }
export type Saved = DeepReadonly<v.InferOutput<typeof saved>>

/**
 * Returns undefined for bytes that are no state of a fold. The bytes come from another member,
 * which may lie.
 */
export function readSaved(bytes: Uint8Array): Saved | undefined {
  return fromJson(saved, bytes)
}
