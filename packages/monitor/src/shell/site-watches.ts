import type { Watch } from './watch.ts'
import type { ParsedWatch } from '../core/watch-spec.ts'
import { reduceNumbers, type Reducer } from '../core/window.ts'

/**
 * A value that is older than this number of intervals does not count: its member may be gone. A
 * guess.
 */
const STALE = 4
/**
 * Maximum number of different watches of a site, in total and for one consumer. For each of them
 * this member watches all members of its site. Each of those members serves this member at most
 * eight watches. Guesses.
 */
const [MAX_DIFFERENT, MAX_OF_ONE] = [4, 2]

/**
 * The values of a site at one time: for each attribute the reduced number, and the number of
 * members that have a value.
 */
export type SiteValues = readonly { readonly value: number; readonly count: number }[]

/** The reduced values of an attribute at all members of a site. */
export interface SiteAggregate {
  readonly name: string
  readonly reduce: Reducer
  /** ms */
  readonly every: number
  readonly value: number
  /** The number of members that have a value. */
  readonly count: number
}

/** A watch of all members of the site of this member, for all consumers that want the same. */
interface SiteWatch {
  /** The consumer for which it began. */
  readonly by: string
  readonly watch: Watch
  readonly spec: ParsedWatch
  readonly listeners: Set<(values: SiteValues) => void>
  /** The latest values. */
  values: SiteValues
  readonly timer: ReturnType<typeof setInterval>
}

/**
 * Aggregates attributes over the members of the site of this member. Consumers that want the same
 * aggregate share one watch. So each member of the site measures once for all consumers, and sends
 * its values to this member only.
 */
export class SiteWatches {
  /** Watches all members of the site. */
  readonly #watchSite: (spec: ParsedWatch) => Watch
  readonly #watches = new Map<string, SiteWatch>()

  constructor(watchSite: (spec: ParsedWatch) => Watch) {
    this.#watchSite = watchSite
  }

  /**
   * Whether this watch is within the limits. A watch that runs already is always within them,
   * because its consumers share it.
   */
  mayFollow({ attributes, every, reduce }: ParsedWatch, from: string): boolean {
    if (this.#watches.has(JSON.stringify([attributes, every, reduce]))) return true
    const own = [...this.#watches.values()].filter((each) => each.by === from).length
    return this.#watches.size < MAX_DIFFERENT && own < MAX_OF_ONE
  }

  /**
   * Calls a function with the reduced values of the site, once each `every`.
   *
   * @returns a function that ends the calls
   */
  follow(spec: ParsedWatch, by: string, listener: (values: SiteValues) => void): () => void {
    const { attributes, every, reduce } = spec
    const key = JSON.stringify([attributes, every, reduce])
    const shared = this.#watches.get(key) ?? this.#begin(key, spec, by)
    shared.listeners.add(listener)
    return () => {
      shared.listeners.delete(listener)
      if (shared.listeners.size > 0 || this.#watches.get(key) !== shared) return
      this.#watches.delete(key)
      this.#end(shared)
    }
  }

  /** The latest aggregates of all watches that run. An attribute without a value is left out. */
  get aggregates(): SiteAggregate[] {
    return [...this.#watches.values()].flatMap(({ spec: { attributes, every, reduce }, values }) =>
      values.flatMap(({ value, count }, at) => (count === 0 ? [] : [{ name: attributes[at] as string, reduce, every, value, count }])),
    )
  }

  close(): void {
    for (const shared of this.#watches.values()) this.#end(shared)
    this.#watches.clear()
  }

  #end({ watch, timer }: SiteWatch): void {
    clearInterval(timer)
    watch.close()
  }

  #begin(key: string, spec: ParsedWatch, by: string): SiteWatch {
    const { attributes, every, reduce } = spec
    /** For each attribute the latest number of each member. */
    const latest = attributes.map(() => new Map<string, { readonly value: number; readonly at: number }>())
    const watch = this.#watchSite(spec)
    const listeners = new Set<(values: SiteValues) => void>()
    void (async () => {
      for await (const event of watch) {
        if (event.type === 'sample') {
          if (typeof event.value === 'number')
            latest[attributes.indexOf(event.name)]?.set(event.member, { value: event.value, at: performance.now() })
        } else if (event.type === 'ended') for (const values of latest) values.delete(event.member)
        else if (event.type === 'problem') latest[attributes.indexOf(event.name)]?.delete(event.member)
      }
    })()
    const timer = setInterval(() => {
      const oldest = performance.now() - STALE * every
      const values = latest.map((each) => {
        for (const [member, { at }] of each) if (at < oldest) each.delete(member)
        const value =
          each.size === 0
            ? 0
            : reduceNumbers(
                [...each.values()].map((sample) => sample.value),
                reduce,
              )
        return Number.isFinite(value) ? { value, count: each.size } : { value: 0, count: 0 }
      })
      shared.values = values
      for (const listener of listeners) listener(values)
    }, every)
    const shared: SiteWatch = { by, spec, watch, listeners, timer, values: [] }
    this.#watches.set(key, shared)
    return shared
  }
}
