/**
 * Witnesses: suspicions gathered into death certificates (JEL §5.2, with signatures, a quorum and refutation).
 *
 * Who tried to reach a member and failed signs a suspicion and sends it to the member's other observers over the links it has;
 * to those without a link, and to all its links, only when that was not enough. Whoever holds suspicions by q different witnesses
 * has a death. q is four, or the majority of those observers who are not themselves suspects, so that a small remainder of a
 * pool can still pronounce deaths, and a sick node alone can't.
 *
 * A suspect that hears of a suspicion signs a refutation with a growing number. Suspicions state how many refutations their
 * witness knew; a newer refutation voids them, so they can't be saved up over time.
 */
import { certify, type Certificate } from './certificate.ts'
import type { Context, Timed } from './context.ts'
import { FrameError } from './errors.ts'
import type { Milliseconds, NodeId } from './io.ts'
import { observersOf } from './rings.ts'
import { isKind, statementToWire, type Refutation, type Statement, type Suspicion } from './statement.ts'
import type * as wire from './wire/messages.js'

interface Case {
  readonly incarnation: number
  readonly since: Milliseconds
  readonly suspicions: Map<NodeId, { readonly statement: Statement<Suspicion>; readonly at: Milliseconds }>
  widened: boolean
}

export interface WitnessEvents {
  /** Enough witnesses: this is a death. */
  onDeath(certificate: Certificate): void
  /** Somebody suspects this member: look yourself. */
  onSuspected(id: NodeId): void
  /** These members must be told, and there is no link. */
  onUnlinked(ids: readonly NodeId[]): void
}

export class Witnesses implements Timed {
  readonly #context: Context
  readonly #events: WitnessEvents
  readonly #cases = new Map<NodeId, Case>()
  /** Refutations known, of current lives. */
  readonly #refutations = new Map<NodeId, Statement<Refutation>>()
  /** Suspects whose suspicions a member is to get when a link to it is up. */
  readonly #undelivered = new Map<NodeId, Set<NodeId>>()

  constructor(context: Context, events: WitnessEvents) {
    this.#context = context
    this.#events = events
  }

  get nextDue(): Milliseconds {
    const { widen, suspicionLifetime } = this.#context.config.detection
    let next = Infinity
    for (const { since, widened } of this.#cases.values()) next = Math.min(next, since + (widened ? suspicionLifetime : widen))
    return next
  }

  /** Members under suspicion by anybody we heard. */
  isSuspect(id: NodeId): boolean {
    return this.#cases.has(id)
  }

  get suspects(): number {
    return this.#cases.size
  }

  /** This node failed to reach a member: signs that, once a refutation. */
  testify(id: NodeId): void {
    const member = this.#context.view.get(id)
    if (member === undefined || id === this.#context.id) return
    const refutations = this.refutationsOf(id)
    const mine = this.#cases.get(id)?.suspicions.get(this.#context.id)
    if (mine?.statement.content.refutations === refutations) {
      this.judge(id) // others may have become suspects or members no longer: what was too little may suffice now
      return
    }
    const suspicion = this.#context.codec.sign(this.#context.id, {
      kind: 'suspicion',
      suspect: id,
      incarnation: member.incarnation,
      refutations,
    })
    this.#admit(suspicion)
    this.#spread(id, [suspicion], undefined)
    this.judge(id)
  }

