/**
 * Elections: bully-style and non-uniform (JEL §3.2, §5.2), with epochs.
 *
 * A candidacy is a signed fact. Where a live winner is known, it stands. Otherwise, after a completed reconciliation and a time to settle, the
 * candidate with the lowest id claims the next epoch. Claims are ordered by epoch, then by the lower id; merging takes the
 * greater, so all nodes converge; but unlike in the paper's implementation, where the lowest id always took over, nobody claims against
 * a living winner, so a late candidate unseats nobody. When a winner leaves, dies or withdraws, the remaining candidates settle again,
 * unasked, and the next claim carries the proof of that end.
 *
 * A claim counts where no winner lives, so the proof comes first: it ends the reign in the eyes of who had not heard. Else, or when it skips very
 * many epochs, it counts only when several peers have told it, so that one absurd number can't poison an election. The latest claim is kept when its winner is gone: epochs survive a time without
 * candidates. Only the lowest few candidacies are kept and told; a candidate that is not among them stands again when places become
 * free, so an election among thousands costs no more than one among a few.
 */
import { verifyCertificate } from './certificate.ts'
import type { Context, Timed } from './context.ts'
import { ElectionRoom } from './election-room.ts'
import { factOf, type Evidence, type Fact } from './fact.ts'
import type { Milliseconds, NodeId, Reign } from './io.ts'
import { isKind, type Candidacy, type Claim, type Statement } from './statement.ts'

interface Standing {
  readonly statement: Statement<Candidacy>
  readonly fact: Fact
}

interface Tellings {
  readonly peers: Map<NodeId, Milliseconds>
  count: number
}

interface Poll {
  readonly name: string
  /** Who made it known. */
  readonly opener: NodeId
  readonly candidates: Map<NodeId, Standing>
  claim: { readonly statement: Statement<Claim>; readonly fact: Fact } | undefined
  /** What the application heard last. */
  announced: string | undefined
  /** Claims that wait to be told more often: when which peer did last, and how often all did. */
  readonly unconfirmed: Map<string, Tellings>
  /** This node's own candidacy. */
  mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined
  settledAt: Milliseconds
  /** When the current wait began: candidates that trickle in can't put off a claim for ever. */
  unsettledSince: Milliseconds | undefined
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
}

export class Elections implements Timed {
  readonly #context: Context
  readonly #events: ElectionEvents
  readonly #polls = new Map<string, Poll>()
  /** Who holds the room, while it is full and nothing changes. */
  #room: ElectionRoom | undefined
  #warnedFull = false
  #lastReconciled: Milliseconds = -Infinity

