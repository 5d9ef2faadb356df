import { UnknownMemberError, type Pool } from '@jel/jel'
import * as v from 'valibot'
import type { Milliseconds } from '../core/calendar.ts'
import { InvalidRequestError } from '../errors.ts'
import type { Lease } from '../lease.ts'
import type { PatternOptions, Selection } from '../select.ts'
import { couplesOf, Pairs, type Measure, type Pair, type UnknownPair } from './pairs.ts'
import type { Pattern } from './placement.ts'
import { Prober } from './prober.ts'
import { selectForPattern } from './select-pattern.ts'

/** The default time to measure the pairs of a selection, ms. A guess. */
const MEASURE_TIME: Milliseconds = 30_000

const placeOptions = v.object({
  count: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  pattern: v.union([v.picklist(['ring', 'all', 'star']), v.array(v.tuple([v.number(), v.number()]))]),
  timeout: v.pipe(v.number(), v.minValue(0)),
})

/** A selection by a pattern, with its defaults. */
export interface PlaceOptions {
  readonly count: number
  readonly pattern: Pattern
  readonly timeout: Milliseconds
}

/** @throws InvalidRequestError */
export function placeOptionsOf({ count, pattern, timeout = MEASURE_TIME, nearest }: PatternOptions): PlaceOptions {
  const options = { count, pattern, timeout }
  if (nearest === true || !v.is(placeOptions, options))
    throw new InvalidRequestError('pattern: must be ring, all, star or pairs of positions, with a count, and without nearest')
  return options
}

/**
 * The pairs of members whose figures this member has asked for, and the protocol to measure them.
 */
export class Measurements {
  readonly #pool: Pool
  readonly #pairs = new Pairs()
  readonly #prober: Prober
  readonly #measure: Measure
  readonly #end: AbortSignal

  /**
   * @param lease leases the probe token of a manager
   * @param end ends all measurements
   */
  constructor(pool: Pool, lease: (manager: string) => Promise<Lease>, end: AbortSignal) {
    this.#pool = pool
    this.#end = end
    this.#prober = new Prober(pool, lease)
    this.#measure = async (from, to, within) => await this.#prober.measure(from, to, within, end)
  }

  async start(): Promise<void> {
    await this.#prober.start(this.#end)
  }

  /** @throws UnknownMemberError; the reason of the signal */
  async measure(
    ids: ReadonlySet<string>,
    { timeout = MEASURE_TIME, signal }: { readonly timeout?: Milliseconds; readonly signal?: AbortSignal },
  ): Promise<{ readonly pairs: readonly Pair[]; readonly unknown: readonly UnknownPair[] }> {
    const { self } = this.#pool
    // The first member of a pair measures. This member comes first, since it needs no message to
    // itself.
    const known = [self, ...this.#pool.members().filter(({ id }) => id !== self.id)].filter(({ id }) => ids.has(id))
    const missing = [...ids].find((id) => known.every((member) => member.id !== id))
    if (missing !== undefined) throw new UnknownMemberError(missing)
    const couples = couplesOf(known)
    const unknown = await this.#pairs.measure(couples, this.#measure, timeout, signal)
    const without = new Set(unknown.map(({ members }) => members.join(' ')))
    const found = couples.flatMap(([one, other]) => this.#pairs.get(one.id, other.id) ?? [])
    const pairs = found.filter(({ members }) => !without.has(members.join(' ')))
    return { pairs, unknown }
  }

  /** @throws UnknownPairError; InvalidRequestError; the reason of the signal */
  async place(selection: Selection, { count, pattern, timeout }: PlaceOptions, signal?: AbortSignal): Promise<Selection> {
    return await selectForPattern(selection, { count, pattern, within: timeout, signal }, this.#pairs, this.#measure)
  }
}
