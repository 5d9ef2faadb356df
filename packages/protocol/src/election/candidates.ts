/**
 * Candidates: the latest candidacy of each member in one election, standing or withdrawn.
 *
 * Only a few are told: the lowest that stand, so that an election among thousands costs no more than one among a few; the lowest that withdrew, so that
 * their older candidacies don't come back; and the one that a reign hangs on. The others are remembered in silence, so what is told is a function
 * of all that was heard, whatever came first. Memory is bounded, too. What falls out of it may come back as an older candidacy, from who missed
 * the withdrawal: its own author corrects whoever tells it so (`intake.ts`), and that is remembered again.
 */
import type { NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { compareCandidacies } from './order.ts'

/** Candidates that are told of in an election. Guess. */
export const places = 16
/** Withdrawn candidacies that are told. Guess. */
export const withdrawals = 32
/** Candidacies that are remembered of an election, told or not. Guess: a few hundred bytes each. */
export const remembered = 128

export class Candidates {
  readonly #context: Context
  readonly #held = new Map<NodeId, { readonly statement: Statement<Candidacy>; readonly fact: Fact }>()
  /** See {@link standing}; undefined: to be found again. */
  #standing: readonly NodeId[] | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** The latest candidacy of this member. */
  get(id: NodeId): Statement<Candidacy> | undefined {
    return this.#held.get(id)?.statement
  }

  fact(id: NodeId): Fact | undefined {
    return this.#held.get(id)?.fact
  }

  /** Who stands, lowest first. */
  standing(): readonly NodeId[] {
    this.#standing ??= [...this.#held].flatMap(([id, { statement }]) => (statement.content.withdrawn ? [] : [id])).sort()
    return this.#standing
  }

  /** Would somebody with this id be told of, if it stood? */
  hasPlace(id: NodeId): boolean {
    const last = this.standing()[places - 1]
    return last === undefined || id < last
  }

  /** Has this claim's winner withdrawn the candidacy on which it won, or put forward a later one? */
  haveEnded({ signer, content }: Statement<Claim>): boolean {
    const latest = this.get(signer)?.content
    if (latest?.incarnation !== content.incarnation) return false
    return latest.sequence > content.sequence || (latest.sequence === content.sequence && latest.withdrawn)
  }

  isNews(statement: Statement<Candidacy>): boolean {
    const present = this.get(statement.signer)
    return present === undefined || compareCandidacies(statement, present) > 0
  }

  /** Takes in one that is news. To be followed by {@link tell}. */
  put(statement: Statement<Candidacy>): Fact {
    const fact = this.#context.facts.put(factOf({ statement }))
    this.#held.set(statement.signer, { statement, fact })
    this.#standing = undefined
    return fact
  }

  delete(id: NodeId): void {
    const fact = this.fact(id)
    if (fact !== undefined) this.#context.facts.delete(fact)
    this.#held.delete(id)
    this.#standing = undefined
  }

  clear(): void {
    for (const id of this.#held.keys()) this.delete(id)
  }

  /** Settles what is told, and remembered, after a change. `winner`: whose claim is held. */
  tell(winner: NodeId | undefined): void {
    const { facts, id: self } = this.#context
    const untold: NodeId[] = []
    let standing = 0
    let withdrawn = 0
    for (const [id, { statement, fact }] of [...this.#held].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isTold = (statement.content.withdrawn ? ++withdrawn <= withdrawals : ++standing <= places) || id === winner
      if (isTold && !facts.isTold(fact)) facts.put(fact)
      else if (!isTold) facts.delete(fact)
      if (!isTold && id !== self) untold.push(id)
    }
    if (this.#held.size > remembered) this.#standing = undefined
    while (this.#held.size > remembered) this.#held.delete(untold.pop() as NodeId)
  }
}