  constructor(context: Context, events: ElectionEvents) {
    this.#context = context
    this.#events = events
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    for (const poll of this.#polls.values()) if (this.#mayClaim(poll)) next = Math.min(next, poll.settledAt)
    return next
  }

  /** The reign as this node sees it now; undefined while there is no live winner. */
  reign(name: string): Reign | undefined {
    const poll = this.#polls.get(name)
    if (poll?.claim === undefined || !this.#stands(poll)) return undefined
    const { signer, content } = poll.claim.statement
    const winner = this.#context.view.get(signer)
    return winner === undefined ? undefined : { election: name, epoch: content.epoch, winner }
  }

  /** This node wants to be elected. */
  elect(name: string): void {
    const poll = this.#poll(name, this.#context.id)
    if (poll === undefined) {
      this.#warnFull(name)
      return
    }
    if (poll.mine?.standing === true) return
    this.#room = undefined
    poll.mine = { standing: true, sequence: (poll.mine?.sequence ?? 0) + 1, since: this.#context.now }
    this.#unsettle(poll, this.#context.config.election.settle)
    this.#declare(poll)
    this.#events.onUnsure()
  }

  /** This node no longer wants to be elected; a reign of its own ends. */
  withdraw(name: string): void {
    const poll = this.#polls.get(name)
    if (poll?.mine?.standing !== true) return
    poll.mine = { ...poll.mine, standing: false, sequence: poll.mine.sequence + 1 }
    this.#declare(poll)
  }

  /** Puts this node's candidacies forward again, under a new life. */
  renew(): void {
    for (const poll of this.#polls.values())
      if (poll.mine?.standing === true) {
        poll.mine.since = this.#context.now
        this.#unsettle(poll, this.#context.config.election.settle)
        this.#declare(poll)
      }
  }

  /** Everything this node knew is gone, but its own candidacies and the epochs: others may remember less. */
  startOver(): void {
    for (const poll of this.#polls.values()) {
      poll.candidates.clear()
      poll.unconfirmed.clear()
      if (poll.claim !== undefined) this.#context.facts.put(poll.claim.fact)
    }
    this.#room = undefined
  }

  reconciled(): void {
    this.#lastReconciled = this.#context.now
  }

  /** Is this candidacy worth checking its signature? */
  wantsCandidacy({ signer, content }: Statement<Candidacy>): boolean {
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    const poll = this.#polls.get(content.election)
    if (poll === undefined) return this.#hasRoom(content.election, signer)
    const present = poll.candidates.get(signer)?.statement
    if (present !== undefined) return present.content.incarnation < content.incarnation || present.content.sequence < content.sequence
    return this.#isWinner(poll, signer) || this.#hasPlace(poll, signer)
  }

  /** Takes in a verified candidacy. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    if (!this.wantsCandidacy(statement)) return undefined
    const poll = this.#poll(statement.content.election, statement.signer)
    if (poll === undefined) return undefined
    return this.#admit(poll, statement)
  }

  /** Is this claim worth checking its signature? */
  wantsClaim(statement: Statement<Claim>): boolean {
    const { election } = statement.content
    const poll = this.#polls.get(election)
    if (poll === undefined) return this.#hasRoom(election, statement.signer)
    return poll.claim === undefined || isGreater(statement, poll.claim.statement)
  }

  /** Takes in a verified claim, with the proof that it carries, told by `from`. */
  mergeClaim(statement: Statement<Claim>, because: Evidence | undefined, from: NodeId | undefined): Fact | undefined {
    if (!this.wantsClaim(statement)) return undefined
    const { view, config } = this.#context
    const { content, signer } = statement
    // The winner's own joined-statement comes first; who never heard of it hears the claim again.
    if (!view.knows(signer)) return undefined
    const poll = this.#poll(content.election, signer)
    if (poll === undefined) return undefined
    if (because !== undefined && content.ended !== undefined && this.#proves(because, content)) this.#events.onEvidence(because)
    const known = poll.claim?.statement.content.epoch ?? 0
    // Where no winner lives, a claim unseats nobody, though it be some epochs ahead: so it is after a time apart.
    const isPlausible = content.epoch <= known + config.election.epochJump && !this.#stands(poll)
    if (content.epoch !== known && !isPlausible) {
      const isAbsurd = content.epoch > known + config.election.epochJump
      if (!this.#isConfirmed(poll, `${content.epoch}:${signer}`, from, isAbsurd)) {
        this.#events.onUnsure()
        return undefined
      }
    }
    return this.#accept(poll, statement, because)
  }

  /**
   * Counts who tells a claim. One claim at a time from each peer, so that who makes up many keeps nobody else's out. Where few peers hold
   * it, as after a heal, the same ones count again some time later, unless the claim is absurd.
   */
  #isConfirmed(poll: Poll, key: string, from: NodeId | undefined, isAbsurd: boolean): boolean {
    const { links, config, now } = this.#context
    if (from !== undefined) {
      for (const [other, { peers }] of poll.unconfirmed) {
        if (other !== key && peers.delete(from) && peers.size === 0) poll.unconfirmed.delete(other)
      }
      const tellings = poll.unconfirmed.get(key) ?? { peers: new Map<NodeId, Milliseconds>(), count: 0 }
      poll.unconfirmed.set(key, tellings)
      const last = tellings.peers.get(from)
      if (last === undefined || (!isAbsurd && now - last >= config.election.tellAgain)) {
        tellings.peers.set(from, now)
        tellings.count += 1
      }
    }
    const entered = [...links.values()].filter((link) => link.entered).length
    return (poll.unconfirmed.get(key)?.count ?? 0) >= Math.min(config.election.confirmations, Math.max(entered, 1))
  }

  /** A life ended: its candidacies with it, and perhaps a reign. */
  lifeEnded(id: NodeId): void {
    for (const poll of this.#polls.values()) {
      const standing = poll.candidates.get(id)
      if (standing !== undefined) {
        poll.candidates.delete(id)
        this.#context.facts.delete(standing.fact)
        this.#room = undefined
      }
      if (this.#isWinner(poll, id)) this.#reignEnded(poll)
      this.#fill(poll)
    }
  }

  /** A member entered: a claim that waited for it may now be told. */
  lifeBegan(id: NodeId): void {
    for (const poll of this.#polls.values()) if (this.#isWinner(poll, id)) this.#announce(poll)
  }

  due(): void {
    const { now } = this.#context
    for (const poll of this.#polls.values()) if (now >= poll.settledAt && this.#mayClaim(poll)) this.#claim(poll)
  }

  /** The election of this name; where there is none, one that `opener` made known, if there is room for it. */
  #poll(name: string, opener: NodeId): Poll | undefined {
    const present = this.#polls.get(name)
    if (present !== undefined) return present
    if (this.#isFull) {
      const other = opener === this.#context.id ? this.#occupied().ownPlace() : this.#occupied().placeFor(name, opener)
      if (other === undefined) return undefined
      this.#forget(other)
    }
    const poll: Poll = {
      name,
      opener,
      candidates: new Map(),
      claim: undefined,
      announced: undefined,
      unconfirmed: new Map(),
      mine: undefined,
      settledAt: 0,
      unsettledSince: undefined,
    }
    this.#polls.set(name, poll)
    this.#room = undefined
    return poll
  }

  get #isFull(): boolean {
    return this.#polls.size >= this.#context.config.limits.elections
  }

  #hasRoom(name: string, opener: NodeId): boolean {
    return !this.#isFull || opener === this.#context.id || this.#occupied().placeFor(name, opener) !== undefined
  }

  #occupied(): ElectionRoom {
    this.#room ??= new ElectionRoom(
      [...this.#polls.values()].map((poll) => {
        const standing = [...poll.candidates].flatMap(([id, { statement }]) => (statement.content.withdrawn ? [] : [id]))
        const supporters = new Set(poll.claim === undefined ? standing : [...standing, poll.claim.statement.signer])
        if (supporters.size === 0) supporters.add(poll.opener)
        return { name: poll.name, isOwn: poll.mine !== undefined, isDormant: standing.length === 0 && !this.#stands(poll), supporters }
      }),
    )
    return this.#room
  }

  #forget(name: string): void {
    const poll = this.#polls.get(name)
    if (poll === undefined) return
    this.#polls.delete(name)
    for (const { fact } of poll.candidates.values()) this.#context.facts.delete(fact)
    if (poll.claim !== undefined) this.#context.facts.delete(poll.claim.fact)
  }

  #warnFull(name: string): void {
    if (this.#warnedFull) return
    this.#warnedFull = true
    const { elections } = this.#context.config.limits
    this.#context.warn(
      'ELECTIONS_FULL',
      `no room for the election ${name}: this node has stood in ${elections}, which is as many as it may`,
    )
  }

