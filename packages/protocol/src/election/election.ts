/**
 * One election: bully-style and non-uniform (JEL §3.2, §5.2), with epochs.
 *
 * A candidacy is a signed fact. A known live winner stays. Otherwise the candidate with the lowest
 * id claims the next epoch, after a completed reconciliation and a time to settle. Claims are
 * ordered by epoch, then by the lower id. Merging takes the greater, so all nodes converge. In the
 * paper's implementation the lowest id always took over. Here nobody claims against a living
 * winner, so a late candidate unseats nobody. When a winner leaves, dies or withdraws, the
 * remaining candidates settle again by themselves. A silent lowest candidate is passed over. The
 * next one claims the epoch after the one that the silent candidate would claim.
 *
 * A claim names the candidacy on which it was won. The reign holds as long as its winner's life
 * lasts and that candidacy is the winner's latest. So facts alone end a reign, for good, in any
 * order of arrival. A winner that withdraws and stands again needs a new claim.
 *
 * A claim counts where no winner lives. So a claimer sends the end of the former reign together
 * with the claim. If this node still sees the winner, or if the claim skips very many epochs, it
 * waits for that end, or for several peers to confirm it, so that one absurd number can't poison an
 * election. A winner may receive a later claim by a candidate that did not know of its reign. If
 * that claim does not end the reign soon, the winner claims once more, with a higher epoch. So all
 * nodes converge on the winner's claim. The latest claim outlives its winner, so epochs survive a
 * time without candidates.
 */
import type { Milliseconds, NodeId, Reign } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { Candidates, places } from './candidates.ts'
import type { Entry } from './eviction.ts'
import { compareClaims } from './order.ts'
import { PendingClaims } from './pending-claims.ts'

/**
 * Wait after the last new candidacy before the lowest candidate claims, ms. Guess: two gossip hops
 * over a wide area.
 */
export const settle = 400
/**
 * Such a wait after the end of a reign, when the candidates are known already, ms. Target:
 * detection + 0.5 s.
 */
export const resettle = 200
/** Longest total wait, so that late candidates can't delay a claim for ever, ms. Guess. */
const settleMax = 1_600
/**
 * A candidate that does not claim for this long in its turn is passed over, ms. Guess: a
 * reconciliation whose peer is gone ends after this.
 */
export const turn = 5_000
/** Longest wait before a winner outdoes the same rival again, ms. Guess. */
const turnMax = 80_000
/**
 * Epochs beyond the known one that are believable after a partition. Guess: a reign ends a thousand
 * times in no partition.
 */
