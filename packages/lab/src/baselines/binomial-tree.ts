import { floorLog2 } from '@jel/simulator/internals'
import type { PoolEvent } from './event-stream.ts'
import { ArrayMemberList, type MemberList } from './member-list.ts'

/**
 * The binomial broadcast tree of §5.1.3 in an array. Below the root are trees of order 0, 1, 2 and
 * so on. The tree of order k starts at place 2^k - 1. A node of order o has children of order 0 to
 * o - 1. If the node is at place p, its child of order j is at place p + 2^j. A newcomer takes the
 * first free place. The parent of a free place serves its children. All nodes see the same events
 * in the same order, so they have the same tree.
 */
export class BinomialTree implements MemberList {
  readonly #members = new ArrayMemberList()
  readonly #slots: (PoolEvent | undefined)[] = []
  /** The place of each member, by the number of its join. */
  readonly #places: number[] = []
  /** Free places below the length of {@link #slots}, the first free place last. */
  #spares: number[] = []

  get size(): number {
    return this.#members.size
  }

  get list(): readonly PoolEvent[] {
    return this.#members.list
  }

  add(join: PoolEvent): void {
    if (this.#members.has(join)) return
    this.#members.add(join)
    const place = this.#spares.pop() ?? this.#slots.length
    this.#slots[place] = join
    this.#places[join.time] = place
  }

  remove(join: PoolEvent): boolean {
    if (!this.#members.remove(join)) return false
    const place = this.#places[join.time] as number
    this.#slots[place] = undefined
    let at = this.#spares.length
    while (at > 0 && (this.#spares[at - 1] as number) < place) at -= 1
    this.#spares.splice(at, 0, place)
    return true
  }

  has(join: PoolEvent): boolean {
    return this.#members.has(join)
  }

  copy(): BinomialTree {
    const copy = new BinomialTree()
    for (const join of this.list) copy.#members.add(join)
    for (const [place, join] of this.#slots.entries()) {
      copy.#slots.push(join)
      if (join !== undefined) copy.#places[join.time] = place
    }
    copy.#spares = [...this.#spares]
    return copy
  }

  children(of: PoolEvent | undefined): PoolEvent[] {
    const found: PoolEvent[] = []
    if (of === undefined) {
      for (let order = this.#slots.length === 0 ? -1 : floorLog2(this.#slots.length); order >= 0; order--)
        this.#collect(2 ** order - 1, order, found)
    } else if (this.#members.has(of)) {
      const place = this.#places[of.time] as number
      this.#below(place, orderAt(place), found)
    }
    return found
  }

  /** Collects the largest subtree first, because it takes longest. */
  #below(place: number, order: number, found: PoolEvent[]): void {
    for (let child = order - 1; child >= 0; child--) this.#collect(place + 2 ** child, child, found)
  }

  #collect(place: number, order: number, found: PoolEvent[]): void {
    if (place >= this.#slots.length) return
    const join = this.#slots[place]
    if (join === undefined) this.#below(place, order, found)
    else found.push(join)
  }
}

/** Returns the order of the subtree whose top is at this place. */
function orderAt(place: number): number {
  let order = floorLog2(place + 1)
  let top = 2 ** order - 1
  while (top !== place) {
    // Goes to the child whose subtree holds the place: from top + 2^j up to top + 2^(j + 1) - 1.
    order = floorLog2(place - top)
    top += 2 ** order
  }
  return order
}
