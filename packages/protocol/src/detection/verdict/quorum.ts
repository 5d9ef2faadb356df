/**
 * The quorum: the number of accusers that make a death.
 *
 * It is four, or the majority of the possible accusers, so that a small remainder of a pool can
 * still pronounce deaths. A member leaves the count when this node missed it directly and through
 * helpers. Accusations by others change no count, or one liar that accuses all would be a majority.
 */
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'

/** Accusers that make a death, if there are enough observers. Design. */
export const mostAccusers = 4

/**
 * Largest pool in which a node accuses without a helper: of two members neither has anybody to ask.
 * Design.
 */
export const smallPool = 2

export interface Accused {
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /** True if this node accuses it. */
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

  /** Returns the accusers that a certified death needs to be believed, out of all members. */
  toBelieve(suspect: NodeId): number {
    const { accused } = this.#parts
    const others = this.#context.view.size - 1 - (this.#parts.isAccused(suspect) ? accused - 1 : accused)
    return majorityOf(others)
  }

  /** Returns the accusers that a certificate needs, out of the suspect's observers. */
  toCertify(suspect: NodeId): number {
    return majorityOf([...this.#parts.observersOf(suspect)].filter((id) => !this.#parts.isAccused(id)).length)
  }
}

function majorityOf(count: number): number {
  return Math.min(mostAccusers, Math.floor(count / 2) + 1, Math.max(count, 1))
}
