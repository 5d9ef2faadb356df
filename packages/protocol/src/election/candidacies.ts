/**
 * Candidacies: the latest candidacy of each member in one election, standing or withdrawn.
 *
 * Nodes exchange only some candidacies: the standing and withdrawn ones of the lowest ids, and that
 * of the present winner. So an election among thousands costs no more than one among a few.
 * Exchanged withdrawals keep out older candidacies of the same members. A node keeps other
 * candidacies but does not send them. So the exchanged set depends on the received candidacies and
 * not on their order. Memory is bounded as well, so a node may forget a withdrawal. Then a peer
 * that missed the withdrawal may bring back an older candidacy. The author corrects such a peer
 * (`intake.ts`), and the node keeps the withdrawal again.
 */
import type { NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { compareCandidacies } from './statement-order.ts'

/** Standing candidacies of an election that nodes exchange. Guess. */
export const places = 16
/** Withdrawn candidacies of an election that nodes exchange. Guess. */
export const withdrawals = 32
/**
 * Candidacies of an election that a node keeps, exchanged or not. Guess: a few hundred bytes each.
 */
export const remembered = 128

export class Candidacies {
  readonly #context: Context
  readonly #held = new Map<NodeId, { readonly statement: Statement<Candidacy>; readonly fact: Fact }>()
  /** Cache of {@link standing}. */
  #standing: readonly NodeId[] | undefined

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the latest candidacy of this member. */
  get(id: NodeId): Statement<Candidacy> | undefined {
    return this.#held.get(id)?.statement
  }

  fact(id: NodeId): Fact | undefined {
    return this.#held.get(id)?.fact
  }

  /** Returns the standing candidates, lowest first. */
  standing(): readonly NodeId[] {
    this.#standing ??= [...this.#held].flatMap(([id, { statement }]) => (statement.content.withdrawn ? [] : [id])).sort()
    return this.#standing
  }

  /** True if nodes would exchange a standing candidacy of this id. */
  hasPlace(id: NodeId): boolean {
    const last = this.standing()[places - 1]
    return last === undefined || id < last
  }

  /** True if this claim's winner withdrew the candidacy on which it won, or stood again later. */
  haveEnded({ signer, content }: Statement<Claim>): boolean {
    const latest = this.get(signer)?.content
    if (latest?.incarnation !== content.incarnation) return false
    return latest.sequence > content.sequence || (latest.sequence === content.sequence && latest.withdrawn)
  }

  isNews(statement: Statement<Candidacy>): boolean {
    const present = this.get(statement.signer)
    return present === undefined || compareCandidacies(statement, present) > 0
  }

  /** Takes in a candidacy that is news. Call {@link choose} next. */
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

  /**
   * Chooses, after a change, the candidacies to exchange and to keep. `winner` signed the held
   * claim.
   */
  choose(winner: NodeId | undefined): void {
    const { facts, id: self } = this.#context
    const others: NodeId[] = []
    let standing = 0
    let withdrawn = 0
    for (const [id, { statement, fact }] of [...this.#held].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const isSent = (statement.content.withdrawn ? ++withdrawn <= withdrawals : ++standing <= places) || id === winner
      if (isSent && !facts.isSent(fact)) facts.put(fact)
      else if (!isSent) facts.delete(fact)
      if (!isSent && id !== self) others.push(id)
    }
    if (this.#held.size > remembered) this.#standing = undefined
    while (this.#held.size > remembered) this.#held.delete(others.pop() as NodeId)
  }
}