  /** Reads, checks and takes in one entry of an alarm. Throws {@link FrameError}; kinds of a later version are passed over. */
  receive(from: NodeId, message: wire.Statement): void {
    const { codec, view } = this.#context
    const statement = codec.read(message)
    if (isKind(statement, 'suspicion')) {
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
    this.#admit(suspicion)
    this.#events.onSuspected(suspect)
    if (this.#observers(suspect).has(this.#context.id)) this.#spread(suspect, [suspicion], from)
    // The suspect itself, where a link is up, gets the chance to refute.
    this.#context.send(suspect, { alarm: { statements: [statementToWire(suspicion)], doubted: [] } })
    this.judge(suspect)
  }

  /** Worth checking its signature? */
  #isNews({ signer, content }: Statement<Suspicion>): boolean {
    if (signer === content.suspect || content.refutations < this.refutationsOf(content.suspect)) return false
    const present = this.#cases.get(content.suspect)?.suspicions.get(signer)
    return present === undefined || present.statement.content.refutations < content.refutations
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
    if (present === undefined) return
    const told = new Set([...this.#observers(signer), ...present.suspicions.keys()])
    for (const [witness, { statement }] of present.suspicions) {
      if (statement.content.refutations < refutation.content.number) present.suspicions.delete(witness)
    }
    if (present.suspicions.size === 0) this.#cases.delete(signer)
    const message: wire.Frame = { alarm: { statements: [statementToWire(refutation)], doubted: [] } }
    for (const peer of told) if (peer !== from) this.#context.send(peer, message)
  }

  /** This node reached the member itself: its own suspicion is void. */
  acquit(id: NodeId): void {
    const present = this.#cases.get(id)
    if (present === undefined) return
    present.suspicions.delete(this.#context.id)
    if (present.suspicions.size === 0) this.#cases.delete(id)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#cases.delete(id)
    this.#refutations.delete(id)
  }

  clear(): void {
    this.#cases.clear()
    this.#refutations.clear()
    this.#undelivered.clear()
  }

  /** Sends what waited for this link. */
  linkUp(peer: NodeId): void {
    const suspects = this.#undelivered.get(peer)
    this.#undelivered.delete(peer)
    for (const suspect of suspects ?? []) this.#deliver(peer, suspect)
  }

  unreachable(peer: NodeId): void {
    this.#undelivered.delete(peer)
  }

  /**
   * How many witnesses this node wants to see before it believes a death that others certified: four, or the majority of the
   * members that it does not itself suspect.
   */
  required(suspect: NodeId): number {
    let others = this.#context.view.size - 1
    for (const id of this.#cases.keys()) if (id !== suspect && this.#context.view.get(id) !== undefined) others -= 1
    return Math.min(this.#context.config.detection.quorum, Math.floor(Math.max(others, 1) / 2) + 1, Math.max(others, 1))
  }

  /** Turns the suspicions of one member into a certificate if they suffice. */
  judge(id: NodeId): void {
    const present = this.#cases.get(id)
    const member = this.#context.view.get(id)
    if (present === undefined || member === undefined || present.incarnation !== member.incarnation) return
    const { detection, limits } = this.#context.config
    const known = this.refutationsOf(id)
    const valid = [...present.suspicions.values()].map(({ statement }) => statement).filter(({ content }) => content.refutations >= known)
    // Only who failed to reach the member itself pronounces it dead.
    if (!valid.some(({ signer }) => signer === this.#context.id)) return
    const observers = [...this.#observers(id)].filter((observer) => !this.#cases.has(observer))
    const quorum = Math.min(detection.quorum, Math.floor(observers.length / 2) + 1, Math.max(observers.length, 1))
    const patient = this.#context.now - present.since >= detection.widen * 4
    if (valid.length < (patient ? quorum : Math.max(quorum, this.required(id)))) return
    this.#events.onDeath(certify(valid.slice(0, limits.witnesses)))
  }

  due(): void {
    const { now, config, view, links } = this.#context
    for (const [id, present] of this.#cases) {
      if (view.get(id)?.incarnation !== present.incarnation) this.#cases.delete(id)
      else if (now - present.since >= config.detection.suspicionLifetime) this.#cases.delete(id)
      else if (!present.widened && now - present.since >= config.detection.widen) {
        present.widened = true
        if (!present.suspicions.has(this.#context.id)) continue
        for (const peer of links.keys()) if (peer !== id) this.#deliver(peer, id)
        const unlinked = [...this.#observers(id)].filter(
          (observer) => observer !== this.#context.id && !links.has(observer) && !this.#cases.has(observer),
        )
        for (const observer of unlinked) {
          const suspects = this.#undelivered.get(observer) ?? new Set()
          this.#undelivered.set(observer, suspects.add(id))
        }
        this.#events.onUnlinked(unlinked)
      }
      this.judge(id)
    }
  }

  #admit(suspicion: Statement<Suspicion>): void {
    const { suspect, incarnation } = suspicion.content
    let present = this.#cases.get(suspect)
    if (present === undefined || present.incarnation !== incarnation) {
      present = { incarnation, since: this.#context.now, suspicions: new Map(), widened: false }
      this.#cases.set(suspect, present)
    }
    present.suspicions.set(suspicion.signer, { statement: suspicion, at: this.#context.now })
  }

  #observers(id: NodeId): ReadonlySet<NodeId> {
    return observersOf(id, this.#context.view.members(), this.#context.config.links.rings)
  }

  /** Refutations of a member's present life that are known. */
  refutationsOf(id: NodeId): number {
    return this.#refutations.get(id)?.content.number ?? 0
  }

  #spread(suspect: NodeId, suspicions: readonly Statement<Suspicion>[], except: NodeId | undefined): void {
    const message: wire.Frame = { alarm: { statements: suspicions.map(statementToWire), doubted: [] } }
    for (const observer of this.#observers(suspect)) if (observer !== except && observer !== suspect) this.#context.send(observer, message)
    this.#context.send(suspect, message)
  }

  #deliver(peer: NodeId, suspect: NodeId): void {
    const suspicions = [...(this.#cases.get(suspect)?.suspicions.values() ?? [])].map(({ statement }) => statementToWire(statement))
    if (suspicions.length > 0) this.#context.send(peer, { alarm: { statements: suspicions, doubted: [] } })
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
    const message: wire.Frame = { alarm: { statements: [statementToWire(refutation)], doubted: [] } }
    const told = new Set([signer, ...(from === undefined ? [] : [from]), ...(refutation === present ? [] : this.#context.links.keys())])
    for (const peer of told) this.#context.send(peer, message)
  }
}
