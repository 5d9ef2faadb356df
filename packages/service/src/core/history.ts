/** One reign in the election of a service. */
export interface Reign {
  readonly epoch: number
  /** The id of the primary. The incarnation distinguishes its lives. */
  readonly winner: string
  readonly incarnation: number
  /**
   * The number of the takeover. A primary that takes over the state of another replica in the
   * middle of its reign begins a new list of operations. Default: 0.
   */
  readonly turn?: number | undefined
}

/**
 * The operations that one primary applied, up to the number `last`. The first operation of a
 * service has the number 1. Each reign continues the numbers of the former one.
 */
export interface Mark {
  readonly reign: Reign
  readonly last: number
}

/** Which operations a replica has. */
export interface Position {
  /** The reigns whose operations the replica has, in order. */
  readonly history: readonly Mark[]
  /** The number of the first operation in the log. */
  readonly from: number
}

/** The most reigns of a history. The oldest reign is dropped first. A guess. */
export const MAX_MARKS = 64

/** Names the list of operations of a reign. */
export function keyOf({ epoch, winner, incarnation, turn = 0 }: Reign): string {
  return `${epoch} ${winner} ${incarnation} ${turn}`
}

export function isSame(one: Reign | undefined, other: Reign | undefined): boolean {
  return one !== undefined && other !== undefined && keyOf(one) === keyOf(other)
}

/** Orders reigns as elections do: by epoch, by id (the lower id is greater), by incarnation. */
export function compareReigns(one: Reign, other: Reign): number {
  if (one.epoch !== other.epoch) return one.epoch - other.epoch
  if (one.winner !== other.winner) return one.winner < other.winner ? 1 : -1
  return one.incarnation - other.incarnation || (one.turn ?? 0) - (other.turn ?? 0)
}

/** Returns the number of the last operation. */
export function lastOf(history: readonly Mark[]): number {
  return history.at(-1)?.last ?? 0
}

/**
 * Returns the number of the last operation that both histories have. Each reign has one list of
 * operations, so two histories are equal up to the last reign that both have.
 */
export function forkOf(one: readonly Mark[], other: readonly Mark[]): number {
  const theirs = new Map(other.map(({ reign, last }) => [keyOf(reign), last]))
  for (const { reign, last } of one.toReversed()) {
    const found = theirs.get(keyOf(reign))
    if (found !== undefined) return Math.min(last, found)
  }
  return 0
}

/** Adds an operation to a history. */
export function extend(history: readonly Mark[], reign: Reign, last: number): readonly Mark[] {
  const newest = history.at(-1)
  const before = newest !== undefined && isSame(newest.reign, reign) ? history.slice(0, -1) : history
  return [...before, { reign, last }].slice(-MAX_MARKS)
}

/**
 * Orders the positions of two replicas. The other replicas take over the state of the replica with
 * the greater position. A replica whose log does not reach back to the fork can't hand over its
 * operations. So it is greater than one that can.
 */
export function comparePositions(one: Position, other: Position): number {
  const fork = forkOf(one.history, other.history)
  const [a, b] = [lastOf(one.history), lastOf(other.history)]
  if (a > fork && b > fork) {
    const [canHandOver, otherCan] = [one.from <= fork + 1, other.from <= fork + 1]
    if (canHandOver !== otherCan) return canHandOver ? -1 : 1
    const [newest, others] = [one.history.at(-1), other.history.at(-1)]
    if (newest !== undefined && others !== undefined) return compareReigns(newest.reign, others.reign) || a - b
  }
  return a - b
}
