/**
 * Circulation: who hears of a case, and when.
 *
 * A suspicion goes to the suspect's other observers over the links there are, and to the suspect itself, which gets the chance to refute. Where that
 * was not enough it goes in rounds, ever rarer, to some other links, whose own look may be the witness that is missing, and to observers
 * without a link.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickOne, pickSome } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Statement, Suspicion } from '../facts/statement.ts'
import type { Alarms } from './alarms.ts'
import type { Case } from './case.ts'

export interface CirculationParts {
  /** By suspect. */
  readonly cases: ReadonlyMap<NodeId, Case>
  observersOf(id: NodeId): ReadonlySet<NodeId>
  /** This node is not sure that it can reach the member. */
  isDoubted(id: NodeId): boolean
  /** This member must be told, and there is no link. */
  onUnlinked(id: NodeId): void
}

export class Circulation {
  readonly #context: Context
  readonly #alarms: Alarms
  readonly #parts: CirculationParts
  /** Suspects whose suspicions a member is to get when a link to it is up. */
  readonly #undelivered = new Map<NodeId, Set<NodeId>>()

  constructor(context: Context, alarms: Alarms, parts: CirculationParts) {
    this.#context = context
    this.#alarms = alarms
    this.#parts = parts
  }

  /** Tells those whose task it is. */
  spread(present: Case, suspicion: Statement<Suspicion>): void {
    const { suspect } = suspicion.content
    for (const observer of this.#parts.observersOf(suspect)) this.#say(present, observer, suspicion)
    this.#say(present, suspect, suspicion)
  }

  /** Tells more members of what was not decided yet. `before`: rounds for other suspects that came just now. */
  round(id: NodeId, present: Case, before: number): void {
    const { now, config, links } = this.#context
    const { widen, widenMax, roundsAtOnce, roundPeers } = config.detection
    // Who is late has the answers waiting in its sockets; and where many are suspect, most are decided while they wait.
    const isLate = now - present.nextRound > widen && !present.isPutOff
    if (isLate || before >= roundsAtOnce || !present.suspicions.has(this.#context.id)) {
      this.#schedule(present, widen, isLate)
      return
    }
    const peers = [...links.keys()].filter((peer) => peer !== id && !this.#parts.cases.has(peer) && present.newsFor(peer).length > 0)
    for (const peer of pickSome(() => this.#context.random(), peers, roundPeers)) {
      for (const suspicion of present.newsFor(peer)) this.#say(present, peer, suspicion)
    }
    if (present.rounds > 0 || peers.length === 0) this.#reachOut(id)
    this.#schedule(present, Math.min(widen * 2 ** present.rounds, widenMax), false)
    present.rounds += 1
  }

  /** Sends what waited for this link. */
  linkUp(peer: NodeId): void {
    const suspects = this.#undelivered.get(peer)
    this.#undelivered.delete(peer)
    for (const suspect of suspects ?? []) {
      const present = this.#parts.cases.get(suspect)
      if (present === undefined) continue
      for (const suspicion of present.newsFor(peer)) present.exchange(peer, suspicion)
      this.#alarms.tellAtOnce(peer, [...present.suspicions.values()])
    }
  }

  unreachable(peer: NodeId): void {
    this.#undelivered.delete(peer)
  }

  clear(): void {
    this.#undelivered.clear()
  }

  #schedule(present: Case, span: Milliseconds, isPutOff: boolean): void {
    present.isPutOff = isPutOff
    present.nextRound = this.#context.now + this.#context.jitter(span)
  }

  /** Looks for one observer that there is no link to. */
  #reachOut(id: NodeId): void {
    const { links, id: self, config } = this.#context
    const parts = this.#parts
    if (this.#undelivered.size >= config.detection.dials) return
    const isInDoubt = (observer: NodeId): boolean => parts.cases.has(observer) || parts.isDoubted(observer)
    const unlinked = [...parts.observersOf(id)].filter((observer) => observer !== self && !links.has(observer) && !isInDoubt(observer))
    const observer = pickOne(
      () => this.#context.random(),
      unlinked.filter((observer) => this.#undelivered.get(observer)?.has(id) !== true),
    )
    if (observer === undefined) return
    const suspects = this.#undelivered.get(observer) ?? new Set()
    this.#undelivered.set(observer, suspects.add(id))
    parts.onUnlinked(observer)
  }

  /** Says it to one who has not heard it from us, nor we from it. */
  #say(present: Case, peer: NodeId, suspicion: Statement<Suspicion>): void {
    if (!this.#context.links.has(peer) || present.wasExchanged(peer, suspicion)) return
    present.exchange(peer, suspicion)
    this.#alarms.tell(peer, suspicion)
  }
}
