/**
 * The rule that unites two offers of one shared value. Each rule is associative, commutative and
 * idempotent, so offers may arrive in any order.
 */
export type JoinRule = 'min' | 'max' | 'first' | 'union'

/** The best known offer for one shared value of a job. */
export interface Offer {
  readonly rule: JoinRule
  /** The number that `min` and `max` compare. */
  readonly key: number
  /** One encoded value. A union has all its values, sorted. */
  readonly values: readonly Uint8Array[]
}

/**
 * Shared values by name. They are immutable: a join returns a new map, or one of its two maps if
 * nothing is new.
 */
export type Shared = ReadonlyMap<string, Offer>

export const NOTHING_SHARED: Shared = new Map()

/** Maximum number of values of a union. A guess. */
export const MAX_UNION = 1024
/**
 * Maximum bytes of the values of one union. One value may have as many bytes. A larger union drops
 * its last values.
 */
const MAX_UNION_BYTES = 1024 * 1024
/**
 * Maximum number of shared values of one job, and maximum bytes of all of them. A message of 4 MiB
 * has room for them and one value. Guesses.
 */
const MAX_SHARED = 64
const MAX_SHARED_BYTES = 2 * 1024 * 1024
/** Error code of a job that fails because its shared values exceed these bounds. */
export const SHARED_TOO_LARGE = 'SHARED_TOO_LARGE'

/**
 * Returns the bytes that one offer may have in a program with this many shared values. Then the
 * offers of any members fit together, in any order.
 */
export function offerBytes(count: number): number {
  return Math.floor(MAX_SHARED_BYTES / Math.max(1, count))
}

/**
 * Whether a job may have this many shared values of this size. Programs declare few, but a peer may
 * name any number.
 */
export function fitsShared(shared: Shared): boolean {
  if (shared.size > MAX_SHARED) return false
  let bytes = 0
  for (const { values } of shared.values()) for (const value of values) bytes += value.length
  return bytes <= MAX_SHARED_BYTES
}

/**
 * Returns the join of both; undefined if the join is too large. Returns `left` itself if `right`
 * adds nothing to it.
 */
export function uniteShared(left: Shared, right: Shared): Shared | undefined {
  const united = join(left, right, () => true)
  return united === left || fitsShared(united) ? united : undefined
}

/** Like `uniteShared`, but leaves out offers for which there is no room. */
export function joinShared(left: Shared, right: Shared): Shared {
  return join(left, right, fitsShared)
}

function join(left: Shared, right: Shared, fits: (more: Shared) => boolean): Shared {
  if (left === right || right.size === 0) return left
  if (left.size === 0) return right
  let joined: Shared | undefined
  for (const [name, offer] of right) {
    const known = left.get(name)
    const better = known === undefined ? offer : joinOffers(known, offer)
    if (better === known) continue
    const more = new Map(joined ?? left).set(name, better)
    if (fits(more)) joined = more
  }
  return joined ?? left
}

/**
 * Returns `left` itself if `right` adds nothing to it. In an honest job offers of different rules
 * can't meet, so this keeps `left`.
 */
function joinOffers(left: Offer, right: Offer): Offer {
  if (left === right || left.rule !== right.rule) return left
  switch (left.rule) {
    case 'union':
      return unite(left, right)
    case 'min':
      if (left.key !== right.key) return left.key < right.key ? left : right
      break
    case 'max':
      if (left.key !== right.key) return left.key > right.key ? left : right
      break
    case 'first':
  }
  // Keys are equal: all members must choose the same offer.
  return compareBytes(left.values[0] as Uint8Array, right.values[0] as Uint8Array) <= 0 ? left : right
}

function unite(left: Offer, right: Offer): Offer {
  const values = merge(inOrder(left.values), inOrder(right.values))
  // A larger union drops every value that a smaller union drops. So the order of the joins does not
  // matter.
  let bytes = 0
  const end = values.findIndex((value, at) => at === MAX_UNION || (bytes += value.length) > MAX_UNION_BYTES)
  if (end >= 0) values.length = end
  return values.length === left.values.length && values.every((value, at) => value === left.values[at]) ? left : { ...left, values }
}

/** Returns the values sorted, without duplicates: a peer may have sent them in any order. */
function inOrder(values: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSorted = values.every((value, at) => at === 0 || compareBytes(values[at - 1] as Uint8Array, value) < 0)
  return isSorted
    ? values
    : values.toSorted(compareBytes).filter((value, at, all) => at === 0 || compareBytes(value, all[at - 1] as Uint8Array) !== 0)
}

/** Merges two sorted lists. Of two equal values the left one stays. */
function merge(left: readonly Uint8Array[], right: readonly Uint8Array[]): Uint8Array[] {
  const merged: Uint8Array[] = []
  let [at, next] = [0, 0]
  while (at < left.length || next < right.length) {
    const [mine, other] = [left[at], right[next]]
    const order = mine === undefined ? 1 : other === undefined ? -1 : compareBytes(mine, other)
    merged.push((order <= 0 ? mine : other) as Uint8Array)
    if (order <= 0) at++
    if (order >= 0) next++
  }
  return merged
}

export function sameShared(left: Shared, right: Shared): boolean {
  if (left === right) return true
  if (left.size !== right.size) return false
  for (const [name, { rule, key, values }] of left) {
    const other = right.get(name)
    if (other === undefined || other.rule !== rule || other.key !== key || other.values.length !== values.length) return false
    if (!values.every((value, at) => compareBytes(value, other.values[at] as Uint8Array) === 0)) return false
  }
  return true
}

/** Compares as sort functions do: negative, zero or positive. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const common = Math.min(left.length, right.length)
  for (let at = 0; at < common; at++) {
    const difference = (left[at] as number) - (right[at] as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
