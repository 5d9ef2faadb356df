/** Doubts: the members whose state is unsure, and what was found out about each. */
import type { Member, Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'

export interface Doubt {
  readonly raised: Milliseconds
  /** From when on its time counts. */
  since: Milliseconds
  readonly incarnation: number
  /** Latest thing that was found out about its host. */
  evidence: 'none' | 'refused' | 'silent' | 'mute'
  /** Knocks in a row that were accepted. */
  accepted: number
  /** A knock is under way since. */
  knocking: Milliseconds | undefined
  /** A dial is under way since. */
  dialling: Milliseconds | undefined
  nextCheck: Milliseconds
  /** How often it was looked at. */
  looks: number
  convicted: boolean
}

export class Doubts {
  readonly #context: Context
  readonly #doubts = new Map<NodeId, Doubt>()

  constructor(context: Context) {
    this.#context = context
  }

  get size(): number {
    return this.#doubts.size
  }

  /** When the first of them is to be looked at; Infinity: there is none. */
  get nextCheck(): Milliseconds {
    let next = Infinity
    if (this.#doubts.size > 0) for (const { nextCheck } of this.#doubts.values()) next = Math.min(next, nextCheck)
    return next
  }

  /** Between two looks at one member, ms, where all are looked at in turn, at a bounded rate in all. */
  get pace(): Milliseconds {
    const { recheck, checks } = this.#context.config.detection
    return recheck * Math.ceil(this.#doubts.size / checks)
  }

  /** Dials to find out more that are under way. */
  get dialling(): number {
    let count = 0
    for (const { dialling } of this.#doubts.values()) if (dialling !== undefined) count += 1
    return count
  }

  /** Those that have not come to a verdict. */
  get open(): number {
    let count = 0
    for (const { convicted } of this.#doubts.values()) if (!convicted) count += 1
    return count
  }

  has(id: NodeId): boolean {
    return this.#doubts.has(id)
  }

  get(id: NodeId): Doubt | undefined {
    return this.#doubts.get(id)
  }

  entries(): IterableIterator<[NodeId, Doubt]> {
    return this.#doubts.entries()
  }

  values(): IterableIterator<Doubt> {
    return this.#doubts.values()
  }

  /** To be looked at right now. */
  raise({ id, incarnation }: Member): Doubt {
    const { now } = this.#context
    const doubt: Doubt = {
      raised: now,
      since: now,
      incarnation,
      evidence: 'none',
      accepted: 0,
      knocking: undefined,
      dialling: undefined,
      nextCheck: now,
      looks: 0,
      convicted: false,
    }
    this.#doubts.set(id, doubt)
    return doubt
  }

  /** True if there was one. */
  drop(id: NodeId): boolean {
    return this.#doubts.delete(id)
  }

  /** All members with a link have been in doubt for so long. */
  coverAllLinks(long: Milliseconds): boolean {
    const { now, links, view } = this.#context
    for (const peer of links.keys()) {
      const doubt = this.#doubts.get(peer)
      if (doubt === undefined ? view.get(peer) !== undefined : now - doubt.raised < long) return false
    }
    return true
  }

  /** What this process missed in so long says nothing about others. */
  stalled(lateness: Milliseconds): void {
    for (const doubt of this.#doubts.values()) doubt.since += lateness
  }
}
