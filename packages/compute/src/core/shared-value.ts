/** How two offers of one shared value unite. Each rule is associative, commutative and idempotent, so members need no order. */
export type JoinRule = 'min' | 'max' | 'first' | 'union'

/** The best offer that is known for one shared value of a job. */
export interface Offer {
  readonly rule: JoinRule
  /** What `min` and `max` compare. */
  readonly key: number
  /** One encoded value; of a union all of them, sorted. */
  readonly values: readonly Uint8Array[]
}

/** Shared values by name. It is not changed: a join is a new one, unless it equals one of the two. */
export type Shared = ReadonlyMap<string, Offer>

export const NOTHING_SHARED: Shared = new Map()

/** How many values a union may hold. A guess. */
export const MAX_UNION = 1024
/** Bytes of the values of one union; those that are last in their order go. As one value. */
const MAX_UNION_BYTES = 1024 * 1024
/** Shared values of one job, and their bytes: a message of 4 MiB holds them and a value. Guesses. */
const MAX_SHARED = 64
const MAX_SHARED_BYTES = 2 * 1024 * 1024
/** What is beyond them: a job whose results are so has no result. */
export const SHARED_TOO_LARGE = 'SHARED_TOO_LARGE'

/** How many bytes one offer may have in a program with so many shared values: then what any members offer has room, in any order. */
export function offerBytes(count: number): number {
  return Math.floor(MAX_SHARED_BYTES / Math.max(1, count))
}

/** Whether a job may have so many, and so large ones. Programs declare few; a peer may name as many as it likes. */
export function fitsShared(shared: Shared): boolean {
  if (shared.size > MAX_SHARED) return false
  let bytes = 0
  for (const { values } of shared.values()) for (const value of values) bytes += value.length
  return bytes <= MAX_SHARED_BYTES
}

/** Everything that either of the two knows; undefined where that is too much. Returns `left` itself where `right` adds nothing to it. */
export function uniteShared(left: Shared, right: Shared): Shared | undefined {
  const united = join(left, right, () => true)
  return united === left || fitsShared(united) ? united : undefined
}

/** As `uniteShared`, as far as there is room: of hints, which nothing depends on. */
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

/** Returns `left` itself where `right` adds nothing to it. Offers of different rules can't meet in an honest job: the first one stands. */
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
  // Equal ones: all members must choose the same.
  return compareBytes(left.values[0] as Uint8Array, right.values[0] as Uint8Array) <= 0 ? left : right
}

function unite(left: Offer, right: Offer): Offer {
  const values = merge(inOrder(left.values), inOrder(right.values))
  // What is left out of a union is left out of each larger one, too: so it stays a join.
  let bytes = 0
  const end = values.findIndex((value, at) => at === MAX_UNION || (bytes += value.length) > MAX_UNION_BYTES)
  if (end >= 0) values.length = end
  return values.length === left.values.length && values.every((value, at) => value === left.values[at]) ? left : { ...left, values }
}

/** A peer may have sent them in any order. */
function inOrder(values: readonly Uint8Array[]): readonly Uint8Array[] {
  const isSorted = values.every((value, at) => at === 0 || compareBytes(values[at - 1] as Uint8Array, value) < 0)
  return isSorted
    ? values
    : values.toSorted(compareBytes).filter((value, at, all) => at === 0 || compareBytes(value, all[at - 1] as Uint8Array) !== 0)
}

/** Two sorted lists as one. Of two equal ones the left one stays. */
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

/** Their order: negative, zero or positive. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const common = Math.min(left.length, right.length)
  for (let at = 0; at < common; at++) {
    const difference = (left[at] as number) - (right[at] as number)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
