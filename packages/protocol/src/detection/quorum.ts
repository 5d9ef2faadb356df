/**
 * The quorum: how many accusers make a death.
 *
 * Four, or the majority of those who could accuse, so that a small remainder of a pool can still pronounce deaths. A member leaves the count when this node
 * missed it directly and through helpers; that others accuse it makes no difference, or one liar who accuses all would be a majority.
 */
import type { NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'

/** Accusers that make a death, where there are enough observers. Design. */
export const mostAccusers = 4

/** In a pool of at most so many a node accuses without a helper: of two members neither has anybody to ask. Design. */
export const smallPool = 2

export interface Accused {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /** This node accuses it. */
  isAccused(id: NodeId): boolean
  /** How many members this node accuses. */
  readonly accused: number
}

export class Quorum {
  readonly #context: Context
  readonly #parts: Accused

  constructor(context: Context, parts: Accused) {
    this.#context = context
    this.#parts = parts
  }

  /** To believe a death that others certified: of all members. */
  toBelieve(suspect: NodeId): number {
    const { accused } = this.#parts
    const others = this.#context.view.size - 1 - (this.#parts.isAccused(suspect) ? accused - 1 : accused)
    return majorityOf(others)
  }

  /** To certify a death: of the suspect's observers. */
  toCertify(suspect: NodeId): number {
    return majorityOf([...this.#parts.observersOf(suspect)].filter((id) => !this.#parts.isAccused(id)).length)
  }
}

function majorityOf(count: number): number {
  return Math.min(mostAccusers, Math.floor(count / 2) + 1, Math.max(count, 1))
}
