/**
 * A page: what one answer carries at most, to a reconciliation or to `Want`.
 *
 * The whole state of a large pool in one turn would fill every buffer on the way. So an answer ends where a page is full, and says what
 * it left out; the next page is asked for when this one has arrived, which is all the back-pressure there needs to be.
 */
import type { Context } from '../context/context.ts'
import type { Link } from '../context/links.ts'
import type { Fact } from '../facts/fact.ts'
import { factBytes } from '../frames/size.ts'

/** Guess: two seconds of a link of 1 Mbit/s, and 30 round trips for 6,000 members with large tags. */
export const pageBytes = 262_144
/** Items listed: what a page of small facts holds, as those beyond would be listed again. 22 KB. */
export const pageItems = 2_048
/** Looking at so many facts costs as much as comparing one range. Measured at 10,000 facts. */
const factsPerRange = 16
/** So many newcomers are told everything at once before they are slowed down: as many as an introducer serves in a second (life/referral.ts). */
const newcomers = 64

export class Page {
  readonly facts: Fact[] = []
  #bytes = 0
  #items = 0
  #work = 0

  /** Room for items that name facts. */
  get room(): number {
    return pageItems - this.#items
  }

  get isFull(): boolean {
    return this.#bytes >= pageBytes || this.room <= 0
  }

  add(fact: Fact): void {
    this.facts.push(fact)
    this.#bytes += factBytes(fact)
  }

  list(items: number): void {
    this.#items += items
  }

  /** Counts what was looked at for it. */
  looked(ranges: number, facts: number): void {
    this.#work += ranges + facts / factsPerRange
  }

  /** Sends the facts. Who asks for more than its share is slowed down. */
  send(context: Context, link: Link, fresh: boolean): void {
    context.charge(link, 'work', this.#work)
    const { bytes } = context.facts
    // A newcomer needs all there is, and somebody whose link broke meanwhile needs it again.
    if (this.#bytes > 0) context.charge(link, 'answers', this.#bytes, { own: 2 * bytes, strangers: newcomers * bytes })
    context.sendFacts(link.peer, this.facts, fresh)
  }
}

/** False for a peer that has asked for far more than its share: it asks again later. */
export function mayAsk(context: Context, link: Link): boolean {
  const { bytes } = context.facts
  return context.charge(link, 'work', 0) && context.charge(link, 'answers', 0, { own: 2 * bytes, strangers: newcomers * bytes })
}
