import { idOf, type Seat } from './seat.ts'

/** A member that could be a voter, as the leader sees it. */
export interface Eligible {
  readonly seat: Seat
  /** Whether its store outlives its process. */
  readonly isDurable: boolean
  /**
   * Whether others can dial it. Others reach a browser tab, or a member behind a NAT, by detours
   * only.
   */
  readonly isDirect: boolean
  /** The coarsest level of its location. */
  readonly site: string
  /** The place in the order of joining. */
  readonly rank: number
}

/**
 * Chooses the voters. Their number is odd: an even number survives no more deaths than the odd
 * number below it. Present voters stay voters, unless one site would have a majority. Free places
 * go to members that others can dial, then to stores that outlive their process, then to sites with
 * few voters, then to the earliest members.
 *
 * @param most the largest number of voters
 * @param present the seats of the present voters
 */
export function chooseVoters(eligible: readonly Eligible[], present: readonly Seat[], most: number): readonly Seat[] {
  const size = Math.min(most, eligible.length - ((eligible.length + 1) % 2))
  const chosen = eligible.filter(({ seat }) => present.includes(seat)).toSorted(byPreference([]))
  // If there are too many, the least preferred ones are removed.
  chosen.length = Math.min(chosen.length, Math.max(0, size))
  while (chosen.length < size) {
    const ids = new Set(chosen.map(({ seat }) => idOf(seat)))
    const [next] = eligible.filter(({ seat }) => !ids.has(idOf(seat))).toSorted(byPreference(chosen))
    if (next === undefined) break
    chosen.push(next)
  }
  return improved(eligible, chosen).map(({ seat }) => seat)
}

/**
 * Breaks up a majority at one site, if there are three sites. So the ledger survives the loss of a
 * site.
 */
function improved(eligible: readonly Eligible[], chosen: readonly Eligible[]): readonly Eligible[] {
  if (chosen.length < 3 || new Set(eligible.map(({ site }) => site)).size < 3) return chosen
  const crowded = chosen.find(({ site }) => 2 * atSite(chosen, site) > chosen.length)
  if (crowded === undefined) return chosen
  const [spare] = eligible
    // The new voter must not give the majority to its own site.
    .filter(({ seat, site }) => 2 * (atSite(chosen, site) + 1) <= chosen.length && !chosen.some((each) => each.seat === seat))
    .toSorted(byPreference(chosen))
  const [last] = chosen
    .filter(({ site }) => site === crowded.site)
    .toSorted(byPreference([]))
    .slice(-1)
  if (spare === undefined || last === undefined) return chosen
  return improved(eligible, [...chosen.filter((each) => each !== last), spare])
}

function byPreference(chosen: readonly Eligible[]): (one: Eligible, other: Eligible) => number {
  return (one, other) =>
    Number(other.isDirect) - Number(one.isDirect) ||
    Number(other.isDurable) - Number(one.isDurable) ||
    atSite(chosen, one.site) - atSite(chosen, other.site) ||
    one.rank - other.rank
}

function atSite(chosen: readonly Eligible[], site: string): number {
  return chosen.filter((each) => each.site === site).length
}
