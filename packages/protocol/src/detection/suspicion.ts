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

/** What a suspicion waits for. */
export type Timer =
  /** The next direct probe. */
  | 'probe'
  /** The next round of indirect probes; of what others report, when this node probes it after all. */
  | 'round'
  /** The next round of telling more members. */
  | 'spread'
  /** When this node publishes its accusation, unless what it holds is enough by then. */
  | 'publish'
  /** When to look whether accusations are enough, or waited long enough. */
  | 'judge'

/** An accusation that found no company for this long is void, ms. Guess: above the wait for an unresponsive process. */
export const lifetime = 30_000

/** Who keeps account of suspicions. */
export interface SuspicionWatcher {
  /** It is due at another time. */
  rescheduled(suspicion: Suspicion): void
  entered(state: SuspicionState, from: SuspicionState): void
  /** A dial began (1) or came to an end (-1). */
  dialled(count: 1 | -1): void
}

export class Suspicion {
  readonly id: NodeId
  readonly incarnation: number
  readonly raised: Milliseconds
  /** When this node began to probe it directly, the last time. */
  missedSince: Milliseconds = Infinity
  evidence: Evidence = 'none'
  /** It did not answer this node in time; its observers are left a moment. */
  isTimedOut = false
  /** How often it was probed directly. */
  probes = 0
  /** A host probe is under way since. */
  hostProbing: Milliseconds | undefined
  /** Rounds of indirect probes. */
  rounds = 0
  /** The helper that reached it last. */
  relay: NodeId | undefined
  /** The beat that the member had reached, as far as known, when it first refuted this; undefined: it did not, or a helper has reached it since. */
  refutedBeat: number | undefined
  /** Rounds of telling more members. */
  spreads = 0
  /** Accusers whose accusation the member is given the time to refute, no more than a death needs. */
  readonly awaited = new Set<NodeId>()
  /** From when on they may become a certificate; Infinity: the pool was told of none yet. */
  judgedFrom: Milliseconds = Infinity
  readonly #accusations = new Map<NodeId, Statement<Accusation>>()
  /** What each peer was told, or told us. */
  readonly #exchanged = new Map<NodeId, Set<Statement>>()

  readonly #times: Record<Timer, Milliseconds> = { probe: Infinity, round: Infinity, spread: Infinity, publish: Infinity, judge: Infinity }
  #watcher: SuspicionWatcher | undefined
  #state: SuspicionState = 'reported'
  #since: Milliseconds
  #dialling: Milliseconds | undefined

  constructor(id: NodeId, incarnation: number, now: Milliseconds, watcher?: SuspicionWatcher) {
    this.id = id
    this.incarnation = incarnation
    this.raised = now
    this.#since = now
    this.#watcher = watcher
  }

  get state(): SuspicionState {
    return this.#state
  }

  /** Since when the present state lasts; of what others report, since the first report. */
  get since(): Milliseconds {
    return this.#since
  }

  /** This node itself is not sure that the member lives. */
  get isOwn(): boolean {
    return isOwn(this.#state)
  }

  /** A dial is under way since. */
  get dialling(): Milliseconds | undefined {
    return this.#dialling
  }

  set dialling(since: Milliseconds | undefined) {
    const change = Number(since !== undefined) - Number(this.#dialling !== undefined)
    this.#dialling = since
    if (change !== 0) this.#watcher?.dialled(change as 1 | -1)
  }

  enter(state: SuspicionState, now: Milliseconds): void {
    this.#watcher?.entered(state, this.#state)
    this.#state = state
    this.#since = now
    this.isTimedOut = false
    for (const timer of ['round', 'spread', 'judge'] as const) this.#times[timer] = Infinity
    this.#watcher?.rescheduled(this)
  }

  /** The present state began so much later, ms. */
  delay(time: Milliseconds): void {
    this.#since += time
    this.missedSince += time
    this.#watcher?.rescheduled(this)
  }

  /** When this is due; Infinity: not at all. */
  at(timer: Timer): Milliseconds {
    return this.#times[timer]
  }

  schedule(timer: Timer, at: Milliseconds): void {
    this.#times[timer] = at
    this.#watcher?.rescheduled(this)
  }

  /** It is due then, if it was to be later. */
  advance(timer: Timer, at: Milliseconds): void {
    if (at < this.#times[timer]) this.schedule(timer, at)
  }

  /** When the first of all is due. */
  get nextDue(): Milliseconds {
    const { probe, round } = this.#times
    return Math.min(round, this.isOwn ? probe : Infinity, this.accusationsDue)
  }

  /** When accusations are to be looked at. */
  get accusationsDue(): Milliseconds {
    if (this.#accusations.size === 0) return Infinity
    const { spread, publish, judge } = this.#times
    return Math.min(spread, judge, this.#since + lifetime, this.#state === 'accused' ? publish : Infinity)
  }

  /** It is over: nobody keeps account of it any more. */
  end(): void {
    this.#watcher = undefined
  }

  /** What the pool was told is void. */
  unpublish(): void {
    this.judgedFrom = Infinity
    this.awaited.clear()
    this.schedule('publish', Infinity)
  }

  /** All, with their accusers. */
  get accusations(): ReadonlyMap<NodeId, Statement<Accusation>> {
    return this.#accusations
  }

  /** Its accuser knows it. */
  add(accusation: Statement<Accusation>): void {
    this.#accusations.set(accusation.signer, accusation)
    this.exchange(accusation.signer, accusation)
    this.#watcher?.rescheduled(this)
  }

  remove(accuser: NodeId): void {
    this.#accusations.delete(accuser)
    this.#watcher?.rescheduled(this)
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

function isOwn(state: SuspicionState): boolean {
  return state === 'probing' || state === 'indirect' || state === 'accused'
}
