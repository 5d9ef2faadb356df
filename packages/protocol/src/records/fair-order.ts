/**
 * Which records make way when there are too many: a total order that is max-min fair over owners (Bertsekas and Gallager, Data Networks, §6.5.2).
 *
 * Each owner's records have ranks, the first by an order of them is 1: that of their keys' positions, or another that is the same everywhere. All first ranks come before all second ones, and within a rank
 * owners come in the order of their hashes. Of that order as many are kept as there is room for. What is left out of a set of records is left out of each larger one,
 * too, as more records move ranks up only: so whatever comes first, all nodes keep the same, and reconciliation rests.
 */
import { hash52 } from '../base/hash.ts'
import type { NodeId } from '../base/io.ts'
import type { Fact } from '../facts/fact.ts'

interface Owned {
  readonly hash: number
  /** In their order. */
  readonly facts: Fact[]
}

/** Whether one of an owner's records is kept rather than another. */
type IsBefore = (a: Fact, b: Fact) => boolean

export class FairOrder {
  readonly #owners = new Map<NodeId, Owned>()
  readonly #isBefore: IsBefore
  #size = 0

  /** Default: in the order of positions, then keys. */
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

  /** The one that makes way first; undefined where there is none. */
  last(): Fact | undefined {
    let last: Owned | undefined
    for (const owned of this.#owners.values()) {
      const more = owned.facts.length - (last?.facts.length ?? 0)
      if (more > 0 || (more === 0 && owned.hash > (last?.hash ?? 0))) last = owned
    }
    return last?.facts.at(-1)
  }

  /** Those of one owner. */
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
