/** Judges what the members of a pool have told: one sequence, and each rank once. */

/** In the text of an entry that begins a reign: the same member may win an election again. */
export const REIGN = ' is won by '

/** An entry that a member has told: an ordered event, or a reign. */
export interface Entry {
  readonly index: number
  readonly text: string
}

export interface SequenceFaults {
  /** Places that have two events, or two winners of one election. */
  readonly different: number
  /** Entries that members lack which must have told all. */
  readonly lacking: number
  /** Entries that a member told after an entry with a higher index. */
  readonly late: number
  /** Answers whose event no member told at the index of the answer. */
  readonly lost: number
  /** Events that stand at several indices. */
  readonly twice: number
}

/**
 * `told`: for each member its entries, in the order in which it told them. `whole`: members that
 * must have told all entries. Another member may have been away: it lacks what came meanwhile.
 * `answers`: the events that callers were told to be placed.
 */
export function judgeSequences(
  told: readonly { readonly entries: readonly Entry[]; readonly isWhole: boolean }[],
  answers: readonly Entry[],
): SequenceFaults {
  const all = told.flatMap(({ entries }) => entries)
  const places = sets(all, placeOf, ({ text }) => text)
  const indices = sets(
    all,
    ({ text }) => text,
    ({ index }) => index,
  )
  const wholes = told.filter(({ isWhole }) => isWhole).map(({ entries }) => new Set(entries.map(nameOf)))
  const names = [...new Set(all.map(nameOf))]
  return {
    different: [...places.values()].filter(({ size }) => size > 1).length,
    lacking: wholes.flatMap((own) => names.filter((name) => !own.has(name))).length,
    late: told.flatMap(({ entries }) => entries.filter(({ index }, at) => index < (entries[at - 1]?.index ?? 0))).length,
    lost: answers.filter(({ index, text }) => indices.get(text)?.has(index) !== true).length,
    twice: [...indices].filter(([text, each]) => !text.includes(REIGN) && each.size > 1).length,
  }
}

/** Several reigns may begin with one entry, each in another election. */
function placeOf({ index, text }: Entry): string {
  return text.includes(REIGN) ? `${index} ${text.split(REIGN)[0]}` : `${index}`
}

function nameOf({ index, text }: Entry): string {
  return `${index} ${text}`
}

function sets<Value>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  valueOf: (entry: Entry) => Value,
): Map<string, Set<Value>> {
  const all = new Map<string, Set<Value>>()
  for (const entry of entries) all.set(keyOf(entry), (all.get(keyOf(entry)) ?? new Set<Value>()).add(valueOf(entry)))
  return all
}

export interface RankFaults {
  /** Ranks from 0 on that a member has not told, or told of several members. */
  readonly ranks: number
  /** Members of whom two members told other ranks. */
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

/**
 * The longest time between two of these times, or from `from` to the first, or from the last to
 * `to`.
 */
export function longestPause(times: readonly number[], from: number, to: number): number {
  const inside = times.filter((time) => time > from && time < to).toSorted((a, b) => a - b)
  return Math.max(...[...inside, to].map((time, at) => time - (inside[at - 1] ?? from)))
}
