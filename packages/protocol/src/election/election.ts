/**
 * One election: bully-style and non-uniform (JEL §3.2, §5.2), with epochs. The lowest id wins.
 * Nodes may disagree for a while.
 *
 * A candidacy is a signed fact. A known live winner stays. Otherwise the candidate with the lowest
 * id claims the next epoch, after a completed reconciliation and a time to settle. Claims are
 * ordered by epoch, then by the lower id. Merging takes the greater claim, so all nodes converge.
 * In the paper's implementation the lowest id always took over. Here nobody claims against a living
 * winner, so a late candidate unseats nobody. When a winner leaves, dies or withdraws, the
 * remaining candidates settle again by themselves. A silent lowest candidate is passed over. The
 * next candidate claims a higher epoch than the silent candidate could claim.
 *
 * A claim names the candidacy that won. The reign lasts as long as its winner's life, and as long
 * as that candidacy is the winner's latest. So facts alone end a reign, for good, in any order of
 * arrival. A winner that withdraws and stands again needs a new claim.
 *
 * A claim counts if no winner lives. So a claimer sends the end of the former reign together with
 * the claim. A node that sees a living winner makes the claim wait for the end of the reign, or for
 * several peers. A claim with a far higher epoch waits for several peers. So one false number ruins
 * no election. A winner may receive a later claim by a candidate that did not know of its reign. If
 * that claim does not end the reign soon, the winner claims once more, with a higher epoch. So all
 * nodes converge on the winner's claim. The latest claim outlives its winner, so epochs survive a
 * time without candidates.
 */
import type { Milliseconds, NodeId, Reign } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { Candidacies, places } from './candidacies.ts'
import { ReignConfirmation, turn } from './reign-confirmation.ts'
import type { Entry } from './eviction.ts'
import { HeldClaim } from './held-claim.ts'
import { PendingClaims } from './pending-claims.ts'
import { resettle, settle, Settling } from './settling.ts'

export interface ElectionParts {
  /** Called when candidates or the winner changed. */
  readonly onChanged: () => void
  /** The member that introduced the election. */
  readonly opener: NodeId
  /** The latest epoch that this identity knew before it started; 0 for none. */
  readonly stored: number
}

export class Election {
  readonly name: string
  readonly #context: Context
  readonly #onChanged: () => void
  readonly #opener: NodeId
  readonly #stored: number
  readonly #candidacies: Candidacies
  readonly #pending: PendingClaims
  readonly #held: HeldClaim
  readonly #settling = new Settling()
  readonly #confirmation = new ReignConfirmation()
  /** True if the winner of the held claim reigned at the last review. */
  #wasReigned = false
  /** This node's own candidacy. Only a reconciliation after `since` shows who reigns. */
  #mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined
  /** The last reign that the application was notified of. */
  #announced: string | undefined

  constructor(context: Context, name: string, { onChanged, opener, stored }: ElectionParts) {
    this.name = name
    this.#context = context
    this.#onChanged = onChanged
    this.#opener = opener
    this.#stored = stored
    this.#candidacies = new Candidacies(context)
    this.#held = new HeldClaim(context, this.#candidacies)
    this.#pending = new PendingClaims(context)
  }

  /** The reign as this node sees it; undefined while there is no live winner. */
  get reign(): Reign | undefined {
    return this.#held.reignOf(this.name)
  }

  /** This node is a candidate. */
  get isStanding(): boolean {
    return this.#mine?.standing === true
  }

  /** Sequence of this node's last candidacy. */
  get sequence(): number {
    return this.#mine?.sequence ?? 0
  }

