/** A suspicion: one member whose state is unsure, what this node found out about it, and what others say. */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Statement, Suspicion as Accusation } from '../facts/statement.ts'
import type { Evidence } from './suspicion-timeout.ts'

export type SuspicionState =
  /** Others accuse it; this node did not probe it. */
  | 'reported'
  /** This node probes it. */
  | 'probing'
  /** It did not answer in time: helpers are asked to probe it. */
  | 'indirect'
  /** Helpers reach it, this node does not: it lives. */
  | 'relayed'
  /** Helpers failed, too: this node signed that. */
  | 'accused'

export class Suspicion {
  readonly id: NodeId
  readonly incarnation: number
  state: SuspicionState = 'reported'
  /** Since when the present state lasts; of what others report, since the first report. */
  since: Milliseconds
  readonly raised: Milliseconds
  evidence: Evidence = 'none'
  /** It did not answer this node in time; its observers are left a moment. */
  isTimedOut = false
  /** How often it was probed directly, and when it is next. */
  probes = 0
  nextProbe: Milliseconds = Infinity
  /** A host probe, a dial is under way since. */
  hostProbing: Milliseconds | undefined
  dialling: Milliseconds | undefined
  /** Rounds of indirect probes, and when the next one begins; of what others report, when this node probes it after all. */
  rounds = 0
  nextRound: Milliseconds = Infinity
  /** The helper that reached it last. */
  relay: NodeId | undefined
  /** The beat that the member had reached, as far as known, when it first refuted this; undefined: it did not, or a helper has reached it since. */
  refutedBeat: number | undefined
  /** Rounds of telling more members, and when the next one begins. */
  spreads = 0
  nextSpread: Milliseconds = Infinity
  /** When this node publishes its accusation, unless what it holds is enough by then. */
  publishAt: Milliseconds = Infinity
  /** Accusers whose accusation the member is given the time to refute, no more than a death needs. */
  readonly awaited = new Set<NodeId>()
  /** From when on they may become a certificate; Infinity: the pool was told of none yet. */
  judgedFrom: Milliseconds = Infinity
  /** When to look whether they are enough, or waited long enough. */
  judgeAt: Milliseconds = Infinity
  readonly #accusations = new Map<NodeId, Statement<Accusation>>()
  /** What each peer was told, or told us. */
  readonly #exchanged = new Map<NodeId, Set<Statement>>()

  constructor(id: NodeId, incarnation: number, now: Milliseconds) {
    this.id = id
    this.incarnation = incarnation
    this.since = now
    this.raised = now
  }

  /** This node itself is not sure that the member lives. */
  get isOwn(): boolean {
    return this.state === 'probing' || this.state === 'indirect' || this.state === 'accused'
  }

  enter(state: SuspicionState, now: Milliseconds): void {
    this.state = state
    this.since = now
    this.nextRound = Infinity
    this.nextSpread = Infinity
    this.judgeAt = Infinity
    this.isTimedOut = false
  }

  /** What the pool was told is void. */
  unpublish(): void {
    this.publishAt = Infinity
    this.judgedFrom = Infinity
    this.awaited.clear()
  }

  /** All, with their accusers. */
  get accusations(): ReadonlyMap<NodeId, Statement<Accusation>> {
    return this.#accusations
  }

  /** Its accuser knows it. */
  add(accusation: Statement<Accusation>): void {
    this.#accusations.set(accusation.signer, accusation)
    this.exchange(accusation.signer, accusation)
  }

  remove(accuser: NodeId): void {
    this.#accusations.delete(accuser)
  }

  /** Peers that heard of it from us, or we from them. */
  get peers(): IterableIterator<NodeId> {
    return this.#exchanged.keys()
  }

  exchange(peer: NodeId, accusation: Statement): void {
    this.#exchanged.set(peer, (this.#exchanged.get(peer) ?? new Set()).add(accusation))
  }

  /** What this peer has not heard from us, nor we from it. */
  newsFor(peer: NodeId): Statement<Accusation>[] {
    return [...this.#accusations.values()].filter((accusation) => this.#exchanged.get(peer)?.has(accusation) !== true)
  }
}
