/**
 * A page: the most that one answer to a reconciliation or to a `Want` carries.
 *
 * The whole state of a large pool in one answer would fill every buffer on the way. So an answer
 * ends when its page is full, and describes the rest. The peer requests the next page when this
 * page has arrived. This back-pressure suffices.
 */
import type { Context } from '../context/context.ts'
import type { Link } from '../context/links.ts'
import type { Fact } from '../facts/fact.ts'
import { factBytes } from '../frames/encoded-size.ts'

/**
 * Bytes of a page. Guess: two seconds of a link of 1 Mbit/s, and 30 round trips for 6,000 members
 * with large tags.
 */
export const pageBytes = 262_144
/**
 * The largest number of items that one page lists, 22 KB. About as many small facts fit in a page.
 * The answer to one list has no room for more facts. So the node would have to list any further
 * items again with the next page.
 */
export const pageItems = 2_048
/** Reading this many facts costs as much as comparing one range. Measured at 10,000 facts. */
export const factsPerRange = 16
/**
 * This many newcomers get the whole state at once before the node slows them down. An introducer
 * serves as many in a second (life/redirection.ts).
 */
const newcomers = 64

export class Page {
  readonly facts: Fact[] = []
  #bytes = 0
  #items = 0
  #work = 0

  /** Number of items for which the page still has room. */
  get room(): number {
    return pageItems - this.#items
  }

  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#items === 0
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

  /** Counts the work for this page. */
  looked(ranges: number, facts: number): void {
    this.#work += ranges + facts / factsPerRange
  }

  /**
   * Sends the facts, and charges the peer. The charge slows down a peer that requests more than its
   * share.
   */
  send(context: Context, link: Link, fresh: boolean): void {
    context.charge(link, 'work', this.#work)
    const { bytes } = context.facts.ranges
    // A newcomer needs the whole state, and a second time if its link broke meanwhile.
    if (this.#bytes > 0) context.charge(link, 'answers', this.#bytes, { own: 2 * bytes, strangers: newcomers * bytes })
    context.sendFacts(link.peer, this.facts, fresh)
  }
}

/** False for a peer that requested far more than its share. The peer asks again later. */
export function mayAsk(context: Context, link: Link): boolean {
  const { bytes } = context.facts.ranges
  return context.charge(link, 'work', 0) && context.charge(link, 'answers', 0, { own: 2 * bytes, strangers: newcomers * bytes })
}
