import { MAX_PLACES, numberOf, ownerOf, placeOf } from './place.ts'

/** Maximum number of different reasons for refusals that are counted. A guess. */
const MOST_REASONS = 16

/** `silent`: it has not answered for a while. `taken`: it has a rank. */
export type CandidateState = 'asked' | 'silent' | 'held' | 'waits' | 'refused' | 'taken'

/**
 * The places that may get a rank, as the starter of the group knows them. Each member gets one rank
 * first. If these ranks are too few, members get a second rank, and so on.
 */
export class Candidates {
  /** The maximum number of ranks. */
  readonly #count: number
  /** The position of each member: the best members come first. */
  readonly #order = new Map<string, number>()
  /** The places that were not asked yet, in their order. */
  #unasked: string[] = []
  /** The state of each place that was asked. */
  readonly #states = new Map<string, CandidateState>()
  /** The number of places for each reason to refuse. */
  readonly #refusals = new Map<string, number>()
  /** The number of locks that failed because of a place. Places with fewer failures come first. */
  readonly #failed = new Map<string, number>()

  constructor(members: readonly string[], count: number) {
    this.#count = count
    this.offer(members)
  }

  /** Adds members, the best first. Members that refused before are asked again. */
  offer(members: readonly string[]): void {
    for (const member of members) if (!this.#order.has(member)) this.#order.set(member, this.#order.size)
    const offered = new Set(members)
    for (const [place, state] of this.#states) if (state === 'refused' && offered.has(ownerOf(place))) this.#states.delete(place)
    this.#add(members.map((each) => this.#firstFree(each)))
  }

  /** Returns the next places to ask, so that `wanted` places are asked or hold. */
  ask(wanted: number): string[] {
    const places: string[] = []
    const { asked, held } = this.counts()
    while (asked + held + places.length < wanted) {
      const [next] = this.#unasked
      // A member gets a second rank only after all other members have answered about their first
      // one.
      if (next === undefined || (numberOf(next) > 0 && this.of('asked').some((each) => numberOf(each) < numberOf(next)))) break
      this.#unasked.shift()
      this.#states.set(next, 'asked')
      places.push(next)
    }
    return places
  }

  /**
   * A place tells the state of its hold.
   *
   * @param places the number of ranks that fit into the whole capacity of the member
   */
  holds(place: string, state: 'held' | 'waits', places: number): void {
    const former = this.#states.get(place)
    // A message of a member may arrive after the news of its death.
    if (former === undefined || former === 'refused' || former === 'taken') return
    this.#states.set(place, state)
    this.#add(Array.from({ length: Math.min(places, this.#count, MAX_PLACES) }, (_, at) => placeOf(ownerOf(place), at)))
  }

  /**
   * Marks the places that have not answered, so that others are asked as well. They are still
   * candidates.
   */
  silent(): void {
    for (const each of this.of('asked')) this.#states.set(each, 'silent')
  }

  /** A lock failed because of a place. The place tells when it holds again. */
  failedAt(place: string): void {
    this.#failed.set(place, this.failures(place) + 1)
    if (this.#states.get(place) === 'held') this.#states.set(place, 'waits')
  }

  failures(place: string): number {
    return this.#failed.get(place) ?? 0
  }

  drop(place: string, reason: string): void {
    this.#unasked = this.#unasked.filter((each) => each !== place)
    const state = this.#states.get(place)
    if (state === undefined || state === 'refused' || state === 'taken') return
    this.#states.set(place, 'refused')
    const known = this.#refusals.has(reason) || this.#refusals.size < MOST_REASONS ? reason : 'other reasons'
    this.#refusals.set(known, (this.#refusals.get(known) ?? 0) + 1)
  }

  /** A place has a rank: it is no candidate any more. */
  take(place: string): void {
    this.#unasked = this.#unasked.filter((each) => each !== place)
    this.#states.set(place, 'taken')
  }

  /** The lock of a place with a rank has failed. The place tells when it holds again. */
  retry(place: string): void {
    this.#states.set(place, 'waits')
    this.#failed.set(place, this.failures(place) + 1)
  }

  /** The place may get another rank. */
  free(place: string): void {
    this.#states.delete(place)
  }

  /** All places of a member, asked or not. */
  placesOf(member: string): string[] {
    return [...this.#unasked, ...this.#states.keys()].filter((each) => ownerOf(each) === member)
  }

  of(state: CandidateState): string[] {
    return [...this.#states].filter(([, each]) => each === state).map(([place]) => place)
  }

  /** The places that hold, the best first. */
  get held(): string[] {
    return this.#best(this.of('held')).sort((a, b) => this.failures(a) - this.failures(b))
  }

  /** The places that were asked and have not refused. */
  get open(): string[] {
    return [...this.#states].filter(([, state]) => state !== 'refused' && state !== 'taken').map(([place]) => place)
  }

  counts(): Record<CandidateState | 'unasked', number> {
    const counts = { asked: 0, silent: 0, held: 0, waits: 0, refused: 0, taken: 0, unasked: this.#unasked.length }
    for (const state of this.#states.values()) counts[state]++
    return counts
  }

  /** The most frequent reasons of refusals, for a message. */
  get why(): string {
    const reasons = [...this.#refusals].sort(([, a], [, b]) => b - a).slice(0, 4)
    return reasons.length === 0 ? '' : ` (${reasons.map(([reason, count]) => `${count}: ${reason}`).join('; ')})`
  }

  /** The first place of a member that has no rank. */
  #firstFree(member: string): string {
    let number = 0
    while (this.#states.get(placeOf(member, number)) === 'taken') number++
    return placeOf(member, number)
  }

  #add(places: readonly string[]): void {
    const unasked = new Set(this.#unasked)
    const unknown = places.filter((each) => !this.#states.has(each) && !unasked.has(each))
    if (unknown.length > 0) this.#unasked = this.#best([...this.#unasked, ...unknown])
  }

  #best(places: readonly string[]): string[] {
    const orderOf = (each: string): number => this.#order.get(ownerOf(each)) ?? Infinity
    return places.toSorted((a, b) => numberOf(a) - numberOf(b) || orderOf(a) - orderOf(b))
  }
}
