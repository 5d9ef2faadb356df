/**
 * One election: bully-style and non-uniform (JEL §3.2, §5.2), with epochs.
 *
 * A candidacy is a signed fact. Where a live winner is known, it stands. Otherwise, after a completed reconciliation and a time to settle, the
 * candidate with the lowest id claims the next epoch. Claims are ordered by epoch, then by the lower id; merging takes the
 * greater, so all nodes converge; but unlike in the paper's implementation, where the lowest id always took over, nobody claims against
 * a living winner, so a late candidate unseats nobody. When a winner leaves, dies or withdraws, the remaining candidates settle again,
 * unasked. A lowest candidate that says nothing is passed over: the next one claims an epoch that it can't reach any more.
 *
 * A claim names the candidacy on which it was won, and the reign holds as long as its winner's life lasts and that candidacy is the winner's
 * latest. So facts alone end a reign, for good, in whatever order they come: who withdraws and stands again needs a new claim.
 *
 * A claim counts where no winner lives, so who claims tells the end of the reign before together with it. Where this node still sees the winner, or
 * when it skips very many epochs, it waits for that end, or for several peers to tell it, so that one absurd number can't poison an election.
 * A winner that hears of a later claim of somebody who did not know of it, and is not unseated soon, claims once more, above that: so who believes either
 * comes to believe the same.
 * The latest claim is kept when its winner is gone: epochs survive a time without candidates.
 */
import type { Milliseconds, NodeId, Reign } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { Candidates, places } from './candidates.ts'
import type { Entry } from './fair-share.ts'
import { compareClaims } from './order.ts'
import { PendingClaims } from './pending-claims.ts'

/** Candidates settle this long after the last news of one before the lowest claims, ms. Guess: two gossip hops over a wide area. */
export const settle = 400
/** After the end of a reign the candidates are known already: they settle this long, ms. Target: detection + 0.5 s. */
export const resettle = 200
/** Settling takes no longer than this: candidates that trickle in can't put off a claim for ever, ms. Guess. */
const settleMax = 1_600
/** A candidate that did not claim for so long after its turn came is passed over, ms. Guess: a reconciliation whose peer is gone ends after this. */
export const turn = 5_000
/** The longest wait before a winner outdoes the same rival again, ms. Guess. */
const turnMax = 80_000
/** So many more than the known epoch are believable after a time apart. Guess: a reign ends a thousand times in no partition. */
const epochJump = 1_000

export interface ElectionParts {
  /** Others stand or reign than before. */
  readonly onChanged: () => void
  /** Who made it known. */
  readonly opener: NodeId
  /** The latest epoch that this identity knew before it started; 0: none. */
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
  /** The greatest that counts. */
  #claim: Statement<Claim> | undefined
  /** Its winner reigned when this was looked at last. */
  #wasReigned = false
  /** This node's own candidacy. `since`: only a reconciliation after this tells who reigns. */
  #mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined
  #settledAt: Milliseconds = 0
  /** When this node, the winner, claims again, above a later claim that did not unseat it. */
  #confirmAt: Milliseconds = Infinity
  /** Whose claim it outdid last. */
  #rival: NodeId | undefined
  /** How often in a row: exponential backoff, or two sides of a heal outdo each other for ever (0030). */
  #outdone = 0
  /** When the current wait began. */
  #unsettledSince: Milliseconds | undefined
  /** What the application heard last. */
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

