/** The suspicions of this node: one record for each member that may be dead. */
import { DueQueue } from '../../base/due-queue.ts'
import { hash52 } from '../../base/hash.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { observersOf } from '../../topology/rings.ts'
import { Suspicion, type SuspicionWatcher } from './suspicion.ts'
import type { SuspicionState } from './transitions.ts'

/** The largest number of direct probes within `reprobe` ms, of all suspects together. Guess. */
export const probesAtOnce = 8
/** First pause between two direct probes of a member, ms. Guess. */
export const reprobe = 500

export class Suspicions implements SuspicionWatcher {
  readonly #context: Context
  readonly #suspicions = new Map<NodeId, Suspicion>()
  /** Number of suspicions in each state. */
  readonly #counts: Record<SuspicionState, number> = { reported: 0, probing: 0, indirect: 0, relayed: 0, accused: 0 }
  #dialling = 0
  readonly #queue = new DueQueue<Suspicion>()
  /**
   * The number of each suspicion in the order of creation. Work that is due at the same time
   * follows this order.
   */
  readonly #order = new WeakMap<Suspicion, number>()
  #opened = 0
  /** Observers by suspect, in the present view. This node computes them once for each suspect. */
  readonly #observers = new Map<NodeId, ReadonlySet<NodeId>>()

  constructor(context: Context) {
    this.#context = context
  }

  get(id: NodeId): Suspicion | undefined {
    return this.#suspicions.get(id)
  }

  /**
   * Returns the suspicion of this member's present life, and creates it if there is none. Undefined
   * if the id is no member, or this node itself.
   */
  open(id: NodeId): Suspicion | undefined {
    const { view, now, id: self } = this.#context
    const member = view.get(id)
    if (member === undefined || id === self) return undefined
    let suspicion = this.#suspicions.get(id)
    if (suspicion === undefined) {
      suspicion = new Suspicion(id, member.incarnation, now, this)
      this.#suspicions.set(id, suspicion)
      this.#order.set(suspicion, this.#opened++)
      this.#counts[suspicion.state] += 1
    }
    return suspicion
  }

  delete(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    if (suspicion === undefined) return
    suspicion.dialling = undefined
    suspicion.end()
    this.#suspicions.delete(id)
    this.#counts[suspicion.state] -= 1
    this.#queue.delete(suspicion)
    this.arm()
  }

  rescheduled(suspicion: Suspicion): void {
    this.#queue.set(suspicion, suspicion.nextDue)
    this.arm()
  }

  entered(state: SuspicionState, from: SuspicionState): void {
    this.#counts[from] -= 1
    this.#counts[state] += 1
  }

  dialled(count: 1 | -1): void {
    this.#dialling += count
  }

  /** Sets the timer to the next time at which a suspicion is due. */
  arm(): void {
    this.#context.timers.set('suspicion', this.#queue.nextDue)
  }

  /** Returns the suspicions that are due, oldest first. */
  due(): Suspicion[] {
    const order = (suspicion: Suspicion): number => this.#order.get(suspicion) ?? 0
    return this.#queue.dueBy(this.#context.now).sort((a, b) => order(a) - order(b))
  }

  values(): IterableIterator<Suspicion> {
    return this.#suspicions.values()
  }

  get size(): number {
    return this.#suspicions.size
  }

  /** Number of members that only others reach. */
  get relayed(): number {
    return this.#counts.relayed
  }

  /** Number of members that this node itself suspects. */
  get own(): number {
    const { probing, indirect, accused } = this.#counts
    return probing + indirect + accused
  }

  /**
   * True if this node misses several members at once. A cut or a firewall causes that. One dead
   * process does not.
   */
  get areSeveral(): boolean {
    return this.own + this.relayed > 1
  }

  /** Number of members that this node probes. */
  get probing(): number {
    return this.#counts.probing
  }

  /** Number of dials to suspects that are under way. */
  get dialling(): number {
    return this.#dialling
  }

  /**
   * Shortest pause between two direct probes of one member, ms. It bounds the rate of all probes
   * together.
   */
  get pace(): Milliseconds {
    return reprobe * Math.ceil(this.own / probesAtOnce)
  }

  /** True if this node accuses the member. */
  isAccused(id: NodeId): boolean {
    return this.#suspicions.get(id)?.state === 'accused'
  }

  /** Number of members that this node accuses. */
  get accused(): number {
    return this.#counts.accused
  }

  observersOf(id: NodeId): ReadonlySet<NodeId> {
    let observers = this.#observers.get(id)
    if (observers === undefined) {
      const { config, facts, view } = this.#context
      observers = observersOf(id, config.links.rings, facts.registry, view)
      this.#observers.set(id, observers)
    }
    return observers
  }

  /**
   * Returns this node's rank, by lot, among nodes that may have the same news of a suspect. The
   * first node publishes the news.
   */
  rankAmong(others: Iterable<NodeId>, suspect: NodeId): number {
    const lot = (id: NodeId): number => hash52(suspect + id)
    const mine = lot(this.#context.id)
    return [...others].filter((id) => this.get(id)?.isOwn !== true && lot(id) < mine).length
  }

  /** Forgets the observers: they follow from the view. */
  viewChanged(): void {
    // Each newcomer causes a call, and each `clear` allocates a new table.
    if (this.#observers.size > 0) this.#observers.clear()
  }

  clear(): void {
    for (const id of this.#suspicions.keys()) this.delete(id)
    this.#observers.clear()
  }
}