  /** Signs this node's candidacy as it is now. */
  #declare(poll: Poll): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined || poll.mine === undefined) return
    const content: Candidacy = {
      kind: 'candidacy',
      election: poll.name,
      incarnation: self.incarnation,
      sequence: poll.mine.sequence,
      withdrawn: !poll.mine.standing,
    }
    const mine = poll.candidates.get(self.id)?.statement.content
    if (mine !== undefined && mine.incarnation === self.incarnation && mine.sequence === poll.mine.sequence) return
    if (!this.#isWinner(poll, self.id) && mine === undefined && !this.#hasPlace(poll, self.id)) return
    const fact = this.#admit(poll, this.#context.codec.sign(self.id, content))
    this.#events.onOwn([fact])
  }

  #admit(poll: Poll, statement: Statement<Candidacy>): Fact {
    const { facts } = this.#context
    this.#room = undefined
    const fact = facts.put(factOf({ statement }))
    poll.candidates.set(statement.signer, { statement, fact })
    if (statement.content.withdrawn && this.#isWinner(poll, statement.signer)) this.#reignEnded(poll)
    else if (!this.#stands(poll)) this.#unsettle(poll, this.#context.config.election.settle)
    const standing = this.#standing(poll)
    for (const id of standing.slice(this.#context.config.election.candidates)) {
      const evicted = poll.candidates.get(id)
      if (evicted === undefined || this.#isWinner(poll, id)) continue
      poll.candidates.delete(id)
      facts.delete(evicted.fact)
    }
    this.#fill(poll)
    return fact
  }

  /** Stands again if places became free. */
  #fill(poll: Poll): void {
    if (poll.mine?.standing !== true || poll.candidates.has(this.#context.id)) return
    if (this.#standing(poll).length * 2 < this.#context.config.election.candidates || this.#hasLowest(poll)) this.#declare(poll)
  }

  #hasLowest(poll: Poll): boolean {
    const lowest = this.#standing(poll)[0]
    return lowest === undefined || this.#context.id < lowest
  }

  #hasPlace(poll: Poll, id: NodeId): boolean {
    const standing = this.#standing(poll)
    const { candidates } = this.#context.config.election
    return standing.length < candidates || id < (standing[candidates - 1] as NodeId)
  }

  /** Live candidates that did not withdraw, lowest first. */
  #standing(poll: Poll): NodeId[] {
    const ids: NodeId[] = []
    for (const [id, { statement }] of poll.candidates) {
      if (!statement.content.withdrawn && this.#context.view.isAlive(id, statement.content.incarnation)) ids.push(id)
    }
    return ids.sort()
  }

  #isWinner(poll: Poll, id: NodeId): boolean {
    return poll.claim?.statement.signer === id
  }

  /** True while the winner of the claim we hold lives and did not withdraw. */
  #stands(poll: Poll): boolean {
    if (poll.claim === undefined) return false
    const { signer, content } = poll.claim.statement
    if (!this.#context.view.isAlive(signer, content.incarnation)) return false
    return poll.candidates.get(signer)?.statement.content.withdrawn !== true
  }

  #mayClaim(poll: Poll): boolean {
    const { id, links } = this.#context
    if (poll.mine?.standing !== true || this.#stands(poll) || this.#standing(poll)[0] !== id) return false
    const isAlone = ![...links.values()].some((link) => link.entered)
    return isAlone || this.#lastReconciled >= poll.mine.since
  }

  #unsettle(poll: Poll, span: Milliseconds): void {
    const { now, config } = this.#context
    poll.unsettledSince ??= now
    poll.settledAt = Math.min(now + span, poll.unsettledSince + config.election.settle * patience)
  }

  #reignEnded(poll: Poll): void {
    poll.unsettledSince = undefined
    this.#unsettle(poll, this.#context.config.election.resettle)
    this.#fill(poll)
  }

