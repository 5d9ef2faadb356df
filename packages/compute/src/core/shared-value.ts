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

/** Everything that either of the two knows. Returns `left` itself where `right` adds nothing to it. */
export function joinShared(left: Shared, right: Shared): Shared {
  if (left === right || right.size === 0) return left
  if (left.size === 0) return right
  let joined: Map<string, Offer> | undefined
  for (const [name, offer] of right) {
    const known = left.get(name)
    const better = known === undefined ? offer : joinOffers(known, offer)
    if (better === known) continue
    joined ??= new Map(left)
    joined.set(name, better)
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
  const values = [...left.values]
  for (const value of right.values) {
    if (values.every((known) => compareBytes(known, value) !== 0)) values.push(value)
  }
  if (values.length === left.values.length) return left
  return { ...left, values: values.sort(compareBytes).slice(0, MAX_UNION) }
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
