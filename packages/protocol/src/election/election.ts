/**
 * One election: bully-style and non-uniform (JEL §3.2, §5.2), with epochs.
 *
 * A candidacy is a signed fact. Where a live winner is known, it stands. Otherwise, after a completed reconciliation and a time to settle, the
 * candidate with the lowest id claims the next epoch. Claims are ordered by epoch, then by the lower id; merging takes the
 * greater, so all nodes converge; but unlike in the paper's implementation, where the lowest id always took over, nobody claims against
 * a living winner, so a late candidate unseats nobody. When a winner leaves, dies or withdraws, the remaining candidates settle again,
 * unasked, and the next claim carries the proof of that end.
 *
 * A claim counts where no winner lives, so the proof comes first: it ends the reign in the eyes of who had not heard. Else, or when it skips
 * very many epochs, it counts only when several peers have told it, so that one absurd number can't poison an election. The latest claim is
 * kept when its winner is gone: epochs survive a time without candidates. Only the lowest few candidacies are kept and told; a candidate that
 * is not among them stands again when places become free, so an election among thousands costs no more than one among a few.
 */
import type { Milliseconds, NodeId, Reign } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Evidence, type Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { isGreater, provesEnd } from './claim.ts'
import { Confirmations } from './confirmations.ts'
import type { Tenant } from './election-room.ts'

/** A statement, and the fact that it is held as. */
interface Held<Content extends Candidacy | Claim> {
  readonly statement: Statement<Content>
  readonly fact: Fact
}

/** Settling never takes more than so many settle times. Guess. */
const patience = 4

export interface ElectionEvents {
  /** These facts of this node's own must be told to the pool. */
  onOwn(facts: readonly Fact[]): void
  /** A claim proves an end that this node may not know. */
  onEvidence(evidence: Evidence): void
  /** Nothing is certain before a reconciliation: look around. */
  onUnsure(): void
  /** Others stand or reign than before. */
  onChanged(): void
}

export class Election {
  readonly name: string
  readonly #context: Context
  readonly #events: ElectionEvents
  /** Who made it known. */
  readonly #opener: NodeId
  readonly #candidates = new Map<NodeId, Held<Candidacy>>()
  /** Told too seldom yet to count. */
  readonly #unconfirmed: Confirmations
  #claim: Held<Claim> | undefined
  /** This node's own candidacy. */
  #mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined
  #settledAt: Milliseconds = 0
  /** When the current wait began: candidates that trickle in can't put off a claim for ever. */
  #unsettledSince: Milliseconds | undefined
  /** What the application heard last. */
  #announced: string | undefined

  constructor(context: Context, events: ElectionEvents, name: string, opener: NodeId) {
    this.name = name
    this.#context = context
    this.#events = events
    this.#opener = opener
    this.#unconfirmed = new Confirmations(context)
  }

