/**
 * The elections that this node knows of, by name. Each goes its own way (`election.ts`); together they share a bounded memory
 * (`fair-share.ts`), since anybody can make names up.
 */
import type { Milliseconds, NodeId, Reign } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Fact } from '../facts/fact.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'
import { Election } from './election.ts'
import { FairShare } from './fair-share.ts'

export class Elections implements Timed {
  readonly #context: Context
  readonly #stored: ReadonlyMap<string, number>
  readonly #elections = new Map<string, Election>()
  /** Who has which share of memory, while it is full and nothing changes. */
  #sharing: FairShare | undefined
  /** The highest sequence of this node's own in elections that made way: others may remember it. */
  #forgotten = 0
  #reconciledAt: Milliseconds = -Infinity

  /** `stored`: the latest epochs that this identity knew before it started. */
  constructor(context: Context, stored: ReadonlyMap<string, number> = new Map()) {
    this.#context = context
    this.#stored = stored
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    for (const election of this.#elections.values()) next = Math.min(next, election.claimsAt(this.#reconciledAt))
    return next
  }

  /** The reign as this node sees it now; undefined while there is no live winner. */
  reign(name: string): Reign | undefined {
    return this.#elections.get(name)?.reign
  }

  /** This node wants to be elected. */
  elect(name: string): void {
    const election = this.#open(name, this.#context.id)
    if (election === undefined) this.#warnFull(name)
    else election.elect(this.#forgotten)
  }

  /** This node is a candidate. */
  stands(name: string): boolean {
    return this.#elections.get(name)?.isStanding === true
  }

  /** This node no longer wants to be elected; a reign of its own ends. */
  withdraw(name: string): void {
    this.#elections.get(name)?.withdraw()
  }

  /** Puts this node's candidacies forward again, under a new life. `after`: it looks around for so long first, ms. */
  renew(after: Milliseconds = 0): void {
    for (const election of this.#elections.values()) election.renew(after)
  }

  /** Everything this node knew is gone, but its own candidacies and the epochs. */
  startOver(): void {
    for (const election of this.#elections.values()) election.startOver()
    this.#sharing = undefined
  }

  /** This process stood still, and others may reign by now. */
  stalled(): void {
    for (const election of this.#elections.values()) election.stalled()
  }

  reconciled(): void {
    this.#reconciledAt = this.#context.now
  }

  /** Is this candidacy worth checking its signature? */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    const { signer, content } = statement
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    return this.#elections.get(content.election)?.wantsCandidacy(statement) ?? this.#hasRoom(content.election, signer)
  }

  /** Takes in a verified candidacy. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    if (!this.wantsCandidacy(statement)) return undefined
    return this.#open(statement.content.election, statement.signer)?.mergeCandidacy(statement)
  }

  /** This node's own later word, if this is an older one; to be told to who told it. */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const { election, withdrawn, sequence } = statement.content
    const known = this.#elections.get(election)
    if (known === undefined && !withdrawn) this.#disown(election, sequence)
    return known?.correction(statement)
  }

  /** Is this claim worth checking its signature? */
  wantsClaim(statement: Statement<Claim>): boolean {
    const { signer, content } = statement
    return this.#elections.get(content.election)?.wantsClaim(statement) ?? this.#hasRoom(content.election, signer)
  }

  /** Takes in a verified claim, told by `from`. */
  mergeClaim(statement: Statement<Claim>, from: NodeId | undefined): Fact | undefined {
    const { signer, content } = statement
    // The winner's own joined-statement comes first; who never heard of it hears the claim again.
    if (!this.wantsClaim(statement) || !this.#context.view.knows(signer)) return undefined
    const fact = this.#open(content.election, signer)?.mergeClaim(statement, from)
    // Others may have missed that this node withdrew, and it has forgotten since.
    if (this.#context.view.isAlive(signer, content.incarnation) && signer === this.#context.id && !this.stands(content.election))
      this.#disown(content.election, content.sequence)
    return fact
  }

  /** This node does not stand, whatever it said up to this sequence. */
  #disown(name: string, sequence: number): void {
    this.#forgotten = Math.max(this.#forgotten, sequence)
    this.#open(name, this.#context.id)?.disown(this.#forgotten)
  }

  /** A life ended: its candidacies with it, and perhaps a reign. */
  lifeEnded(id: NodeId): void {
    for (const election of this.#elections.values()) election.lifeEnded(id)
  }

  /** A member entered: a claim that waited for it may now be told. */
  lifeBegan(id: NodeId): void {
    for (const election of this.#elections.values()) election.lifeBegan(id)
  }

  due(): void {
    const { now } = this.#context
    for (const election of this.#elections.values()) if (now >= election.claimsAt(this.#reconciledAt)) election.claim()
  }

  /** The election of this name; where there is none, one that `opener` made known, if there is room for it. */
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
