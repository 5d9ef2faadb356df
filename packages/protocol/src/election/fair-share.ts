/**
 * Fair shares of a bounded memory: a node remembers so many elections, and whoever makes names up must not use that up. It is shared max-min
 * fairly among those who stand (Bertsekas and Gallager, Data Networks, §6.5.2): once it is full, who has fewer elections gets one
 * from who has more. Those in which this node stands always stay. Of the names of one candidate the lowest are kept, so that all nodes keep the same.
 */
import type { NodeId } from '../base/io.ts'

/** One election, as far as its place in memory goes. */
export interface Entry {
  readonly name: string
  /** This node stands in it. */
  readonly isOwn: boolean
  /** Nobody stands or reigns any more: only the epoch is remembered. */
  readonly isDormant: boolean
  /** Who stands, who reigned last, or who made it known. */
  readonly supporters: ReadonlySet<NodeId>
}

interface Ranked extends Entry {
  /** How many elections the least greedy of its supporters has. */
  readonly load: number
}

/** Which election makes way when memory is full. */
export class FairShare {
  readonly #elections = new Map<NodeId, number>()
  /** Those that may have to go, the first one first. */
  readonly #ranking: readonly Ranked[]

  constructor(entries: readonly Entry[]) {
    for (const { supporters } of entries) for (const id of supporters) this.#elections.set(id, this.#countOf(id) + 1)
    this.#ranking = entries
      .filter(({ isOwn }) => !isOwn)
      .map((entry) => ({ ...entry, load: this.#leastOf(entry.supporters) }))
      .sort((a, b) => b.load - a.load || Number(b.isDormant) - Number(a.isDormant) || (a.name < b.name ? 1 : -1))
  }

  /** The election that goes when this node itself wants one more. */
  victimForOwn(): string | undefined {
    return this.#ranking[0]?.name
  }

  /** The election that goes for one that `id` makes known; undefined: none does. */
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