const epochJump = 1_000

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
  readonly #candidates: Candidates
  readonly #pending: PendingClaims
  /** The greatest claim that counts. */
  #claim: Statement<Claim> | undefined
  /** True if its winner reigned at the last review. */
  #wasReigned = false
  /** This node's own candidacy. Only a reconciliation after `since` shows who reigns. */
  #mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined
  #settledAt: Milliseconds = 0
  /** Time when this node, the winner, claims again, above a later claim that did not unseat it. */
  #confirmAt: Milliseconds = Infinity
  /** Author of the claim that this node outdid last. */
  #rival: NodeId | undefined
  /**
   * How often in a row this node outdid that rival, for an exponential backoff. Otherwise two sides
   * of a heal would outdo each other for ever (docs/decisions/0030).
   */
  #outdone = 0
  /** Start of the current wait. */
  #unsettledSince: Milliseconds | undefined
  /** The last reign that the application was notified of. */
  #announced: string | undefined

  constructor(context: Context, name: string, { onChanged, opener, stored }: ElectionParts) {
    this.name = name
    this.#context = context
    this.#onChanged = onChanged
    this.#opener = opener
    this.#stored = stored
    this.#candidates = new Candidates(context)
    this.#pending = new PendingClaims(context)
  }

  /** The reign as this node sees it; undefined while there is no live winner. */
  get reign(): Reign | undefined {
    if (this.#claim === undefined || !this.#isReigned) return undefined
    const { signer, content } = this.#claim
    const winner = this.#context.view.get(signer)
    return winner === undefined ? undefined : { election: this.name, epoch: content.epoch, winner }
  }

  /** This node is a candidate. */
  get isStanding(): boolean {
    return this.#mine?.standing === true
  }

  /** Sequence of this node's last candidacy. */
  get sequence(): number {
    return this.#mine?.sequence ?? 0
  }

  /** The properties that decide about this election's place in memory. */
  get entry(): Entry {
    // Only some nodes know of candidates without a place.
    const standing = this.#candidates.standing().slice(0, places)
    const supporters = new Set(this.#winner === undefined ? standing : [...standing, this.#winner])
    if (supporters.size === 0) supporters.add(this.#opener)
    return { name: this.name, isOwn: this.isStanding, isDormant: standing.length === 0 && !this.#isReigned, supporters }
  }

  /**
   * Returns the time when this node claims, if nothing intervenes; Infinity for never.
   * `reconciledAt`: time of the last reconciliation.
   */
  claimsAt(reconciledAt: Milliseconds): Milliseconds {
    const { links, config, isUnintroduced } = this.#context
    if (this.#mine?.standing !== true || isUnintroduced) return Infinity
    if (this.#isReigned) return this.#winner === this.#context.id ? this.#confirmAt : Infinity
    const rank = this.#rank
    // Nobody accepts a claim of a non-candidate, or of an epoch beyond the limit.
    if (rank < 0 || this.#epochBefore + 1 + rank > config.limits.counter) return Infinity
    const isAlone = rank === 0 && ![...links.values()].some((link) => link.entered)
    const since = rank === 0 ? this.#mine.since : Math.max(this.#mine.since, this.#settledAt)
    // No peer is there to reconcile with. After a long sleep `since` gives others time to come
    // back.
    if (isAlone) return Math.max(this.#settledAt, this.#mine.since)
    return reconciledAt >= since ? this.#settledAt + rank * turn : Infinity
  }

  /** Makes this node a candidate. `after`: the new candidacy has a higher sequence than this. */
  elect(after: number): void {
    if (this.#mine?.standing === true) return
    this.#mine = { standing: true, sequence: Math.max(this.sequence, after) + 1, since: this.#context.now }
    this.#onChanged()
    this.#unsettledSince = undefined
    this.#unsettle(settle)
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
   * Declares that this node does not stand, since others remember that it did. `after`: the
   * declaration has a higher sequence than this.
   */
  disown(after: number): void {
    if (this.#mine?.standing === true || this.sequence > after) return
    this.#mine = { standing: false, sequence: after + 1, since: this.#context.now }
    this.#declare()
  }

  /** Renews this node's candidacy under a new life. `after`: wait before it may claim, ms. */
  renew(after: Milliseconds): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + after
    this.#unsettle(settle)
    this.#declare()
  }

  /**
   * Handles a stall of this process. Others may reign, and the messages in its sockets are old, so
   * it reconciles before it claims.
   */
  stalled(): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + settle
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /**
   * Drops all knowledge but this node's own candidacy and the epoch, since others may remember
   * less.
   */
  startOver(): void {
    this.#candidates.clear()
    this.#pending.clear()
    if (this.#claim !== undefined) this.#context.facts.put(factOf({ statement: this.#claim }))
  }

  /** Drops the facts of this election. */
  forget(): void {
    this.#candidates.clear()
    if (this.#claim !== undefined) this.#context.facts.delete(factOf({ statement: this.#claim }))
  }

  /**
   * Takes an own statement from a peer. Returns this node's last candidacy if that one is older.
   */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const mine = this.#candidates.fact(this.#context.id)
    return mine === undefined || this.#candidates.isNews(statement) || mine.equals(factOf({ statement })) ? undefined : mine
  }

  /** True if this candidacy of a living member is news. */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    return this.#candidates.isNews(statement)
  }

  wantsClaim(statement: Statement<Claim>): boolean {
    return this.#claim === undefined || compareClaims(statement, this.#claim) > 0
  }

  /** Takes in a verified candidacy that is wanted. Returns it if others should receive it. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    const fact = this.#candidates.put(statement)
    this.#candidates.tell(this.#winner)
    this.#onChanged()
    const isTold = this.#context.facts.isTold(fact)
    if (isTold && !this.#wasReigned) this.#unsettle(settle)
    this.#review()
    this.#fill()
    return isTold || statement.content.withdrawn ? fact : undefined
  }

  /** Takes in a verified claim that is wanted, sent by `from`. */
  mergeClaim(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { epoch } = statement.content
    // Where no winner lives, a claim unseats nobody, even if it is some epochs ahead, as after a
    // partition.
    const isAbsurd = epoch > this.#epoch + epochJump
    const isUnseating = this.#isReigned && statement.signer !== this.#winner
    // After a heal two members may have claimed the same epoch. A claimer that never was a member
    // made its key up.
    const isEqual = epoch === this.#epoch && this.#context.view.wasMember(statement.signer)
    if (isEqual || (!isAbsurd && !isUnseating) || this.#pending.tell(statement, from, isAbsurd)) return this.#accept(statement)
    const isContested = this.#winner === this.#context.id && this.#isReigned && epoch <= this.#latestOfOthers
    const wait = statement.signer === this.#rival ? Math.min(turn * 2 ** this.#outdone, turnMax) : turn
    if (isContested) this.#confirmAt = Math.min(this.#confirmAt, this.#context.now + wait)
    this.#context.outcomes.push({ type: 'unsure' })
    return undefined
  }

  /** Ends the candidacy of an ended life, and perhaps its reign. */
  lifeEnded(id: NodeId): void {
    if (this.#candidates.get(id) !== undefined) {
      this.#candidates.delete(id)
      this.#candidates.tell(this.#winner)
      this.#onChanged()
    }
    this.#review()
    this.#fill()
  }

  /** Handles the join of a member. A claim that waited for it may be announced. */
  lifeBegan(id: NodeId): void {
    if (id === this.#winner) this.#review()
  }

  /** Claims, since this node's turn has come or its reign needs a confirmation. */
  claim(): void {
    const { id, view, codec } = this.#context
    const self = view.get(id)
    this.#confirmAt = Infinity
    if (self === undefined || this.#mine === undefined) return
    const later = this.#isReigned ? this.#pending.greatest(this.#latestOfOthers) : undefined
    if (this.#isReigned && later === undefined) return
    this.#outdone = later !== undefined && later.signer === this.#rival ? this.#outdone + 1 : 1
    this.#rival = later?.signer
    const end = this.#isReigned ? undefined : this.#endOfReign()
    const epoch = (later?.content.epoch ?? this.#epochBefore + this.#rank) + 1
    const { sequence } = this.#mine
    const claim = this.#accept(codec.sign(id, { kind: 'claim', election: this.name, epoch, incarnation: self.incarnation, sequence }))
    this.#context.outcomes.push({ type: 'announce', facts: end === undefined ? [claim] : [end, claim], isAtOnce: true })
  }

  #accept(statement: Statement<Claim>): Fact {
    const fact = this.#context.facts.put(factOf({ statement }))
    this.#onChanged()
    this.#claim = statement
    this.#confirmAt = Infinity
    this.#pending.settle(statement)
    this.#candidates.tell(statement.signer)
    if (!this.#wasReigned) this.#unsettle(resettle)
    this.#review()
    return fact
  }

  /** Checks the reign. Call this after any change that may affect it. */
  #review(): void {
    const wasReigned = this.#wasReigned
    this.#wasReigned = this.#isReigned
    if (this.#wasReigned) {
      this.#unsettledSince = undefined
      this.#announce()
    } else if (wasReigned) {
      this.#unsettledSince = undefined
      this.#unsettle(resettle)
      const next = this.#pending.greatest(this.#epoch + epochJump)
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

  /** Starts or extends the wait for candidates before the lowest claims. */
  #unsettle(span: Milliseconds): void {
    const { now } = this.#context
    this.#unsettledSince ??= now
    this.#settledAt = Math.min(now + span, this.#unsettledSince + settleMax)
  }

  /** Signs this node's present candidacy, unless there is no place for it. */
  #declare(): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined || this.#mine === undefined) return
    const { sequence, standing } = this.#mine
    const { id, incarnation } = self
    const before = this.#candidates.get(id)?.content
    if (before === undefined && id !== this.#winner && !this.#candidates.hasPlace(id)) return
    if (before?.incarnation === incarnation && before.sequence === sequence) return
    const content: Candidacy = { kind: 'candidacy', election: this.name, incarnation, sequence, withdrawn: !standing }
    this.mergeCandidacy(this.#context.codec.sign(id, content))
    this.#context.outcomes.push({ type: 'announce', facts: [this.#candidates.fact(id) as Fact] })
  }

  /** Stands again if places became free. */
  #fill(): void {
    const { id } = this.#context
    if (this.#mine?.standing !== true || this.#candidates.get(id) !== undefined) return
    const standing = this.#candidates.standing()
    const isLowest = standing[0] === undefined || id < standing[0]
    if (standing.length * 2 < places || isLowest) this.#declare()
  }

  /** The epoch of the held claim. */
  get #epoch(): number {
    return this.#claim?.content.epoch ?? 0
  }

  /**
   * The epoch above which this node claims after a time without a reign. Others refuse a claim that
   * skips too many epochs. So an epoch that was stored before the start counts only up to that
   * bound.
   */
  get #epochBefore(): number {
    const isAlone = ![...this.#context.links.values()].some((link) => link.entered)
    return Math.max(this.#epoch, Math.min(this.#stored, isAlone ? Infinity : this.#epoch + epochJump - 2 * places))
  }

  /**
   * The latest epoch that a candidate without knowledge of this reign can claim. As many candidates
   * as have a place may have been passed over.
   */
  get #latestOfOthers(): number {
    return this.#epoch + places
  }

  /** Number of candidates before this node; -1: it does not stand. */
  get #rank(): number {
    return this.#candidates.standing().indexOf(this.#context.id)
  }

  /** Signer of the held claim. */
  get #winner(): NodeId | undefined {
    return this.#claim?.signer
  }

  /** The winner lives, and its winning candidacy is its latest. */
  get #isReigned(): boolean {
    if (this.#claim === undefined) return false
    const { signer, content } = this.#claim
    return this.#context.view.isAlive(signer, content.incarnation) && !this.#candidates.haveEnded(this.#claim)
  }

  /** Returns the fact that ended the reign of the held claim. */
  #endOfReign(): Fact | undefined {
    if (this.#claim === undefined) return undefined
    const { signer } = this.#claim
    return this.#candidates.haveEnded(this.#claim) ? this.#candidates.fact(signer) : this.#context.view.fact(signer)
  }
}
