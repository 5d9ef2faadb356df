import type { Milliseconds } from '../core/calendar.ts'
import { UnknownPairError } from '../errors.ts'
import type { Selected, Selection } from '../select.ts'
import { couplesOf, type Measure, type Pair, type Pairs, type Placed } from './pairs.ts'
import { edgesOf, place, type Pattern } from './placement.ts'

/**
 * Maximum number of members among which a pattern is placed: those with the greatest `rank`. A
 * guess.
 */
const MAX_CANDIDATES = 64
/** Maximum number of pairs that an error names. */
const MAX_NAMED = 4

/**
 * Puts members at the positions of a pattern. Measures the pairs whose figures are unknown or too
 * old.
 *
 * @throws UnknownPairError, InvalidRequestError
 */
export async function selectForPattern(
  selection: Selection,
  { count, pattern, within, signal }: { count: number; pattern: Pattern; within: Milliseconds; signal?: AbortSignal | undefined },
  pairs: Pairs,
  measure: Measure,
): Promise<Selection & { readonly placed: Placed }> {
  const edges = edgesOf(pattern, count)
  const candidates = selection.selected.slice(0, MAX_CANDIDATES)
  const idOf = (at: number): string => (candidates[at] as Selected).member.id
  const missing = couplesOf(candidates.map(({ member }) => member)).filter(([one, other]) => pairs.get(one.id, other.id) === undefined)
  const unknown = edges.length === 0 ? [] : await pairs.measure(missing, measure, within, signal)
  const known = new Map<number, Pair>()
  const bandwidth = (one: number, other: number): number | undefined => {
    const pair = pairs.get(idOf(one), idOf(other))
    if (pair !== undefined) known.set(one * MAX_CANDIDATES + other, pair)
    return pair?.bandwidth
  }
  const found = place(candidates.length, count, pattern, bandwidth)
  if (found === undefined) {
    const named = unknown.slice(0, MAX_NAMED).map(({ members, reason }) => `${members.map((id) => id.slice(-8)).join(' and ')}: ${reason}`)
    throw new UnknownPairError(
      `${candidates.length} members match, and each placement needs one of ${unknown.length} unknown pairs (${named.join('; ')}${unknown.length > MAX_NAMED ? '; …' : ''})`,
    )
  }
  const used = edges.map(([a, b]) => [found.chosen[a] as number, found.chosen[b] as number] as const)
  const all = used.flatMap(([one, other]) => known.get(one * MAX_CANDIDATES + other) ?? known.get(other * MAX_CANDIDATES + one) ?? [])
  return {
    ...selection,
    selected: found.chosen.map((at) => candidates[at] as Selected),
    placed: { slowest: all.find(({ bandwidth: width }) => width === found.slowest), isBest: found.isBest, unknown },
  }
}