  /** The properties that decide whether this election stays in memory. */
  get entry(): Entry {
    // Candidates above the lowest 16 are not sent, so nodes know different ones.
    const standing = this.#candidacies.standing().slice(0, places)
    const supporters = new Set(this.#held.winner === undefined ? standing : [...standing, this.#held.winner])
    if (supporters.size === 0) supporters.add(this.#opener)
    return { name: this.name, isOwn: this.isStanding, isDormant: standing.length === 0 && !this.#held.reigns, supporters }
  }

  /**
   * Returns the time when this node claims; Infinity if it has no reason to. A candidate claims if
   * nobody reigns and it has reconciled: the lowest candidate when the settle time ends, each next
   * one a `turn` later. A reigning node claims only to confirm its reign. `reconciledAt`: time of
   * the last reconciliation.
   */
  claimsAt(reconciledAt: Milliseconds): Milliseconds {
    const { links, config, isUnintroduced } = this.#context
    if (this.#mine?.standing !== true || isUnintroduced) return Infinity
    if (this.#held.reigns) return this.#held.winner === this.#context.id ? this.#confirmation.dueAt : Infinity
    const rank = this.#rank
    // Nobody accepts a claim of a non-candidate, or of an epoch beyond the limit.
    if (rank < 0 || this.#epochBefore + 1 + rank > config.limits.counter) return Infinity
    const isAlone = rank === 0 && ![...links.values()].some((link) => link.entered)
    const since = rank === 0 ? this.#mine.since : Math.max(this.#mine.since, this.#settling.endsAt)
    // There is no peer to reconcile with. After a long sleep `since` is in the future, to give
    // other members time to come back.
    if (isAlone) return Math.max(this.#settling.endsAt, this.#mine.since)
    return reconciledAt >= since ? this.#settling.endsAt + rank * turn : Infinity
  }

  /** Makes this node a candidate. The new candidacy gets a sequence above `after`. */
  elect(after: number): void {
    if (this.#mine?.standing === true) return
    this.#mine = { standing: true, sequence: Math.max(this.sequence, after) + 1, since: this.#context.now }
    this.#onChanged()
    this.#settling.finish()
    this.#settling.extend(settle, this.#context.now)
    this.#declare()
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /** Ends this node's candidacy, and with it a reign of its own. */
  withdraw(): void {
    if (this.#mine?.standing !== true) return
    this.#mine = { ...this.#mine, standing: false, sequence: this.#mine.sequence + 1 }
    this.#declare()
  }

  /**
   * Declares that this node does not stand, since others remember that it did. The declaration gets
   * a sequence above `after`.
   */
  disown(after: number): void {
    if (this.#mine?.standing === true || this.sequence > after) return
    this.#mine = { standing: false, sequence: after + 1, since: this.#context.now }
    this.#declare()
  }

  /** Renews this node's candidacy under a new life. The node may claim after `after` ms. */
  renew(after: Milliseconds): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + after
    this.#settling.extend(settle, this.#context.now)
    this.#declare()
  }

  /**
   * Handles a stall of this process. Another candidate may reign by now, and the messages in the
   * sockets are old. So this node reconciles before it claims.
   */
  stalled(): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + settle
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /**
   * Drops all knowledge but this node's own candidacy and the last claim with its epoch. After a
   * long sleep the other members may have forgotten the rest.
   */
  startOver(): void {
    this.#candidacies.clear()
    this.#pending.clear()
    this.#held.restore()
  }

  /** Drops the facts of this election. */
  forget(): void {
    this.#candidacies.clear()
    this.#held.forget()
  }

  /** A peer sent this node's own candidacy. Returns the newer one if the peer's is old. */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const mine = this.#candidacies.fact(this.#context.id)
    return mine === undefined || this.#candidacies.isNews(statement) || mine.equals(factOf({ statement })) ? undefined : mine
  }

  /** True if this candidacy of a living member is news. */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    return this.#candidacies.isNews(statement)
  }

  wantsClaim(statement: Statement<Claim>): boolean {
    return this.#held.isBelow(statement)
  }

  /** Takes in a verified candidacy that is wanted. Returns it if others should receive it. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    const fact = this.#candidacies.put(statement)
    this.#candidacies.choose(this.#held.winner)
    this.#onChanged()
    const isSent = this.#context.facts.isSent(fact)
    if (isSent && !this.#wasReigned) this.#settling.extend(settle, this.#context.now)
    this.#review()
    this.#fill()
    return isSent || statement.content.withdrawn ? fact : undefined
  }

  /** Takes in a verified claim that is wanted. `from` sent it; undefined: the topic. */
  mergeClaim(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { epoch } = statement.content
    // If no winner lives, a claim unseats nobody. After a partition it may be some epochs ahead.
    const isAbsurd = epoch > this.#held.believable
    const isUnseating = this.#held.reigns && statement.signer !== this.#held.winner
    // After a heal two members may have claimed the same epoch. Such a claim counts, unless its
    // signer was never a member: anybody can make up a key.
    const isEqual = epoch === this.#held.epoch && this.#context.view.wasMember(statement.signer)
    if (isEqual || (!isAbsurd && !isUnseating) || this.#pending.confirm(statement, from, isAbsurd)) return this.#accept(statement)
    const isContested = this.#held.winner === this.#context.id && this.#held.reigns && epoch <= this.#held.latestOfOthers
    if (isContested) this.#confirmation.contest(statement.signer, this.#context.now)
    this.#context.outcomes.push({ type: 'unsure' })
    return undefined
  }

  /** Ends the candidacy of an ended life, and perhaps its reign. */
  lifeEnded(id: NodeId): void {
    if (this.#candidacies.get(id) !== undefined) {
      this.#candidacies.delete(id)
      this.#candidacies.choose(this.#held.winner)
      this.#onChanged()
    }
    this.#review()
    this.#fill()
  }

  /** Handles the join of a member. If it is the winner, its reign may be announced now. */
  lifeBegan(id: NodeId): void {
    if (id === this.#held.winner) this.#review()
  }

  /**
   * Claims an epoch. For a new reign the epoch is one above the last, plus one for each candidate
   * that is passed over. To confirm its reign, a winner claims one above the epoch of a rival's
   * later claim.
   */
  claim(): void {
    const { id, view, codec } = this.#context
    const self = view.get(id)
    this.#confirmation.dueAt = Infinity
    if (self === undefined || this.#mine === undefined) return
    const later = this.#held.reigns ? this.#pending.greatest(this.#held.latestOfOthers) : undefined
    if (this.#held.reigns && later === undefined) return
    this.#confirmation.outdo(later?.signer)
    const end = this.#held.reigns ? undefined : this.#held.endOfReign()
    const epoch = (later?.content.epoch ?? this.#epochBefore + this.#rank) + 1
    const { sequence } = this.#mine
    const claim = this.#accept(codec.sign(id, { kind: 'claim', election: this.name, epoch, incarnation: self.incarnation, sequence }))
    this.#context.outcomes.push({ type: 'announce', facts: end === undefined ? [claim] : [end, claim], isAtOnce: true })
  }

  #accept(statement: Statement<Claim>): Fact {
    const fact = this.#held.hold(statement)
    this.#onChanged()
    this.#confirmation.dueAt = Infinity
    this.#pending.settle(statement)
    this.#candidacies.choose(statement.signer)
    if (!this.#wasReigned) this.#settling.extend(resettle, this.#context.now)
    this.#review()
    return fact
  }

  /** Checks the reign. Call this after any change that may affect it. */
  #review(): void {
    const wasReigned = this.#wasReigned
    this.#wasReigned = this.#held.reigns
    if (this.#wasReigned) {
      this.#settling.finish()
      this.#announce()
    } else if (wasReigned) {
      this.#settling.finish()
      this.#settling.extend(resettle, this.#context.now)
      const next = this.#pending.greatest(this.#held.believable)
      if (next !== undefined) this.#accept(next)
    }
  }

  #announce(): void {
    const { reign } = this
    if (reign === undefined) return
    const key = `${reign.epoch}:${reign.winner.id}:${reign.winner.incarnation}`
    if (this.#announced === key) return
    this.#announced = key
    this.#context.notify({ type: 'elected', reign })
  }

  /** Signs this node's present candidacy, unless it would not be exchanged. */
  #declare(): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined || this.#mine === undefined) return
    const { sequence, standing } = this.#mine
    const { id, incarnation } = self
    const before = this.#candidacies.get(id)?.content
    if (before === undefined && id !== this.#held.winner && !this.#candidacies.hasPlace(id)) return
    if (before?.incarnation === incarnation && before.sequence === sequence) return
    const content: Candidacy = { kind: 'candidacy', election: this.name, incarnation, sequence, withdrawn: !standing }
    this.mergeCandidacy(this.#context.codec.sign(id, content))
    this.#context.outcomes.push({ type: 'announce', facts: [this.#candidacies.fact(id) as Fact] })
  }

  /** Declares this node's candidacy if places became free. */
  #fill(): void {
    const { id } = this.#context
    if (this.#mine?.standing !== true || this.#candidacies.get(id) !== undefined) return
    const standing = this.#candidacies.standing()
    const isLowest = standing[0] === undefined || id < standing[0]
    if (standing.length * 2 < places || isLowest) this.#declare()
  }

  /**
   * The last epoch before a new reign. Others refuse a claim that skips too many epochs. So an
   * epoch that was stored before the start counts only up to that bound, unless this node is alone.
   */
  get #epochBefore(): number {
    const isAlone = ![...this.#context.links.values()].some((link) => link.entered)
    return Math.max(this.#held.epoch, Math.min(this.#stored, isAlone ? Infinity : this.#held.believable - 2 * places))
  }

  /** Number of candidates with a lower id; -1 if this node does not stand. */
  get #rank(): number {
    return this.#candidacies.standing().indexOf(this.#context.id)
  }
}
