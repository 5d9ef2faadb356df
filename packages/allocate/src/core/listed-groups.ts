import * as v from 'valibot'

/**
 * Maximum number of ranks and of starts in a list, and of groups and leases for which one rank
 * waits. Guesses.
 */
export const [MOST_LISTED, MOST_NAMED] = [128, 4]

const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const group = { group: text(64), program: text(64) }

/**
 * A rank of a group at its member. `waits`: it waits for capacity. `held`: its capacity is
 * reserved. `locked`: the group is about to start. `running`: its program runs.
 */
export const listedRank = v.object({
  ...group,
  /** The member that starts the group. */
  starter: text(128),
  state: v.picklist(['waits', 'held', 'locked', 'running']),
  /** Its number, and the number of ranks. Default: not decided yet. */
  rank: v.optional(whole),
  of: v.optional(whole),
  /** The groups and leases that have the capacity for which it waits. */
  groups: v.pipe(v.array(text(64)), v.maxLength(MOST_NAMED), v.readonly()),
  leases: v.pipe(v.array(whole), v.maxLength(MOST_NAMED), v.readonly()),
})
export type ListedRank = v.InferOutput<typeof listedRank>

/** A group at its starter. */
export const listedStart = v.object({
  ...group,
  /** The name of the program for people. Default: `program`. */
  title: v.optional(text(64)),
  state: v.picklist(['holding', 'locked', 'running']),
  /** The number of wanted ranks. After the start: the number of ranks. */
  count: whole,
  /**
   * The numbers of ranks whose capacity is reserved, that wait for capacity, and that were refused.
   */
  held: whole,
  waits: whole,
  refused: whole,
  /** The number of ranks that have ended. */
  ended: whole,
})
export type ListedStart = v.InferOutput<typeof listedStart>
