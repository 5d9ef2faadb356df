import type { NodeId, Reign } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Claim, Statement } from '../facts/statement.ts'
import { places, type Candidacies } from './candidacies.ts'
import { compareClaims } from './statement-order.ts'

/**
 * After a partition a node believes an epoch that exceeds the known one by at most this number.
 * Guess: no partition has a thousand reigns.
 */
const epochJump = 1_000

/** The greatest claim that counts in an election. It outlives the reign of its winner. */
export class HeldClaim {
  readonly #context: Context
  readonly #candidacies: Candidacies
  #claim: Statement<Claim> | undefined

  constructor(context: Context, candidacies: Candidacies) {
    this.#context = context
    this.#candidacies = candidacies
  }

  /** Holds this claim in place of the former one. */
  hold(claim: Statement<Claim>): Fact {
    this.#claim = claim
    return this.#context.facts.put(factOf({ statement: claim }))
  }

  /** Puts the claim's fact into the fact set again. */
  restore(): void {
    if (this.#claim !== undefined) this.#context.facts.put(factOf({ statement: this.#claim }))
  }

  /** Deletes the claim's fact. */
  forget(): void {
    if (this.#claim !== undefined) this.#context.facts.delete(factOf({ statement: this.#claim }))
  }

  isBelow(claim: Statement<Claim>): boolean {
    return this.#claim === undefined || compareClaims(claim, this.#claim) > 0
  }

  get epoch(): number {
    return this.#claim?.content.epoch ?? 0
  }

  /** The greatest epoch that this node believes while no winner lives. */
  get believable(): number {
    return this.epoch + epochJump
  }

  /**
   * The latest epoch that a candidate can claim without news of this reign. Such a candidate may
   * have passed over all other candidates that have a place.
   */
  get latestOfOthers(): number {
    return this.epoch + places
  }

  /** Signer of the claim. */
  get winner(): NodeId | undefined {
    return this.#claim?.signer
  }

  /** True if the winner lives and the candidacy on which it won is its latest. */
  get reigns(): boolean {
    if (this.#claim === undefined) return false
    const { signer, content } = this.#claim
    return this.#context.view.isAlive(signer, content.incarnation) && !this.#candidacies.haveEnded(this.#claim)
  }

  /** The reign as this node sees it; undefined while there is no live winner. */
  reignOf(election: string): Reign | undefined {
    if (this.#claim === undefined || !this.reigns) return undefined
    const { signer, content } = this.#claim
    const winner = this.#context.view.get(signer)
    return winner === undefined ? undefined : { election, epoch: content.epoch, winner }
  }

  /** Returns the fact that ended the winner's reign. */
  endOfReign(): Fact | undefined {
    if (this.#claim === undefined) return undefined
    const { signer } = this.#claim
    return this.#candidacies.haveEnded(this.#claim) ? this.#candidacies.fact(signer) : this.#context.view.fact(signer)
  }
}
