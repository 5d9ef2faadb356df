import { siteOf, type Member } from '@jel/jel'
import type { Milliseconds } from '../core/calendar.ts'
import { MAX_WITHIN } from './messages.ts'
import type { Measured } from './prober.ts'

/** Maximum number of pairs that are remembered. A guess: 90 members have as many pairs. */
const MAX_PAIRS = 4096
/** The figures of a pair are valid for this time, ms. A guess. */
const FRESH: Milliseconds = 60_000

/** Two members, and the figures of a probe between them. */
export interface Pair extends Measured {
  /** Their ids, in the order of the ids. */
  readonly members: readonly [string, string]
}

/** Two members whose figures are unknown. */
export interface UnknownPair {
  readonly members: readonly [string, string]
  readonly reason: string
}

/** How a pattern was placed. */
export interface Placed {
  /** The slowest edge; undefined: the pattern has no edges. */
  readonly slowest: Pair | undefined
  /** No other placement has a faster slowest edge. Otherwise the search was cut short. */
  readonly isBest: boolean
  /** The pairs that could not be measured. No edge of the pattern is such a pair. */
  readonly unknown: readonly UnknownPair[]
}

/** Two members that shall be measured. */
export type Couple = readonly [Member, Member]

/** Makes one member measure to another one, within a time. */
export type Measure = (from: string, to: string, within: Milliseconds) => Promise<Measured>

/** The pairs of members whose figures this member has asked for. */
export class Pairs {
  readonly #known = new Map<string, Pair>()

  /** Returns the figures of a pair that are younger than a minute. */
  get(one: string, other: string): Pair | undefined {
    const pair = this.#known.get(keyOf(one, other))
    return pair !== undefined && performance.now() - pair.at < FRESH ? pair : undefined
  }

  /**
   * Makes members measure pairs. At each site only one pair is measured at a time. Pairs that have
   * no site in common are measured at the same time.
   *
   * @param within the time for all pairs, ms
   * @returns the pairs that have no figures, with the reasons
   */
  async measure(couples: readonly Couple[], measure: Measure, within: Milliseconds, signal?: AbortSignal): Promise<UnknownPair[]> {
    const deadline = performance.now() + within
    const waiting = [...couples]
    const [busy, running, unknown] = [new Set<string>(), new Set<Promise<void>>(), [] as UnknownPair[]]
    const measured = new Map<string, number>()
    const run = async ([one, other]: Couple): Promise<void> => {
      // A member answers one request after the other. So the end that has measured fewer pairs
      // measures.
      const count = ({ id }: Member): number => measured.get(id) ?? 0
      const [from, to] = count(one) <= count(other) ? [one, other] : [other, one]
      measured.set(from.id, count(from) + 1)
      try {
        const left = Math.min(MAX_WITHIN, Math.max(0, deadline - performance.now()))
        this.#keep({ ...(await measure(from.id, to.id, left)), members: sorted(one.id, other.id) })
      } catch (error) {
        unknown.push({ members: sorted(one.id, other.id), reason: error instanceof Error ? error.message : String(error) })
      }
    }
    while (performance.now() < deadline) {
      signal?.throwIfAborted()
      const at = waiting.findIndex((couple) => couple.every((member) => !busy.has(siteOf(member))))
      if (at < 0 && running.size === 0) break
      if (at < 0) {
        await Promise.race(running)
        continue
      }
      const [couple] = waiting.splice(at, 1) as [Couple]
      const sites = couple.map((member) => siteOf(member))
      for (const site of sites) busy.add(site)
      const done = run(couple).finally(() => {
        running.delete(done)
        for (const site of sites) busy.delete(site)
      })
      running.add(done)
    }
    await Promise.all(running)
    signal?.throwIfAborted()
    const reason = `it was not measured within ${within} ms`
    return [...unknown, ...waiting.map(([one, other]) => ({ members: sorted(one.id, other.id), reason }))]
  }

  #keep(pair: Pair): void {
    const key = keyOf(...pair.members)
    this.#known.delete(key)
    this.#known.set(key, pair)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_PAIRS && oldest !== undefined) this.#known.delete(oldest)
  }
}

/** Returns all pairs of members. Pairs of the first members come first. */
export function couplesOf(members: readonly Member[]): Couple[] {
  return members.flatMap((member, at) => members.slice(0, at).map((other): Couple => [other, member]))
}

function sorted(one: string, other: string): [string, string] {
  return one < other ? [one, other] : [other, one]
}

function keyOf(one: string, other: string): string {
  return sorted(one, other).join(' ')
}