  #claim(poll: Poll): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined) return
    const previous = poll.claim?.statement
    const content: Claim = {
      kind: 'claim',
      election: poll.name,
      epoch: (previous?.content.epoch ?? 0) + 1,
      incarnation: self.incarnation,
      ended: previous === undefined ? undefined : { winner: previous.signer, incarnation: previous.content.incarnation },
    }
    const statement = this.#context.codec.sign(self.id, content)
    this.#events.onOwn([this.#accept(poll, statement, this.#evidence(poll))])
  }

  #accept(poll: Poll, statement: Statement<Claim>, because: Evidence | undefined): Fact {
    const fact = this.#context.facts.put(factOf({ statement, because }))
    this.#room = undefined
    poll.claim = { statement, fact }
    poll.unconfirmed.clear()
    poll.unsettledSince = undefined
    if (this.#stands(poll)) this.#announce(poll)
    else this.#unsettle(poll, this.#context.config.election.resettle)
    return fact
  }

  #announce(poll: Poll): void {
    const reign = this.reign(poll.name)
    if (reign === undefined) return
    const key = `${reign.epoch}:${reign.winner.id}:${reign.winner.incarnation}`
    if (poll.announced === key) return
    poll.announced = key
    this.#context.notify({ type: 'elected', reign })
  }

  /** What ended the reign that we hold the claim of. */
  #evidence(poll: Poll): Evidence | undefined {
    if (poll.claim === undefined) return undefined
    const { signer } = poll.claim.statement
    const withdrawal = poll.candidates.get(signer)?.statement
    if (withdrawal?.content.withdrawn === true) return { statement: withdrawal }
    const fact = this.#context.view.fact(signer)
    if (fact === undefined) return undefined
    return 'certificate' in fact.content ? { certificate: fact.content.certificate } : { statement: fact.content.statement }
  }

  /** Does this evidence end the reign that the claim says it follows? Signatures included. */
  #proves(evidence: Evidence, { ended, election }: Claim): boolean {
    if (ended === undefined) return false
    if ('certificate' in evidence) {
      const { certificate } = evidence
      return (
        certificate.suspect === ended.winner &&
        certificate.incarnation >= ended.incarnation &&
        verifyCertificate(certificate, this.#context.codec)
      )
    }
    const { statement } = evidence
    if (statement.signer !== ended.winner) return false
    const isEnd =
      (isKind(statement, 'left') && statement.content.incarnation >= ended.incarnation) ||
      (isKind(statement, 'joined') && statement.content.incarnation > ended.incarnation) ||
      (isKind(statement, 'candidacy') &&
        statement.content.withdrawn &&
        statement.content.election === election &&
        statement.content.incarnation >= ended.incarnation)
    return isEnd && this.#context.codec.verify(statement)
  }
}

/** Claims are ordered by epoch, then the lower id, then (one winner's claims in two lives) the later life. */
function isGreater(a: Statement<Claim>, b: Statement<Claim>): boolean {
  if (a.content.epoch !== b.content.epoch) return a.content.epoch > b.content.epoch
  if (a.signer !== b.signer) return a.signer < b.signer
  return a.content.incarnation > b.content.incarnation
}
