import * as v from 'valibot'

/** A member lists so many ranks and starts, and so many names of what one waits for. Guesses. */
export const [MOST_LISTED, MOST_NAMED] = [128, 4]

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const group = { group: text(64), program: text(64) }

/**
 * The rank of a group at its member: it waits for capacity, holds it, has locked it for a start, or
 * runs.
 */
const listedRank = v.object({
  ...group,
  /** The member that starts the group. */
  starter: text(128),
  state: v.picklist(['waits', 'held', 'locked', 'running']),
  /** Its place, and the number of ranks. Default: not decided yet. */
  rank: v.optional(whole),
  of: v.optional(whole),
  /** The groups and leases for whose capacity it waits. */
  groups: v.pipe(v.array(text(64)), v.maxLength(MOST_NAMED)),
  leases: v.pipe(v.array(whole), v.maxLength(MOST_NAMED)),
})
export type ListedRank = v.InferOutput<typeof listedRank>

/** A group, at the member that starts it. */
const listedStart = v.object({
  ...group,
  /** The name of the program for people. Default: `program`. */
  title: v.optional(text(64)),
  state: v.picklist(['holding', 'locked', 'running']),
  /** The number of ranks that it wants; once it runs, that it has. */
  count: whole,
  /** The numbers of members that hold a place, that wait for one, and that refuse. */
  held: whole,
  waits: whole,
  refused: whole,
  /** The number of ranks that have ended. */
  ended: whole,
})
export type ListedStart = v.InferOutput<typeof listedStart>

/** The groups of a member. */
export const listedGroups = {
  ranks: v.optional(v.pipe(v.array(listedRank), v.maxLength(MOST_LISTED))),
  starts: v.optional(v.pipe(v.array(listedStart), v.maxLength(MOST_LISTED))),
}