  /** The reign as this node sees it now; undefined while there is no live winner. */
  get reign(): Reign | undefined {
    if (this.#claim === undefined || !this.#isReigned) return undefined
    const { signer, content } = this.#claim
    const winner = this.#context.view.get(signer)
    return winner === undefined ? undefined : { election: this.name, epoch: content.epoch, winner }
  }

  /** This node wants to be elected. */
  get isStanding(): boolean {
    return this.#mine?.standing === true
  }

  /** Of this node's last word. */
  get sequence(): number {
    return this.#mine?.sequence ?? 0
  }

  /** Who makes this node remember it. */
  get entry(): Entry {
    // Of the others only some nodes know.
    const standing = this.#candidates.standing().slice(0, places)
    const supporters = new Set(this.#winner === undefined ? standing : [...standing, this.#winner])
    if (supporters.size === 0) supporters.add(this.#opener)
    return { name: this.name, isOwn: this.isStanding, isDormant: standing.length === 0 && !this.#isReigned, supporters }
  }

  /** When this node claims it, if nothing comes in between; Infinity: it does not. `reconciledAt`: last. */
  claimsAt(reconciledAt: Milliseconds): Milliseconds {
    const { links, config, isUnintroduced } = this.#context
    if (this.#mine?.standing !== true || isUnintroduced) return Infinity
    if (this.#isReigned) return this.#winner === this.#context.id ? this.#confirmAt : Infinity
    const rank = this.#rank
    if (rank < 0 || this.#epochBefore + 1 + rank > config.limits.counter) return Infinity // nobody takes such a claim
    const isAlone = rank === 0 && ![...links.values()].some((link) => link.entered)
    const since = rank === 0 ? this.#mine.since : Math.max(this.#mine.since, this.#settledAt)
    // Nobody is there to reconcile with: after a long sleep others get as long to come back.
    if (isAlone) return Math.max(this.#settledAt, this.#mine.since)
    return reconciledAt >= since ? this.#settledAt + rank * turn : Infinity
  }

  /** This node wants to be elected. `after`: its last word has a higher sequence than this. */
  elect(after: number): void {
    if (this.#mine?.standing === true) return
    this.#mine = { standing: true, sequence: Math.max(this.sequence, after) + 1, since: this.#context.now }
    this.#onChanged()
    this.#unsettledSince = undefined
    this.#unsettle(settle)
    this.#declare()
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /** This node no longer wants to be elected; a reign of its own ends. */
  withdraw(): void {
    if (this.#mine?.standing !== true) return
    this.#mine = { ...this.#mine, standing: false, sequence: this.#mine.sequence + 1 }
    this.#declare()
  }

  /** This node does not stand, though others remember that it did: its last word has a higher sequence than this. */
  disown(after: number): void {
    if (this.#mine?.standing === true || this.sequence > after) return
    this.#mine = { standing: false, sequence: after + 1, since: this.#context.now }
    this.#declare()
  }

  /** Puts this node's candidacy forward again, under a new life. `after`: it looks around for so long before it claims, ms. */
  renew(after: Milliseconds): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + after
    this.#unsettle(settle)
    this.#declare()
  }

  /** This process stood still: others may reign by now, and what waits in its sockets is old, so it looks around before it claims. */
  stalled(): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + settle
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /** Everything this node knew is gone, but its own candidacy and the epoch: others may remember less. */
  startOver(): void {
    this.#candidates.clear()
    this.#pending.clear()
    if (this.#claim !== undefined) this.#context.facts.put(factOf({ statement: this.#claim }))
  }

  /** Gives up its facts. */
  forget(): void {
    this.#candidates.clear()
    if (this.#claim !== undefined) this.#context.facts.delete(factOf({ statement: this.#claim }))
  }

  /** What this node itself said last, if this older word of its own is still told. */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const mine = this.#candidates.fact(this.#context.id)
    return mine === undefined || this.#candidates.isNews(statement) || mine.equals(factOf({ statement })) ? undefined : mine
  }

  /** Is this candidacy of a living member news? */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    return this.#candidates.isNews(statement)
  }

  wantsClaim(statement: Statement<Claim>): boolean {
    return this.#claim === undefined || compareClaims(statement, this.#claim) > 0
  }

  /** Takes in a verified candidacy that is wanted, and returns it if others should hear of it. */
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

  /** Takes in a verified claim that is wanted, told by `from`. */
  mergeClaim(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { epoch } = statement.content
    // Where no winner lives, a claim unseats nobody, though it be some epochs ahead: so it is after a time apart.
    const isAbsurd = epoch > this.#epoch + epochJump
    const isUnseating = this.#isReigned && statement.signer !== this.#winner
    // Equal epochs meet after a heal, and members claimed them. A made-up key was no member anywhere.
    const isEqual = epoch === this.#epoch && this.#context.view.wasMember(statement.signer)
    if (isEqual || (!isAbsurd && !isUnseating) || this.#pending.tell(statement, from, isAbsurd)) return this.#accept(statement)
    const isContested = this.#winner === this.#context.id && this.#isReigned && epoch <= this.#latestOfOthers
    const wait = statement.signer === this.#rival ? Math.min(turn * 2 ** this.#outdone, turnMax) : turn
    if (isContested) this.#confirmAt = Math.min(this.#confirmAt, this.#context.now + wait)
    this.#context.outcomes.push({ type: 'unsure' })
    return undefined
  }

  /** A life ended: its candidacy with it, and perhaps a reign. */
  lifeEnded(id: NodeId): void {
    if (this.#candidates.get(id) !== undefined) {
      this.#candidates.delete(id)
      this.#candidates.tell(this.#winner)
      this.#onChanged()
    }
    this.#review()
    this.#fill()
  }

  /** A member entered: a claim that waited for it may now be told. */
  lifeBegan(id: NodeId): void {
    if (id === this.#winner) this.#review()
  }

  /** This node's turn has come, or its reign is to be confirmed. */
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

  /** To be called when anything changed that a reign hangs on. */
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

  /** Candidates settle before the lowest claims. */
  #unsettle(span: Milliseconds): void {
    const { now } = this.#context
    this.#unsettledSince ??= now
    this.#settledAt = Math.min(now + span, this.#unsettledSince + settleMax)
  }

  /** Signs this node's candidacy as it is now, unless there is no place for it. */
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

  /** The epoch of the claim that is held. */
  get #epoch(): number {
    return this.#claim?.content.epoch ?? 0
  }

  /**
   * What this node claims above, after a time without a reign. Others, who may remember less, must believe it, so of what it remembers from before it started only so
   * much counts as is not absurd to them.
   */
  get #epochBefore(): number {
    const isAlone = ![...this.#context.links.values()].some((link) => link.entered)
    return Math.max(this.#epoch, Math.min(this.#stored, isAlone ? Infinity : this.#epoch + epochJump - 2 * places))
  }

  /** The latest epoch that a candidate can claim that does not know of this reign: as many as have a place may have been passed over. */
  get #latestOfOthers(): number {
    return this.#epoch + places
  }

  /** How many candidates come before this node; -1: it does not stand. */
  get #rank(): number {
    return this.#candidates.standing().indexOf(this.#context.id)
  }

  /** Who signed the claim that is held. */
  get #winner(): NodeId | undefined {
    return this.#claim?.signer
  }

  /** The winner lives, and stands as it did when it won. */
  get #isReigned(): boolean {
    if (this.#claim === undefined) return false
    const { signer, content } = this.#claim
    return this.#context.view.isAlive(signer, content.incarnation) && !this.#candidates.haveEnded(this.#claim)
  }

  /** What ended the reign of the claim that is held. */
  #endOfReign(): Fact | undefined {
    if (this.#claim === undefined) return undefined
    const { signer } = this.#claim
    return this.#candidates.haveEnded(this.#claim) ? this.#candidates.fact(signer) : this.#context.view.fact(signer)
  }
}