  /** The reign as this node sees it now; undefined while there is no live winner. */
  get reign(): Reign | undefined {
    if (this.#claim === undefined || !this.#isReigned) return undefined
    const { signer, content } = this.#claim.statement
    const winner = this.#context.view.get(signer)
    return winner === undefined ? undefined : { election: this.name, epoch: content.epoch, winner }
  }

  /** Who keeps it in the room for elections. */
  get tenant(): Tenant {
    const standing = [...this.#candidates].flatMap(([id, { statement }]) => (statement.content.withdrawn ? [] : [id]))
    const supporters = new Set(this.#claim === undefined ? standing : [...standing, this.#claim.statement.signer])
    if (supporters.size === 0) supporters.add(this.#opener)
    return { name: this.name, isOwn: this.#mine !== undefined, isDormant: standing.length === 0 && !this.#isReigned, supporters }
  }

  /** When this node claims it, if nothing comes in between; Infinity: it does not. `reconciledAt`: last. */
  claimsAt(reconciledAt: Milliseconds): Milliseconds {
    const { id, links, config } = this.#context
    if (this.#mine?.standing !== true || this.#isReigned || this.#standing()[0] !== id) return Infinity
    if (this.#nextEpoch > config.limits.counter) return Infinity // nobody takes such a claim
    const isAlone = ![...links.values()].some((link) => link.entered)
    return isAlone || reconciledAt >= this.#mine.since ? this.#settledAt : Infinity
  }

  /** This node wants to be elected. */
  elect(): void {
    if (this.#mine?.standing === true) return
    this.#mine = { standing: true, sequence: (this.#mine?.sequence ?? 0) + 1, since: this.#context.now }
    this.#events.onChanged()
    this.#unsettle(this.#context.config.election.settle)
    this.#declare()
    this.#events.onUnsure()
  }

  /** This node no longer wants to be elected; a reign of its own ends. */
  withdraw(): void {
    if (this.#mine?.standing !== true) return
    this.#mine = { ...this.#mine, standing: false, sequence: this.#mine.sequence + 1 }
    this.#declare()
  }

  /** Puts this node's candidacy forward again, under a new life. */
  renew(): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now
    this.#unsettle(this.#context.config.election.settle)
    this.#declare()
  }

  /** Everything this node knew is gone, but its own candidacy and the epoch: others may remember less. */
  startOver(): void {
    this.#candidates.clear()
    this.#unconfirmed.clear()
    if (this.#claim !== undefined) this.#context.facts.put(this.#claim.fact)
  }

  /** Gives up its facts. */
  forget(): void {
    for (const { fact } of this.#candidates.values()) this.#context.facts.delete(fact)
    if (this.#claim !== undefined) this.#context.facts.delete(this.#claim.fact)
  }

  /** Is this candidacy of a living member news? */
  wantsCandidacy({ signer, content }: Statement<Candidacy>): boolean {
    const present = this.#candidates.get(signer)?.statement
    if (present !== undefined) return present.content.incarnation < content.incarnation || present.content.sequence < content.sequence
    return this.#isWinner(signer) || this.#hasPlace(signer)
  }

  wantsClaim(statement: Statement<Claim>): boolean {
    return this.#claim === undefined || isGreater(statement, this.#claim.statement)
  }

  /** Takes in a verified candidacy that is wanted. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact {
    const { facts, config } = this.#context
    this.#events.onChanged()
    const fact = facts.put(factOf({ statement }))
    this.#candidates.set(statement.signer, { statement, fact })
    if (statement.content.withdrawn && this.#isWinner(statement.signer)) this.#reignEnded()
    else if (!this.#isReigned) this.#unsettle(config.election.settle)
    this.#evict()
    this.#fill()
    return fact
  }

  /** Takes in a verified claim that is wanted, with the proof that it carries, told by `from`. */
  mergeClaim(statement: Statement<Claim>, because: Evidence | undefined, from: NodeId | undefined): Fact | undefined {
    const { config, codec } = this.#context
    const { content, signer } = statement
    if (because !== undefined && content.ended !== undefined && provesEnd(because, content, codec)) this.#events.onEvidence(because)
    const known = this.#claim?.statement.content.epoch ?? 0
    // Where no winner lives, a claim unseats nobody, though it be some epochs ahead: so it is after a time apart.
    const isPlausible = content.epoch <= known + config.election.epochJump && !this.#isReigned
    if (content.epoch !== known && !isPlausible) {
      const isAbsurd = content.epoch > known + config.election.epochJump
      if (!this.#unconfirmed.tell(`${content.epoch}:${signer}`, from, isAbsurd)) {
        this.#events.onUnsure()
        return undefined
      }
    }
    return this.#accept(statement, because)
  }

  /** A life ended: its candidacy with it, and perhaps a reign. */
  lifeEnded(id: NodeId): void {
    const standing = this.#candidates.get(id)
    if (standing !== undefined) {
      this.#candidates.delete(id)
      this.#context.facts.delete(standing.fact)
      this.#events.onChanged()
    }
    if (this.#isWinner(id)) this.#reignEnded()
    this.#fill()
  }

  /** A member entered: a claim that waited for it may now be told. */
  lifeBegan(id: NodeId): void {
    if (this.#isWinner(id)) this.#announce()
  }

  /** This node's turn has come. */
  claim(): void {
    const { id, view, codec } = this.#context
    const self = view.get(id)
    if (self === undefined) return
    const previous = this.#claim?.statement
    const content: Claim = {
      kind: 'claim',
      election: this.name,
      epoch: this.#nextEpoch,
      incarnation: self.incarnation,
      ended: previous === undefined ? undefined : { winner: previous.signer, incarnation: previous.content.incarnation },
    }
    this.#events.onOwn([this.#accept(codec.sign(id, content), this.#endOfReign())])
  }

  #accept(statement: Statement<Claim>, because: Evidence | undefined): Fact {
    const fact = this.#context.facts.put(factOf({ statement, because }))
    this.#events.onChanged()
    this.#claim = { statement, fact }
    this.#unconfirmed.clear()
    this.#evict()
    this.#unsettledSince = undefined
    if (this.#isReigned) this.#announce()
    else this.#unsettle(this.#context.config.election.resettle)
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

  #reignEnded(): void {
    this.#unsettledSince = undefined
    this.#unsettle(this.#context.config.election.resettle)
    this.#fill()
  }

  /** Candidates settle before the lowest claims. */
  #unsettle(span: Milliseconds): void {
    const { now, config } = this.#context
    this.#unsettledSince ??= now
    this.#settledAt = Math.min(now + span, this.#unsettledSince + config.election.settle * patience)
  }

  /** Signs this node's candidacy as it is now. */
  #declare(): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined || this.#mine === undefined) return
    const { sequence, standing } = this.#mine
    const mine = this.#candidates.get(self.id)?.statement.content
    if (mine !== undefined && mine.incarnation === self.incarnation && mine.sequence === sequence) return
    if (!this.#isWinner(self.id) && mine === undefined && !this.#hasPlace(self.id)) return
    const { incarnation } = self
    const content: Candidacy = { kind: 'candidacy', election: this.name, incarnation, sequence, withdrawn: !standing }
    this.#events.onOwn([this.mergeCandidacy(this.#context.codec.sign(self.id, content))])
  }

  /** Stands again if places became free. */
  #fill(): void {
    const { id, config } = this.#context
    if (this.#mine?.standing !== true || this.#candidates.has(id)) return
    const standing = this.#standing()
    const isLowest = standing[0] === undefined || id < standing[0]
    if (standing.length * 2 < config.election.candidates || isLowest) this.#declare()
  }

  #hasPlace(id: NodeId): boolean {
    const last = this.#lastPlace
    return last === undefined || id < last
  }

  /** Drops who stands above the last place, or withdrew there: what is kept must not hang on what was heard first. */
  #evict(): void {
    const last = this.#lastPlace
    if (last === undefined) return
    for (const [id, { fact }] of this.#candidates) {
      if (id <= last || this.#isWinner(id)) continue
      this.#candidates.delete(id)
      this.#context.facts.delete(fact)
    }
  }

  /** Who stands in the last place; undefined: some are free. */
  get #lastPlace(): NodeId | undefined {
    return this.#standing()[this.#context.config.election.candidates - 1]
  }

  get #nextEpoch(): number {
    return (this.#claim?.statement.content.epoch ?? 0) + 1
  }

  /** Live candidates that did not withdraw, lowest first. */
  #standing(): NodeId[] {
    const ids: NodeId[] = []
    for (const [id, { statement }] of this.#candidates) {
      if (!statement.content.withdrawn && this.#context.view.isAlive(id, statement.content.incarnation)) ids.push(id)
    }
    return ids.sort()
  }

  #isWinner(id: NodeId): boolean {
    return this.#claim?.statement.signer === id
  }

  /** The winner of the claim we hold lives and did not withdraw. */
  get #isReigned(): boolean {
    if (this.#claim === undefined) return false
    const { signer, content } = this.#claim.statement
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    return this.#candidates.get(signer)?.statement.content.withdrawn !== true
  }

  /** What ended the reign that we hold the claim of. */
  #endOfReign(): Evidence | undefined {
    if (this.#claim === undefined) return undefined
    const { signer } = this.#claim.statement
    const withdrawal = this.#candidates.get(signer)?.statement
    if (withdrawal?.content.withdrawn === true) return { statement: withdrawal }
    const fact = this.#context.view.fact(signer)
    if (fact === undefined) return undefined
    return 'certificate' in fact.content ? { certificate: fact.content.certificate } : { statement: fact.content.statement }
  }
}
