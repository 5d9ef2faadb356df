/** The suspicions of this node: the members whose state is unsure, one record each. */
import { hash52 } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { observersOf } from '../topology/rings.ts'
import { Suspicion } from './suspicion.ts'

/** Direct probes, of all suspects together, in this time. Guess. */
export const probesAtOnce = 8
/** Ms. Guess. */
export const reprobe = 500

export class Suspicions {
  readonly #context: Context
  readonly #suspicions = new Map<NodeId, Suspicion>()
  /** Observers of suspects in the present view: looked up once, not with each suspicion. */
  readonly #observers = new Map<NodeId, ReadonlySet<NodeId>>()

  constructor(context: Context) {
    this.#context = context
  }

  get(id: NodeId): Suspicion | undefined {
    return this.#suspicions.get(id)
  }

  /** That of this member's present life, made if there is none; undefined: it is no member, or this node itself. */
  open(id: NodeId): Suspicion | undefined {
    const { view, now, id: self } = this.#context
    const member = view.get(id)
    if (member === undefined || id === self) return undefined
    let suspicion = this.#suspicions.get(id)
    if (suspicion === undefined) {
      suspicion = new Suspicion(id, member.incarnation, now)
      this.#suspicions.set(id, suspicion)
    }
    return suspicion
  }

  delete(id: NodeId): void {
    this.#suspicions.delete(id)
  }

  values(): IterableIterator<Suspicion> {
    return this.#suspicions.values()
  }

  get size(): number {
    return this.#suspicions.size
  }

  /** Members that only others reach. */
  get relayed(): number {
    let count = 0
    for (const { state } of this.values()) if (state === 'relayed') count += 1
    return count
  }

  /** Members that this node itself is not sure of. */
  get own(): number {
    let count = 0
    for (const { isOwn } of this.#suspicions.values()) if (isOwn) count += 1
    return count
  }

  /** Those being probed. */
  get probing(): number {
    let count = 0
    for (const { state } of this.#suspicions.values()) if (state === 'probing') count += 1
    return count
  }

  /** Dials to find out more that are under way. */
  get dialling(): number {
    let count = 0
    for (const { dialling } of this.#suspicions.values()) if (dialling !== undefined) count += 1
    return count
  }

  /** Between two direct probes of one member, ms, where all are probed in turn, at a bounded rate in all. */
  get pace(): Milliseconds {
    return reprobe * Math.ceil(this.own / probesAtOnce)
  }

  /** This node accuses it: missed directly and through helpers. */
  isAccused(id: NodeId): boolean {
    return this.#suspicions.get(id)?.state === 'accused'
  }

  get accused(): NodeId[] {
    return [...this.#suspicions.values()].filter(({ state }) => state === 'accused').map(({ id }) => id)
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

  /** This node's place among those who may know the same of a suspect, by lot: the first makes it known. */
  rankAmong(others: Iterable<NodeId>, suspect: NodeId): number {
    const lot = (id: NodeId): number => hash52(suspect + id)
    const mine = lot(this.#context.id)
    return [...others].filter((id) => this.get(id)?.isOwn !== true && lot(id) < mine).length
  }

  /** The view changed: so did who observes whom. */
  viewChanged(): void {
    if (this.#observers.size > 0) this.#observers.clear() // not for nothing: it makes a new table, and this is called for each newcomer
  }

  clear(): void {
    this.#suspicions.clear()
    this.#observers.clear()
  }
}
