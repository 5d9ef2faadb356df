/**
 * A suspicion: the state of one member that may be dead. It has this node's findings, and the
 * accusations against the member, by this node and others.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Statement, Accusation } from '../../facts/statement.ts'
import type { Evidence } from './suspicion-timeout.ts'
import { transitions, type Finding, type SuspicionState } from './transitions.ts'

/** The timers of a suspicion. */
export type Timer =
  /** The next direct probe. */
  | 'probe'
  /**
   * The next round of indirect probes. For a reported member: the time at which this node may begin
   * to probe it, if the accusations do not suffice by then.
   */
  | 'round'
  /** The next round in which this node sends accusations to more members. */
  | 'spread'
  /**
   * Publication of this node's accusation. This node does not publish it if the known accusations
   * suffice by then, and one of them is public.
   */
  | 'publish'
  /**
   * The next check whether the accusations suffice, and whether the time to refute them is over.
   */
  | 'judge'

/**
 * Accusations that have not led to a death expire this long after the suspicion entered its present
 * state, ms. Guess: longer than a node waits for an unresponsive process.
 */
export const lifetime = 30_000

/** Receives the changes of suspicions. */
export interface SuspicionWatcher {
  /** The suspicion's due time changed. */
  rescheduled(suspicion: Suspicion): void
  entered(state: SuspicionState, from: SuspicionState): void
  /** A dial began (1) or ended (-1). */
  dialled(count: 1 | -1): void
}

export class Suspicion {
  readonly id: NodeId
  readonly incarnation: number
  readonly raised: Milliseconds
  /** When this node last began to probe the member directly. Infinity: it has not begun. */
  missedSince: Milliseconds = Infinity
  evidence: Evidence = 'none'
  /**
   * The member did not answer this node in time. This node has asked one of the member's observers,
   * and waits a moment for the answer.
   */
  isTimedOut = false
  /** Number of direct probes. */
  probes = 0
  /** Start of the host probe (a bare transport connect) that is under way. */
  hostProbing: Milliseconds | undefined
  /** Number of rounds of indirect probes. */
  rounds = 0
  /** The helper that reached the member last. */
  relay: NodeId | undefined
  /**
   * The latest heartbeat that this node knew when the first refutation came. A later refutation is
   * a sure sign of life only if the latest heartbeat known by that time exceeds this one by more
   * than `slack` (`heartbeats.ts`). Undefined before the first refutation, and again after a helper
   * reached the member or accusations expired.
   */
  refutedHeartbeat: number | undefined
  /**
   * Number of rounds in which this node sent accusations to more members, since it accused the
   * member itself.
   */
  spreads = 0
  /**
   * The member gets time to refute the accusations of these accusers. The set is no larger than the
   * number of accusers that this node needs to believe a death.
   */
  readonly awaited = new Set<NodeId>()
  /**
   * The earliest time at which accusations may become a certificate; Infinity: no accusation is
   * public yet.
   */
  judgedFrom: Milliseconds = Infinity
  readonly #accusations = new Map<NodeId, Statement<Accusation>>()
  /**
   * The accusations by heartbeat, then by accuser. Thousands of ids may accuse one member, and each
   * accusation causes a judgement. So each insertion keeps the order, and no judgement has to sort.
   */
  readonly #byHeartbeat: Statement<Accusation>[] = []
  /** By peer: the statements that the peer received from this node or sent to it. */
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

  /**
   * Start of the present state. The state `reported` begins with the first report, or with the
   * member's answer to this node.
   */
  get since(): Milliseconds {
    return this.#since
  }

