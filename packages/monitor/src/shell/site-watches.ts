import type { Watch } from './watch.ts'
import type { ParsedWatch } from '../core/watch-spec.ts'
import { reduceNumbers, type Reducer } from '../core/window.ts'

/** A value that is older than so many intervals does not count: its member may be gone. A guess. */
const STALE = 4
/**
 * Maximum number of different watches of a site, and of those of one consumer. Each takes a watch
 * of all members of the site, of eight that one member may have there. Guesses.
 */
const [MAX_DIFFERENT, MAX_OF_ONE] = [4, 2]

/** The values of a site at one time: for each attribute the reduced number, and how many it has. */
export type SiteValues = readonly { readonly value: number; readonly count: number }[]

/** A number of all members of a site: the reduced values of an attribute. */
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
  /** The consumer that began it. */
  readonly by: string
  readonly watch: Watch
  readonly spec: ParsedWatch
  readonly listeners: Set<(values: SiteValues) => void>
  /** The latest values. */
  values: SiteValues
  readonly timer: ReturnType<typeof setInterval>
}

/**
 * Aggregates attributes over the members of this member's site. Consumers that want the same share
 * one watch. So a member is measured once for all consumers, and sends its values within its site.
 */
export class SiteWatches {
  /** Watches all members of the site. */
  readonly #watchSite: (spec: ParsedWatch) => Watch
  readonly #watches = new Map<string, SiteWatch>()

  constructor(watchSite: (spec: ParsedWatch) => Watch) {
    this.#watchSite = watchSite
  }

  /**
   * Whether there is room for this watch. The watch of others with the same attributes is shared.
   */
  mayFollow({ attributes, every, reduce }: ParsedWatch, from: string): boolean {
    if (this.#watches.has(JSON.stringify([attributes, every, reduce]))) return true
    const own = [...this.#watches.values()].filter((each) => each.by === from).length
    return this.#watches.size < MAX_DIFFERENT && own < MAX_OF_ONE
  }

  /**
   * Calls a function with the reduced values of the site, once each `every`.
   *
   * @returns ends the calls
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

  /** The latest numbers of all watches that run, those with members only. */
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
