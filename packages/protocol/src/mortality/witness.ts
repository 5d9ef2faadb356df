/**
 * Witnesses: suspicions gathered into death certificates (JEL §5.2, with signatures, a quorum and refutation).
 *
 * Who tried to reach a member and failed signs a suspicion and sends it to the member's other observers, who pass it on among themselves
 * (`circulation.ts`). Whoever holds suspicions by q different witnesses has a death. q is four, or the majority of those observers whom this
 * node did not fail to reach itself, so that a small remainder of a pool can still pronounce deaths, and a sick node that has company can't.
 * One that reaches nobody can't tell which side is cut off: alone, it pronounces deaths in a pool of more than three only where a host
 * refuses, which is an answer.
 *
 * A suspect that hears of a suspicion signs a refutation with a growing number. Suspicions state how many refutations their
 * witness knew; a newer refutation voids them for all but the suspect itself: it gives its life up for as many as make a
 * death, as others may have heard of that before they heard of the refutation.
 */
import { FrameError } from '../base/errors.ts'
import { hash52 } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import { certify, type Certificate } from '../facts/certificate.ts'
import { isKind, type Refutation, type Statement, type Suspicion } from '../facts/statement.ts'
import { observersOf } from '../topology/rings.ts'
import { Alarms } from './alarms.ts'
import { Case } from './case.ts'
import { Circulation } from './circulation.ts'
import { few } from './isolation.ts'

export interface WitnessEvents {
  /** Enough witnesses: this is a death. */
  onDeath(certificate: Certificate): void
  /** Somebody suspects this member: look yourself. */
  onSuspected(id: NodeId): void
  /** The member says that it is alive. */
  onRefuted(id: NodeId): void
  /** This member must be told, and there is no link. */
  onUnlinked(id: NodeId): void
  /** This node never had a link with the member, which may stand behind a NAT. */
  isHidden(id: NodeId): boolean
  /** This node is not sure that it can reach the member. */
  isDoubted(id: NodeId): boolean
  /** What this node found out about the member is worth a death without another witness. */
  isSureAlone(id: NodeId): boolean
}

export class Witnesses implements Timed {
  readonly #context: Context
  readonly #events: WitnessEvents
  readonly #alarms: Alarms
  readonly #cases = new Map<NodeId, Case>()
  /** Refutations known, of current lives. */
  readonly #refutations = new Map<NodeId, Statement<Refutation>>()
  readonly #circulation: Circulation
  /** When somebody whom this node had failed to reach turned out to live. */
  #wrongAt: Milliseconds = -Infinity
  /** Observers of suspects in the present view: looked up once, not with each suspicion. */
  readonly #observers = new Map<NodeId, ReadonlySet<NodeId>>()