  /**
   * True if this node itself suspects the member: it probes the member, directly or through
   * helpers, or accuses it.
   */
  get isOwn(): boolean {
    return isOwn(this.#state)
  }

  /** True if the member did not answer this node's own probes in time. */
  get isMissed(): boolean {
    return this.isTimedOut || (this.#state !== 'reported' && this.#state !== 'probing')
  }

  /** Start of the dial that is under way. */
  get dialling(): Milliseconds | undefined {
    return this.#dialling
  }

  set dialling(since: Milliseconds | undefined) {
    const change = Number(since !== undefined) - Number(this.#dialling !== undefined)
    this.#dialling = since
    if (change !== 0) this.#watcher?.dialled(change as 1 | -1)
  }

  /**
   * Changes the state by the table of transitions. Returns false if the finding changes nothing in
   * the present state. A change clears `isTimedOut` and the timers `round`, `spread` and `judge`.
   * The timer `probe` stays, since direct probes go on in the states `indirect` and `accused`. The
   * timer `publish` has an effect only in the state `accused`.
   */
  enter(finding: Finding, now: Milliseconds): boolean {
    const state = transitions[this.#state][finding]
    if (state === undefined) return false
    this.#watcher?.entered(state, this.#state)
    this.#state = state
    this.#since = now
    this.isTimedOut = false
    for (const timer of ['round', 'spread', 'judge'] as const) this.#times[timer] = Infinity
    this.#watcher?.rescheduled(this)
    return true
  }

  /**
   * Moves the starts of the present state and of the direct probes to a later time, by `time` ms. A
   * negative time moves them to an earlier time.
   */
  delay(time: Milliseconds): void {
    this.#since += time
    this.missedSince += time
    this.#watcher?.rescheduled(this)
  }

  /**
   * Moves the judgement, and the starts of the present state and of the direct probes, to a later
   * time, by `lateness` ms. This process stalled. So an answer of the member, or its refutation,
   * may wait in the sockets.
   */
  stalled(lateness: Milliseconds): void {
    this.judgedFrom += lateness
    this.#times.judge += lateness
    this.delay(lateness)
  }

  /** Returns the due time of a timer; Infinity: not due. */
  at(timer: Timer): Milliseconds {
    return this.#times[timer]
  }

  schedule(timer: Timer, at: Milliseconds): void {
    this.#times[timer] = at
    this.#watcher?.rescheduled(this)
  }

  /** Moves a timer to an earlier time. Does nothing if the timer is due before that time. */
  advance(timer: Timer, at: Milliseconds): void {
    if (at < this.#times[timer]) this.schedule(timer, at)
  }

  /** The earliest time at which a timer is due or accusations expire. */
  get nextDue(): Milliseconds {
    const { probe, round } = this.#times
    return Math.min(round, this.isOwn ? probe : Infinity, this.accusationsDue)
  }

  /** The next time to spread, publish, judge or drop accusations. */
  get accusationsDue(): Milliseconds {
    if (this.#accusations.size === 0) return Infinity
    const { spread, publish, judge } = this.#times
    return Math.min(spread, judge, this.#since + lifetime, this.#state === 'accused' ? publish : Infinity)
  }

  /** Ends the suspicion: its watcher learns of no more changes. */
  end(): void {
    this.#watcher = undefined
  }

  /**
   * Treats the accusations as unpublished. When somebody publishes one again, the member gets new
   * time to refute it.
   */
  unpublish(): void {
    this.judgedFrom = Infinity
    this.awaited.clear()
    this.schedule('publish', Infinity)
  }

  /** All accusations, by accuser. */
  get accusations(): ReadonlyMap<NodeId, Statement<Accusation>> {
    return this.#accusations
  }

  /** All accusations, by heartbeat, then by accuser. */
  get byHeartbeat(): readonly Statement<Accusation>[] {
    return this.#byHeartbeat
  }

  /** Adds an accusation. Its accuser has it already. */
  add(accusation: Statement<Accusation>): void {
    this.#unlist(accusation.signer)
    this.#byHeartbeat.splice(this.#indexOf(accusation), 0, accusation)
    this.#accusations.set(accusation.signer, accusation)
    this.exchange(accusation.signer, accusation)
    this.#watcher?.rescheduled(this)
  }

  remove(accuser: NodeId): void {
    this.#unlist(accuser)
    this.#accusations.delete(accuser)
    this.#watcher?.rescheduled(this)
  }

  /** Peers that received accusations from this node, or sent them. */
  get peers(): IterableIterator<NodeId> {
    return this.#exchanged.keys()
  }

  exchange(peer: NodeId, accusation: Statement): void {
    this.#exchanged.set(peer, (this.#exchanged.get(peer) ?? new Set()).add(accusation))
  }

  /** True if this peer received the accusation from this node, or sent it. */
  hasExchanged(peer: NodeId, accusation: Statement): boolean {
    return this.#exchanged.get(peer)?.has(accusation) === true
  }

  /** Returns the accusations that this peer neither received from this node nor sent to it. */
  newsFor(peer: NodeId): Statement<Accusation>[] {
    return [...this.#accusations.values()].filter((accusation) => !this.hasExchanged(peer, accusation))
  }

  #unlist(accuser: NodeId): void {
    const accusation = this.#accusations.get(accuser)
    if (accusation === undefined) return
    this.#byHeartbeat.splice(this.#indexOf(accusation), 1)
    // Nobody sends a replaced accusation again. So this node forgets which peers have it: an
    // accuser may replace its accusation any number of times.
    for (const statements of this.#exchanged.values()) statements.delete(accusation)
  }

  /** Returns the place of an accusation in the order of heartbeats. */
  #indexOf(accusation: Statement<Accusation>): number {
    let [start, end] = [0, this.#byHeartbeat.length]
    while (start < end) {
      const middle = (start + end) >> 1
      if (isEarlier(this.#byHeartbeat[middle] as Statement<Accusation>, accusation)) start = middle + 1
      else end = middle
    }
    return start
  }
}

function isEarlier(a: Statement<Accusation>, b: Statement<Accusation>): boolean {
  const difference = a.content.heartbeat - b.content.heartbeat
  return difference === 0 ? a.signer < b.signer : difference < 0
}

function isOwn(state: SuspicionState): boolean {
  return state === 'probing' || state === 'indirect' || state === 'accused'
}
