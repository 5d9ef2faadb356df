/** The share policy of a pool, and the rule that gives each owner its part of the time. */
import type { Milliseconds } from './ids.ts'

/** Tickets that the shares of all owners are worth together. From SGEEE's example. */
export const ALL_TICKETS = 1000

/** How an administrator divides the processor time among the owners of jobs. */
export interface SharePolicy {
  /**
   * The share of each owner. Only their ratio counts. Owners that are not named have the share of
   * `other` together.
   */
  readonly shares: ReadonlyMap<string, number>
  /**
   * The share of all owners that are not named, together. Otherwise a new name would be worth a new
   * share.
   */
  readonly other: number
  /** Earlier use counts half after each such time, ms; undefined: it never counts less. */
  readonly halfLife?: Milliseconds | undefined
  /** Further tickets of some owners, beside the 1,000 of all shares, whatever they used earlier. */
  readonly override?: ReadonlyMap<string, number> | undefined
  /**
   * Maximum multiple of its share that an owner gets because it was away; undefined: no maximum.
   */
  readonly compensation?: number | undefined
}

/** The name of all owners together that a policy does not name. */
export const OTHERS = ''

/** An owner whose jobs wait or run, or all such owners that the policy does not name. */
export interface ActiveOwner {
  readonly owner: string
  /** Its use of processor time, as it counts now. */
  readonly used: number
}

/** Returns what an earlier use of processor time counts after some time. */
export function decayed(used: number, after: Milliseconds, halfLife: Milliseconds | undefined): number {
  return halfLife === undefined ? used : used * 2 ** (-after / halfLife)
}

/**
 * Returns the tickets of each active owner, without further tickets of the override.
 *
 * - Active owners divide the 1,000 tickets in the ratio of their shares.
 * - If some used more than their share of all processor time, and some less: those that used more
 *   get their share, and the rest goes to those that were away. But the owners that were away get
 *   at most the compensation factor times their share. The others then get the remainder as well.
 *
 * `used`: the use of all owners, active or not, as it counts now.
 */
export function ticketsNow(policy: SharePolicy, active: readonly ActiveOwner[], used: number): ReadonlyMap<string, number> {
  const named = sumOf([...policy.shares.values()])
  const shareOf = (owner: string): number => policy.shares.get(owner) ?? policy.other
  // Owners that are not named count only while one of them is active.
  const all = named + (active.some(({ owner }) => owner === OTHERS) ? policy.other : 0)
  const owners = active.map((each) => ({ ...each, share: all === 0 ? 0 : shareOf(each.owner) / all }))
  const over = owners.filter(({ share, used: own }) => used === 0 || own > share * used)
  const away = owners.filter((each) => !over.includes(each))
  const overShare = sumOf(over.map(({ share }) => share))
  const awayShare = sumOf(away.map(({ share }) => share))
  const parts = new Map<string, number>()
  if (over.length === 0 || away.length === 0 || awayShare === 0) divide(owners, 1, parts)
  else {
    // An owner that was away gets at least the part that it would get if no earlier use counted.
    const most = Math.max((policy.compensation ?? Infinity) * awayShare, awayShare / (awayShare + overShare))
    const rest = Math.min(1 - overShare, most)
    divide(away, rest, parts)
    divide(over, 1 - rest, parts)
  }
  return new Map(owners.map(({ owner }) => [owner, ALL_TICKETS * (parts.get(owner) ?? 0)]))
}

/** Divides a part of the processor time in the ratio of shares. */
function divide(owners: readonly { readonly owner: string; readonly share: number }[], part: number, into: Map<string, number>): void {
  const sum = sumOf(owners.map(({ share }) => share))
  for (const { owner, share } of owners) into.set(owner, sum === 0 ? part / owners.length : (part * share) / sum)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}
