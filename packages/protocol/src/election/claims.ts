/**
 * The claims of one election. The greatest claim counts, and decides who reigns.
 *
 * The order of claims is by epoch, then by the lower id. A merge takes the greater claim, so all
 * nodes converge. A claim names the candidacy that won. The reign lasts as long as its winner's
 * life, and as long as that candidacy is the winner's latest. So facts alone end a reign, for good,
 * in any order of arrival. A winner that withdraws and stands again needs a new claim.
 *
 * A claim counts if no winner lives. So a claimer sends the end of the former reign together with
 * the claim. A node that sees a living winner makes the claim wait for the end of the reign, or for
 * several peers that confirm it. A claim with a far higher epoch waits for several peers. So one
 * false number ruins no election. A winner may receive a later claim by a candidate that did not
 * know of its reign. If that claim does not end the reign soon, the winner claims once more, with a
 * higher epoch. So all nodes converge on the winner's claim. The latest claim outlives its winner,
 * so epochs survive a time without candidates.
 */
import type { NodeId, Reign } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Fact } from '../facts/fact.ts'
import type { Claim, Statement } from '../facts/statement.ts'
import { places, type Candidacies } from './candidacies.ts'
import { HeldClaim } from './held-claim.ts'
import { UnconfirmedClaims } from './unconfirmed-claims.ts'
import { ReignConfirmation } from './reign-confirmation.ts'
import { resettle, type Settling } from './settling.ts'

export interface ClaimParts {
  readonly candidacies: Candidacies
  readonly settling: Settling
  /** Called when the winner changed. */
  readonly onChanged: () => void
  /** The latest epoch that this identity knew before it started; 0 for none. */
  readonly stored: number
}

export class Claims {
  /** The claim that counts. */
  readonly held: HeldClaim
  readonly confirmation = new ReignConfirmation()
  readonly #context: Context
  readonly #election: string
  readonly #parts: ClaimParts
  readonly #pending: UnconfirmedClaims
  #wasReigned = false
  /** The last reign of which this node notified the application. */
  #announced: string | undefined

  constructor(context: Context, election: string, parts: ClaimParts) {
    this.#context = context
    this.#election = election
    this.#parts = parts
    this.held = new HeldClaim(context, parts.candidacies)
    this.#pending = new UnconfirmedClaims(context)
  }

  /** The reign as this node sees it; undefined while there is no live winner. */
  get reign(): Reign | undefined {
    return this.held.reignOf(this.#election)
  }

  /** True if somebody reigned at the last review. */
  get wasReigned(): boolean {
    return this.#wasReigned
  }

  /** Returns the epoch of a new reign, if its winner passes over this many candidates. */
  nextEpoch(passedOver: number): number {
    return this.#epochBefore + 1 + passedOver
  }

  /** Takes in a verified claim that is news. `from` sent it; undefined: the topic. */
  merge(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { epoch } = statement.content
    // If no winner lives, a claim unseats nobody. After a partition it may be some epochs ahead.
    const isAbsurd = epoch > this.held.believable
    const isUnseating = this.held.reigns && statement.signer !== this.held.winner
    // After a heal two members may have claimed the same epoch. Such a claim counts only if its
    // signer is or was a member: anybody can make up a key.
    const isEqual = epoch === this.held.epoch && this.#context.view.wasMember(statement.signer)
    if (isEqual || (!isAbsurd && !isUnseating) || this.#pending.confirm(statement, from, isAbsurd)) return this.#accept(statement)
    const isContested = this.held.winner === this.#context.id && this.held.reigns && epoch <= this.held.latestOfOthers
    if (isContested) this.confirmation.contest(statement.signer, this.#context.now)
    this.#context.outcomes.push({ type: 'unsure' })
    return undefined
  }

  /**
   * Claims an epoch for the candidacy of this sequence. For a new reign the epoch is one above the
   * last, plus one for each candidate that this node passes over. To confirm its reign, a winner
   * claims one above the epoch of a rival's later claim.
   */
  claim(sequence: number, passedOver: number): void {
    const { id, view, codec, config } = this.#context
    const self = view.get(id)
    this.confirmation.dueAt = Infinity
    if (self === undefined) return
    const later = this.held.reigns ? this.#pending.greatest(this.held.latestOfOthers) : undefined
    if (this.held.reigns && later === undefined) return
    const epoch = later === undefined ? this.nextEpoch(passedOver) : later.content.epoch + 1
    // Others would count such a claim as a fault, and ban this node.
    if (epoch > config.limits.counter) return
    this.confirmation.outdo(later?.signer)
    const end = this.held.reigns ? undefined : this.held.endOfReign()
    const claim = this.#accept(codec.sign(id, { kind: 'claim', election: this.#election, epoch, incarnation: self.incarnation, sequence }))
    this.#context.outcomes.push({ type: 'announce', facts: end === undefined ? [claim] : [end, claim], isAtOnce: true })
  }

  /** Checks the reign. Call this after any change that may affect it. */
  review(): void {
    const wasReigned = this.#wasReigned
    this.#wasReigned = this.held.reigns
    if (this.#wasReigned) {
      this.#parts.settling.finish()
      this.#announce()
    } else if (wasReigned) {
      this.#parts.settling.finish()
      this.#parts.settling.extend(resettle, this.#context.now)
      const next = this.#pending.greatest(this.held.believable)
      if (next !== undefined) this.#accept(next)
    }
  }

  /**
   * Drops the claims that wait. Keeps the claim that counts, and puts its fact into the fact set
   * again.
   */
  startOver(): void {
    this.#pending.clear()
    this.held.restore()
  }

  #accept(statement: Statement<Claim>): Fact {
    const fact = this.held.hold(statement)
    this.#parts.onChanged()
    this.confirmation.dueAt = Infinity
    this.#pending.settle(statement)
    this.#parts.candidacies.choose(statement.signer)
    if (!this.#wasReigned) this.#parts.settling.extend(resettle, this.#context.now)
    this.review()
    return fact
  }

  #announce(): void {
    const { reign } = this
    if (reign === undefined) return
    const key = `${reign.epoch}:${reign.winner.id}:${reign.winner.incarnation}`
    if (this.#announced === key) return
    this.#announced = key
    this.#context.notify({ type: 'elected', reign })
  }

  /**
   * The last epoch before a new reign. Others refuse a claim that skips too many epochs. So an
   * epoch of an earlier run counts only as far as others believe it, unless this node is alone.
   */
  get #epochBefore(): number {
    const isAlone = ![...this.#context.links.values()].some((link) => link.entered)
    return Math.max(this.held.epoch, Math.min(this.#parts.stored, isAlone ? Infinity : this.held.believable - 2 * places))
  }
}
