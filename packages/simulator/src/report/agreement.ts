import type { NodeId, Reign } from '@jel/protocol'
import { isActive, lives, type Actor } from '../truth/actor.ts'

/** The nodes' views of one election. */
export class Agreement {
  readonly election: string
  readonly #actors: readonly Actor[]
  readonly #hostile: ReadonlySet<NodeId>
  readonly #standing = new Map<number, Reign>()
  /** All reigns that any node was notified of: epoch and life of the winner. */
  readonly reigns = new Set<string>()

  /** `hostile`: members that attack the pool, but may reign. */
  constructor(election: string, actors: readonly Actor[], hostile: ReadonlySet<NodeId>) {
    this.election = election
    this.#hostile = hostile
    this.#actors = actors
  }

  notified(reign: Reign): void {
    this.reigns.add(nameOf(reign))
  }

  /**
   * Returns true if, on each side of a partition, all nodes that run and have a network name the
   * same living winner. At least one such node must exist.
   */
  holds(): boolean {
    const sides = new Set(this.#actors.filter(isActive).map(({ side }) => side))
    this.#standing.clear()
    if (sides.size === 0) return false
    for (const side of sides) {
      if (this.disagreement(side) !== undefined) return false
      const reign = this.#actors.find((actor) => isActive(actor) && actor.side === side)?.node.protocol.reign(this.election)
      if (reign !== undefined) this.#standing.set(side, reign)
    }
    return true
  }

  /** Returns the reign on which all nodes on this side agreed at the last check. */
  standing(side: number): Reign | undefined {
    return this.#standing.get(side)
  }

  /** A text of the present agreement. It changes when the agreement changes. */
  get name(): string {
    return [...this.#standing].map(([side, reign]) => `${side} ${nameOf(reign)}`).join()
  }

  /**
   * Returns a node on this side of a partition that does not name the same living winner as the
   * other nodes, or undefined if all nodes name it.
   */
  disagreement(side: number): { readonly node: number; readonly what: string } | undefined {
    let first: string | undefined
    for (const actor of this.#actors) {
      if (!isActive(actor) || actor.side !== side) continue
      const node = actor.number
      const reign = actor.node.protocol.reign(this.election)
      if (reign === undefined) return { node, what: `it knows no winner of ${this.election}` }
      const name = nameOf(reign)
      if (first === undefined) {
        if (!this.#livesOn(reign.winner.id, side)) return { node, what: `it holds a winner of ${this.election} that is not there` }
        first = name
      } else if (name !== first) return { node, what: `it names another winner of ${this.election} than others (epoch ${reign.epoch})` }
    }
    return undefined
  }

  /** Returns how many different winners the nodes name. */
  winners(): number {
    const winners = new Set<string>()
    for (const actor of this.#actors) {
      const reign = isActive(actor) ? actor.node.protocol.reign(this.election) : undefined
      if (reign !== undefined) winners.add(nameOf(reign))
    }
    return winners.size
  }

  #livesOn(id: NodeId, side: number): boolean {
    return (
      this.#hostile.has(id) || this.#actors.some((actor) => actor.node.id === id && lives(actor) && !actor.silent && actor.side === side)
    )
  }
}

function nameOf({ epoch, winner }: Reign): string {
  return `${epoch} ${winner.id}#${winner.incarnation}`
}
