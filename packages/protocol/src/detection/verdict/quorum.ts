/**
 * The quorum: the number of accusers that make a death.
 *
 * It is four, or the majority of the possible accusers if that is less. So the last few members of
 * a pool can still pronounce deaths. A member is no possible accuser once this node accuses it.
 * Accusations by others don't change the count: otherwise one liar that accuses all members would
 * be a majority.
 */
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'

/** Accusers that make a death, if there are enough observers. Design. */
export const mostAccusers = 4

/**
 * Largest pool in which a node accuses without a helper: two members have no third to ask. Design.
 */
export const smallPool = 2

export interface Accused {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /** True if this node accuses the member. */
  isAccused(id: NodeId): boolean
  /** Number of members that this node accuses. */
  readonly accused: number
}

export class Quorum {
  readonly #context: Context
  readonly #parts: Accused

  constructor(context: Context, parts: Accused) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * Returns the number of accusers, out of all members, that this node needs to believe a death.
   */
  toBelieve(suspect: NodeId): number {
    const { accused } = this.#parts
    const others = this.#context.view.size - 1 - (this.#parts.isAccused(suspect) ? accused - 1 : accused)
    return majorityOf(others)
  }

  /** Returns the number of accusers, out of the suspect's observers, that a certificate needs. */
  toCertify(suspect: NodeId): number {
    return majorityOf([...this.#parts.observersOf(suspect)].filter((id) => !this.#parts.isAccused(id)).length)
  }
}

function majorityOf(count: number): number {
  return Math.min(mostAccusers, Math.floor(count / 2) + 1, Math.max(count, 1))
}
