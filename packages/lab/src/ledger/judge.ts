/** Judges the ranks that the members of a pool have told. */

export interface RankFaults {
  /**
   * Number of ranks that a member did not report, or reported for several members. It is the sum
   * over all members.
   */
  readonly ranks: number
  /** Members for which two different ranks were told. */
  readonly different: number
}

/** `told`: for each member, the ranks that it told, with the ids of their holders. */
export function judgeRanks(told: readonly (readonly { readonly id: string; readonly rank: number }[])[], size: number): RankFaults {
  let ranks = 0
  const byId = new Map<string, Set<number>>()
  for (const all of told) {
    const holders = Map.groupBy(all, ({ rank }) => rank)
    for (let rank = 0; rank < size; rank++) if (new Set(holders.get(rank)?.map(({ id }) => id)).size !== 1) ranks++
    for (const { id, rank } of all) byId.set(id, (byId.get(id) ?? new Set<number>()).add(rank))
  }
  return { ranks, different: [...byId.values()].filter((each) => each.size > 1).length }
}
