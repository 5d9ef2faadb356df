/**
 * Fair shares of a bounded memory. A node remembers a limited number of elections, and a member
 * that makes up names must not exhaust this memory. The candidates share the memory max-min fairly
 * (Bertsekas and Gallager, Data Networks, §6.5.2). Once the memory is full, a candidate with fewer
 * elections gets a place from a candidate with more. Elections in which this node stands always
 * stay. Of one candidate's elections a node keeps those with the lowest names, so that all nodes
 * keep the same elections.
 */
import type { NodeId } from '../base/values.ts'

/** The properties of an election that decide whether it stays in memory. */
export interface Entry {
  readonly name: string
  /** This node stands in it. */
  readonly isOwn: boolean
  /** Nobody stands or reigns, so the node remembers only the epoch. */
  readonly isDormant: boolean
  /**
   * Standing candidates and the last winner. If there are none, the member that introduced the
   * election.
   */
  readonly supporters: ReadonlySet<NodeId>
}

interface Ranked extends Entry {
  /** Number of elections of the supporter that has the fewest. */
  readonly load: number
}

/** Chooses the election to evict when memory is full. */
export class FairShare {
  readonly #elections = new Map<NodeId, number>()
  /** Elections that this node may evict, in the order of eviction. */
  readonly #ranking: readonly Ranked[]

  constructor(entries: readonly Entry[]) {
    for (const { supporters } of entries) for (const id of supporters) this.#elections.set(id, this.#countOf(id) + 1)
    this.#ranking = entries
      .filter(({ isOwn }) => !isOwn)
      .map((entry) => ({ ...entry, load: this.#leastOf(entry.supporters) }))
      .sort((a, b) => b.load - a.load || Number(b.isDormant) - Number(a.isDormant) || (a.name < b.name ? 1 : -1))
  }

  /** Returns the election to evict when this node itself introduces one. */
  victimForOwn(): string | undefined {
    return this.#ranking[0]?.name
  }

  /**
   * Returns the election to evict in favour of the election that `id` introduces; undefined if
   * there is none.
   */
  victimFor(name: string, id: NodeId): string | undefined {
    const count = this.#countOf(id)
    return this.#ranking.find((entry) => {
      const { load, supporters, isDormant } = entry
      if (!supporters.has(id)) return isDormant ? load > count : load > count + 1
      return supporters.size === 1 && (isDormant || name < entry.name)
    })?.name
  }

  #leastOf(supporters: ReadonlySet<NodeId>): number {
    let least = Infinity
    for (const id of supporters) least = Math.min(least, this.#countOf(id))
    return least
  }

  #countOf(id: NodeId): number {
    return this.#elections.get(id) ?? 0
  }
}