  constructor(context: Context, events: WitnessEvents) {
    this.#context = context
    this.#events = events
    this.#alarms = new Alarms(context)
    this.#circulation = new Circulation(context, this.#alarms, {
      cases: this.#cases,
      observersOf: (id) => this.#observersOf(id),
      isDoubted: (id) => events.isDoubted(id),
      onUnlinked: (id) => events.onUnlinked(id),
    })
  }

  get nextDue(): Milliseconds {
    const { suspicionLifetime } = this.#context.config.detection
    let next = this.#alarms.nextDue
    for (const { since, nextRound } of this.#cases.values()) next = Math.min(next, nextRound, since + suspicionLifetime)
    return next
  }

  /** When this node first heard that somebody failed to reach the member; undefined: nobody did. */
  suspectedSince(id: NodeId): Milliseconds | undefined {
    return this.#cases.get(id)?.since
  }

  /** This node failed to reach a member: signs that, once a refutation. */
  testify(id: NodeId): void {
    const member = this.#context.view.get(id)
    if (member === undefined || id === this.#context.id) return
    const refutations = this.refutationsOf(id)
    const mine = this.#cases.get(id)?.suspicions.get(this.#context.id)
    if (mine?.content.refutations === refutations) {
      this.judge(id) // others may have become suspects or members no longer: what was too little may suffice now
      return
    }
    const suspicion = this.#context.codec.sign(this.#context.id, {
      kind: 'suspicion',
      suspect: id,
      incarnation: member.incarnation,
      refutations,
    })
    this.#circulation.spread(this.#admit(suspicion), suspicion)
    this.judge(id)
  }

  /** Checks and takes in one entry of an alarm. Throws {@link FrameError}; kinds of a later version are passed over. */
  receive(from: NodeId, statement: Statement): void {
    const { codec, view } = this.#context
    if (isKind(statement, 'suspicion')) {
      this.#object(statement, from)
      const { suspect, incarnation } = statement.content
      // Most suspicions of somebody whose death is known come after it: their signatures need no look.
      if (suspect !== this.#context.id && !view.isAlive(suspect, incarnation)) return
      if (!this.wants(statement) || !view.knows(statement.signer)) return
      if (!codec.verify(statement)) throw new FrameError('a suspicion with a forged signature')
      this.hear(statement, from)
    } else if (isKind(statement, 'refutation')) {
      if (!this.wantsRefutation(statement)) return
      if (!codec.verify(statement)) throw new FrameError('a refutation with a forged signature')
      this.hearRefutation(statement, from)
    } else if (!isKind(statement, 'unknown')) throw new FrameError(`a ${statement.content.kind} is no alarm`)
  }

  /** Takes in a verified suspicion that `from` sent. */
  hear(suspicion: Statement<Suspicion>, from: NodeId | undefined): void {
    const { suspect, incarnation } = suspicion.content
    if (suspect === this.#context.id) {
      this.#refute(suspicion, from)
      return
    }
    if (!this.#isNews(suspicion) || !this.#context.view.isAlive(suspect, incarnation) || !this.#context.view.knows(suspicion.signer)) return
    const present = this.#admit(suspicion)
    if (from !== undefined) present.exchange(from, suspicion)
    this.#events.onSuspected(suspect)
    if (this.#observersOf(suspect).has(this.#context.id)) this.#circulation.spread(present, suspicion)
    // The suspect itself, where a link is up, gets the chance to refute.
    else this.#alarms.tell(suspect, suspicion)
    this.judge(suspect)
  }

  /** Who suspects a member without knowing of its refutation gets to know of it: nobody else may tell. */
  #object({ content }: Statement<Suspicion>, from: NodeId): void {
    const refutation = this.#refutations.get(content.suspect)
    if (refutation === undefined || refutation.content.incarnation !== content.incarnation) return
    if (content.suspect !== this.#context.id && content.refutations < refutation.content.number) this.#alarms.tell(from, refutation)
  }

  /** Worth checking its signature? What this node itself said it knows; coming back from others it may be void by now. */
  #isNews({ signer, content }: Statement<Suspicion>): boolean {
    if (signer === this.#context.id) return false
    if (signer === content.suspect || content.refutations < this.refutationsOf(content.suspect)) return false
    const present = this.#cases.get(content.suspect)?.suspicions.get(signer)
    return present === undefined || present.content.refutations < content.refutations
  }

  wants(suspicion: Statement<Suspicion>): boolean {
    return suspicion.content.suspect === this.#context.id || this.#isNews(suspicion)
  }

  wantsRefutation({ signer, content }: Statement<Refutation>): boolean {
    return this.#context.view.isAlive(signer, content.incarnation) && content.number > this.refutationsOf(signer)
  }

  /** Takes in a verified refutation and passes it on to whom we told the suspicion. */
  hearRefutation(refutation: Statement<Refutation>, from: NodeId): void {
    const { signer } = refutation
    if (!this.wantsRefutation(refutation)) return
    this.#refutations.set(signer, refutation)
    const present = this.#cases.get(signer)
    if (present !== undefined) this.#void(present, refutation, from)
    this.#events.onRefuted(signer)
  }

  #void(present: Case, refutation: Statement<Refutation>, from: NodeId): void {
    const { signer, content } = refutation
    const told = new Set([...this.#observersOf(signer), ...present.peers, ...present.suspicions.keys()])
    for (const peer of told) if (peer !== from) this.#alarms.tell(peer, refutation)
    for (const [witness, suspicion] of present.suspicions)
      if (suspicion.content.refutations < content.number) this.#withdraw(present, witness)
    if (present.isEmpty) this.#cases.delete(signer)
  }

  /** This node reached the member itself: its own suspicion is void. */
  acquit(id: NodeId): void {
    const present = this.#cases.get(id)
    if (present === undefined) return
    this.#withdraw(present, this.#context.id)
    if (present.isEmpty) this.#cases.delete(id)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    if (this.#observers.size > 0) this.#observers.clear() // not for nothing: it makes a new table, and this is called for each newcomer
    this.#cases.delete(id)
    this.#refutations.delete(id)
  }

  clear(): void {
    this.#cases.clear()
    this.#refutations.clear()
    this.#circulation.clear()
    this.#observers.clear()
    this.#alarms.clear()
  }

  linkUp(peer: NodeId): void {
    this.#circulation.linkUp(peer)
  }

  unreachable(peer: NodeId): void {
    this.#circulation.unreachable(peer)
  }

  /**
   * How many witnesses this node wants to see before it believes a death that others certified: four, or the majority of the
   * members that it did not itself fail to reach.
   */
  required(suspect: NodeId): number {
    let others = this.#context.view.size - 1
    for (const id of this.#cases.keys()) if (id !== suspect && this.#isMissed(id) && this.#context.view.get(id) !== undefined) others -= 1
    return this.#majorityOf(others)
  }

  /** Four at most, and one at least. */
  #majorityOf(others: number): number {
    return Math.min(this.#context.config.detection.quorum, Math.floor(others / 2) + 1, Math.max(others, 1))
  }

  /** How many witnesses silence takes at least: one whose own network fails is alone against many. */
  get silenceTakes(): number {
    return this.#context.view.size > few ? Math.min(2, this.#context.config.detection.quorum) : 1
  }

  /**
   * This node's place among the living observers of a member, by a lot that all of them draw alike: when several hold a certificate, the first
   * makes it known, and the others need not.
   */
  rank(suspect: NodeId): number {
    const lot = (observer: NodeId): number => hash52(suspect + observer)
    const mine = lot(this.#context.id)
    return [...this.#observersOf(suspect)].filter((observer) => !this.#cases.has(observer) && lot(observer) < mine).length
  }

  #withdraw(present: Case, witness: NodeId): void {
    if (present.remove(witness) && witness === this.#context.id) this.#wrongAt = this.#context.now
  }

  /**
   * This node failed to reach it itself. That others accuse it makes no difference, or one liar who accuses all would be a majority. And who was
   * wrong about one of them a moment ago may be wrong about the others: what it misses makes no majority smaller.
   */
  #isMissed(id: NodeId): boolean {
    const { now, config } = this.#context
    return now - this.#wrongAt >= config.detection.suspicionLifetime && this.#cases.get(id)?.suspicions.has(this.#context.id) === true
  }

  /** Turns the suspicions of one member into a certificate if they suffice. */
  judge(id: NodeId): void {
    const present = this.#cases.get(id)
    const member = this.#context.view.get(id)
    if (present === undefined || member === undefined || present.incarnation !== member.incarnation) return
    const { detection, limits } = this.#context.config
    const known = this.refutationsOf(id)
    const valid = present.knowing(known)
    // Only who failed to reach the member itself pronounces it dead.
    if (!valid.some(({ signer }) => signer === this.#context.id)) return
    const observers = [...this.#observersOf(id)].filter((observer) => !this.#isMissed(observer))
    const quorum = this.#majorityOf(observers.length)
    const age = this.#context.now - present.since
    // Those who can't reach it may all be strangers to it, who never could: whoever is in contact with it gets the time to hear of this.
    if (age < detection.strangersAlone && this.#events.isHidden(id)) return
    if (valid.length < this.silenceTakes && !this.#events.isSureAlone(id)) return
    const patient = age >= detection.widen * 4
    if (valid.length < (patient ? quorum : Math.max(quorum, this.required(id)))) return
    this.#events.onDeath(certify(valid.slice(0, limits.witnesses)))
  }

  due(): void {
    const { now, config, view } = this.#context
    let rounds = 0
    for (const [id, present] of this.#cases) {
      if (view.get(id)?.incarnation !== present.incarnation) this.#cases.delete(id)
      else if (now - present.since >= config.detection.suspicionLifetime) this.#cases.delete(id)
      else if (now >= present.nextRound) this.#circulation.round(id, present, rounds++)
      this.judge(id)
    }
    this.#alarms.due()
  }

  #admit(suspicion: Statement<Suspicion>): Case {
    const { now, config } = this.#context
    const { suspect, incarnation } = suspicion.content
    let present = this.#cases.get(suspect)
    if (present === undefined || present.incarnation !== incarnation) {
      present = new Case(incarnation, now, now + config.detection.widen)
      this.#cases.set(suspect, present)
    }
    present.add(suspicion)
    return present
  }

  #observersOf(id: NodeId): ReadonlySet<NodeId> {
    let observers = this.#observers.get(id)
    if (observers === undefined) {
      const { config, facts, view } = this.#context
      observers = observersOf(id, config.links.rings, facts.registry, view)
      this.#observers.set(id, observers)
    }
    return observers
  }

  /** Refutations of a member's present life that are known. */
  refutationsOf(id: NodeId): number {
    return this.#refutations.get(id)?.content.number ?? 0
  }

  /** The suspect is this node. */
  #refute({ signer, content }: Statement<Suspicion>, from: NodeId | undefined): void {
    const incarnation = this.#context.view.get(this.#context.id)?.incarnation
    const own = this.refutationsOf(this.#context.id)
    // Only this node makes its refutations: who knows of more lies.
    if (incarnation === undefined || content.incarnation !== incarnation || content.refutations > own) return
    const number = Math.max(own, content.refutations + 1)
    const present = this.#refutations.get(this.#context.id)
    const refutation =
      present?.content.number === number ? present : this.#context.codec.sign(this.#context.id, { kind: 'refutation', incarnation, number })
    this.#refutations.set(this.#context.id, refutation)
    const told = new Set([signer, ...(from === undefined ? [] : [from]), ...(refutation === present ? [] : this.#context.links.keys())])
    for (const peer of told) this.#alarms.tellAtOnce(peer, [refutation])
  }
}
