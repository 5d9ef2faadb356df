/**
 * The eviction order of records: a total order that is max-min fair over owners (Bertsekas and
 * Gallager, Data Networks, §6.5.2).
 *
 * Each owner's records have ranks from 1. The ranks follow the positions of the keys, or another
 * order that is the same at all nodes. All first ranks come before all second ranks. Within a rank
 * owners come in the order of their hashes. A node keeps the first records of this order, as many
 * as fit. If a record has no room in a set, it has none in a larger set: more records only move it
 * back. So all nodes keep the same records in any order of arrival, and reconciliation comes to
 * rest.
 */
import { hash52 } from '../base/hash.ts'
import type { NodeId } from '../base/values.ts'
import type { Fact } from '../facts/fact.ts'

interface Owned {
  readonly hash: number
  /** In the owner's order. */
  readonly facts: Fact[]
}

/** True if the first of one owner's records comes before the second in the owner's order. */
type IsBefore = (a: Fact, b: Fact) => boolean

export class FairOrder {
  readonly #owners = new Map<NodeId, Owned>()
  readonly #isBefore: IsBefore
  #size = 0

  /** Default order: by positions, then keys. */
  constructor(isBefore: IsBefore = isBeforeByPosition) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#size
  }

  facts(): Fact[] {
    return [...this.#owners.values()].flatMap(({ facts }) => facts)
  }

  add(fact: Fact): void {
    const owned = this.#owners.get(fact.author) ?? { hash: hash52(fact.author), facts: [] }
    this.#owners.set(fact.author, owned)
    owned.facts.splice(this.#placeIn(owned.facts, fact), 0, fact)
    this.#size += 1
  }

  remove(fact: Fact): void {
    const owned = this.#owners.get(fact.author)
    const place = owned?.facts.findIndex(({ key }) => key === fact.key) ?? -1
    if (owned === undefined || place < 0) return
    owned.facts.splice(place, 1)
    this.#size -= 1
    if (owned.facts.length === 0) this.#owners.delete(fact.author)
  }

  /** Returns the record to evict first; undefined for none. */
  last(): Fact | undefined {
    let last: Owned | undefined
    for (const owned of this.#owners.values()) {
      const more = owned.facts.length - (last?.facts.length ?? 0)
      if (more > 0 || (more === 0 && owned.hash > (last?.hash ?? 0))) last = owned
    }
    return last?.facts.at(-1)
  }

  /** Returns the records of one owner. */
  of(owner: NodeId): readonly Fact[] {
    return this.#owners.get(owner)?.facts ?? []
  }

  #placeIn(facts: readonly Fact[], fact: Fact): number {
    let [from, to] = [0, facts.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.#isBefore(facts[middle] as Fact, fact)) from = middle + 1
      else to = middle
    }
    return from
  }
}

function isBeforeByPosition(a: Fact, b: Fact): boolean {
  return a.position < b.position || (a.position === b.position && a.key < b.key)
}
