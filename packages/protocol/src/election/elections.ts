/**
 * The elections that this node knows, by name. Each runs by itself (`election.ts`). Together they
 * share a bounded memory (`fair-share.ts`), since anybody can make up names.
 */
import { earliest } from '../base/earliest.ts'
import type { Milliseconds, NodeId, Reign } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import type { Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { Election } from './election.ts'
import { FairShare } from './fair-share.ts'

export class Elections implements Timed {
  readonly #context: Context
  readonly #stored: ReadonlyMap<string, number>
  readonly #elections = new Map<string, Election>()
  /** Cached shares of memory; undefined after a change. */
  #sharing: FairShare | undefined
  /**
   * The highest sequence of this node's candidacies in evicted elections. Other members may
   * remember such a candidacy.
   */
  #forgotten = 0
  #reconciledAt: Milliseconds = -Infinity

  /** `stored`: the latest epochs that this identity knew before it started. */
  constructor(context: Context, stored: ReadonlyMap<string, number> = new Map()) {
    this.#context = context
    this.#stored = stored
  }

  /** Returns the reign as this node sees it; undefined while there is no live winner. */
  reign(name: string): Reign | undefined {
    return this.#elections.get(name)?.claims.reign
  }

  /** Returns the latest epoch of each known election. An epoch outlives its winner. */
  epochs(): ReadonlyMap<string, number> {
    return new Map([...this.#elections].flatMap(([name, { claims }]) => (claims.held.epoch > 0 ? [[name, claims.held.epoch]] : [])))
  }

  /** Makes this node a candidate. */
  elect(name: string): void {
    const election = this.#open(name, this.#context.id)
    if (election === undefined) this.#warnFull(name)
    else election.elect(this.#forgotten)
    this.schedule()
  }

  /** True if this node is a candidate. */
  stands(name: string): boolean {
    return this.#elections.get(name)?.isStanding === true
  }

  /** Ends this node's candidacy, and with it a reign of its own. */
  withdraw(name: string): void {
    this.#elections.get(name)?.withdraw()
    this.schedule()
  }

  /** Renews this node's candidacies under a new life. The node may claim after `after` ms. */
  renew(after: Milliseconds = 0): void {
    for (const election of this.#elections.values()) election.renew(after)
    this.schedule()
  }

  /** Drops all knowledge but this node's own candidacies and the last claim of each election. */
  startOver(): void {
    for (const election of this.#elections.values()) election.startOver()
    this.#sharing = undefined
    this.schedule()
  }

  /** Handles a stall of this process, in which others may have come to reign. */
  stalled(): void {
    for (const election of this.#elections.values()) election.stalled()
    this.schedule()
  }

  reconciled(): void {
    this.#reconciledAt = this.#context.now
    this.schedule()
  }

  /** True if this candidacy is worth a check of its signature. */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    const { signer, content } = statement
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    return this.#elections.get(content.election)?.wantsCandidacy(statement) ?? this.#hasRoom(content.election, signer)
  }

  /** Takes in a verified candidacy. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    if (!this.wantsCandidacy(statement)) return undefined
    const fact = this.#open(statement.content.election, statement.signer)?.mergeCandidacy(statement)
    this.schedule()
    return fact
  }

  /**
   * A peer sent this node's own candidacy. Returns the newer one, for the peer, if the peer's is
   * old.
   */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const { election, withdrawn, sequence } = statement.content
    const known = this.#elections.get(election)
    if (known === undefined && !withdrawn) this.#disown(election, sequence)
    return known?.correction(statement)
  }

  /** True if this claim is worth a check of its signature. */
  wantsClaim(statement: Statement<Claim>): boolean {
    const { signer, content } = statement
    return this.#elections.get(content.election)?.claims.held.isBelow(statement) ?? this.#hasRoom(content.election, signer)
  }

  /** Takes in a verified claim that `from` sent. */
  mergeClaim(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { signer, content } = statement
    // The winner's joined-statement must come first. A node that lacks the statement gets the claim
    // again later.
    if (!this.wantsClaim(statement) || !this.#context.view.knows(signer)) return undefined
    const fact = this.#open(content.election, signer)?.claims.merge(statement, from)
    // Others may have missed a withdrawal of this node, and this node may have forgotten it.
    if (this.#context.view.isAlive(signer, content.incarnation) && signer === this.#context.id && !this.stands(content.election))
      this.#disown(content.election, content.sequence)
    this.schedule()
    return fact
  }

  /** Declares that this node does not stand, with a sequence above the given one. */
  #disown(name: string, sequence: number): void {
    this.#forgotten = Math.max(this.#forgotten, sequence)
    this.#open(name, this.#context.id)?.disown(this.#forgotten)
  }

  /** Ends the candidacies of an ended life, and perhaps its reign. */
  lifeEnded(id: NodeId): void {
    for (const election of this.#elections.values()) election.lifeEnded(id)
    this.schedule()
  }

  /** Handles the join of a member. If it is a winner, this node may now announce its reign. */
  lifeBegan(id: NodeId): void {
    for (const election of this.#elections.values()) election.lifeBegan(id)
    this.schedule()
  }

  due(): void {
    const { now } = this.#context
    for (const election of this.#elections.values()) if (now >= election.claimsAt(this.#reconciledAt)) election.claim()
    this.schedule()
  }

  /**
   * Sets the timer to this node's next claim in any election. Call this when a link ends, or when
   * this node goes on alone: a candidate without links claims without a reconciliation.
   */
  schedule(): void {
    if (this.#elections.size === 0) return
    this.#context.timers.set(
      'election',
      earliest(this.#elections.values(), (each) => each.claimsAt(this.#reconciledAt)),
    )
  }

  /**
   * Returns the election of this name. Creates it if there is none and memory has room. `opener` is
   * the member that introduced it.
   */
  #open(name: string, opener: NodeId): Election | undefined {
    const present = this.#elections.get(name)
    if (present !== undefined) return present
    if (this.#isFull) {
      const other = opener === this.#context.id ? this.#shares.victimForOwn() : this.#shares.victimFor(name, opener)
      if (other === undefined) return undefined
      const victim = this.#elections.get(other)
      this.#forgotten = Math.max(this.#forgotten, victim?.sequence ?? 0)
      victim?.forget()
      this.#elections.delete(other)
    }
    const parts = { onChanged: () => (this.#sharing = undefined), opener, stored: this.#stored.get(name) ?? 0 }
    const election = new Election(this.#context, name, parts)
    this.#elections.set(name, election)
    this.#sharing = undefined
    return election
  }

  get #isFull(): boolean {
    return this.#elections.size >= this.#context.config.limits.elections
  }

  #hasRoom(name: string, opener: NodeId): boolean {
    return !this.#isFull || opener === this.#context.id || this.#shares.victimFor(name, opener) !== undefined
  }

  get #shares(): FairShare {
    this.#sharing ??= new FairShare([...this.#elections.values()].map(({ entry }) => entry))
    return this.#sharing
  }

  #warnFull(name: string): void {
    const { elections } = this.#context.config.limits
    this.#context.warn('ELECTIONS_FULL', `no room for the election ${name}: this node stands in ${elections}, which is as many as it may`)
  }
}
