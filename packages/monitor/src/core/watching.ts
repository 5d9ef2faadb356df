import { Timers, type Machine, type TimerEffect, type TimerInput } from '@jel/machine'
import type { Problem } from './reading.ts'
import { KEPT, Ring, type Sample } from './ring.ts'
import type { Milliseconds } from './sensor.ts'
import type { Value } from '../expression/value.ts'
import type { ParsedWatch } from './watch-spec.ts'
import { Window } from './window.ts'

/** The last sample that a consumer has of an attribute, before its stream broke. */
export interface Since {
  /** Names the series: a restarted one has another number. */
  readonly series: number
  readonly seq: number
}

/** A message to a consumer. `index`: the place of the attribute in the watch. */
export type Row =
  | ({ readonly type: 'sample'; readonly index: number; readonly series: number; readonly replayed: boolean } & Sample & {
        /** Whether the condition of the watch holds; undefined: it has none. */
        readonly holds?: boolean | undefined
        /** The number of members whose values are in this one; undefined: one. */
        readonly count?: number
      })
  | { readonly type: 'problem'; readonly index: number; readonly problem: Problem }
  /** The samples between two numbers are not in the ring any more. */
  | { readonly type: 'gap'; readonly index: number; readonly missing: number }
  /** So many samples were not sent, since the consumer was slow. */
  | { readonly type: 'lost'; readonly count: number }

export type WatchInput =
  | {
      readonly type: 'watch'
      readonly watch: string
      readonly spec: ParsedWatch
      readonly since: Readonly<Record<string, Since>>
      readonly held?: boolean
    }
  | { readonly type: 'unwatch'; readonly watch: string }
  | { readonly type: 'measured'; readonly name: string; readonly value: Value }
  | { readonly type: 'failed'; readonly name: string; readonly problem: Problem }
  /** The consumer takes no rows for now, or takes rows again. */
  | { readonly type: 'full' | 'ready'; readonly watch: string }

export type WatchEffect =
  | { readonly type: 'measure'; readonly name: string }
  | { readonly type: 'send'; readonly watch: string; readonly rows: readonly Row[] }

/** An attribute that is or was watched. */
interface Series {
  readonly id: number
  readonly ring: Ring
  readonly watchers: Set<Watch>
  seq: number
  /** The time of the next sample, or of its end if nobody watches. */
  dueAt: Milliseconds
  isMeasuring: boolean
}

/** One attribute of a watch. */
interface Watched {
  readonly window: Window | undefined
  nextAt: Milliseconds
  /** The last value, reduced if there is a window. */
  value: Value | undefined
  sent: Value | undefined
  problem: string | undefined
}

interface Watch {
  readonly id: string
  readonly spec: ParsedWatch
  readonly watched: readonly Watched[]
  readonly began: Milliseconds
  holds: boolean | undefined
  isFull: boolean
  /** The latest unsent row of each attribute. */
  readonly pending: Map<number, Row>
  lost: number
}

/**
 * The producer of watched values (GMA). It samples an attribute only while somebody watches it, as
 * often as the fastest watcher wants, once for all watchers. A slow consumer gets the latest value
 * of each attribute. Ten minutes of samples wait for a consumer whose stream broke.
 */
export class Watching implements Machine<WatchInput, WatchEffect> {
  readonly #random: () => number
  readonly #origin: Milliseconds
  readonly #series = new Map<string, Series>()
  readonly #watches = new Map<string, Watch>()
  readonly #timers = new Timers(['series'])
  #effects: (WatchEffect | TimerEffect)[] = []
  #now: Milliseconds = 0

  /** @param origin the Unix time at which the clock of the inputs is 0, ms */
  constructor(random: () => number, origin: Milliseconds) {
    this.#random = random
    this.#origin = origin
  }

  handle(input: WatchInput | TimerInput, now: Milliseconds): readonly (WatchEffect | TimerEffect)[] {
    this.#now = now
    this.#effects = []
    switch (input.type) {
      case 'watch':
        this.#watch(input)
        break
      case 'unwatch':
        this.#unwatch(input.watch)
        break
      case 'measured':
        this.#measured(input.name, input.value)
        break
      case 'failed':
        this.#failed(input.name, input.problem)
        break
      case 'full':
      case 'ready':
        this.#flow(input.watch, input.type === 'full')
        break
      case 'timer':
        break
    }
    this.#timers.fire(now, () => this.#due())
    this.#schedule()
    return this.#effects
  }

  #watch({ watch: id, spec, since, held }: Extract<WatchInput, { type: 'watch' }>): void {
    const { over, reduce } = spec
    const watched = spec.attributes.map(() => ({
      window: over === undefined ? undefined : new Window(over, reduce),
      nextAt: this.#now,
      value: undefined,
      sent: undefined,
      problem: undefined,
    }))
    const watch: Watch = {
      id,
      spec,
      watched,
      holds: held === true ? true : undefined,
      began: this.#now,
      isFull: false,
      pending: new Map(),
      lost: 0,
    }
    this.#watches.set(id, watch)
    for (const [index, name] of spec.attributes.entries()) {
      const series = this.#series.get(name) ?? this.#begin(name)
      series.watchers.add(watch)
      series.dueAt = Math.min(series.dueAt, this.#now)
      const from = since[name]
      if (from !== undefined) this.#replay(watch, index, series, from)
    }
  }

  #begin(name: string): Series {
    const series: Series = {
      id: Math.floor(this.#random() * 2 ** 32),
      ring: new Ring(),
      watchers: new Set(),
      seq: 0,
      dueAt: this.#now,
      isMeasuring: false,
    }
    this.#series.set(name, series)
    return series
  }

  /** Sends the samples of the ring that the consumer does not have, in order. */
  #replay(watch: Watch, index: number, series: Series, since: Since): void {
    if (since.series !== series.id) return
    const samples = series.ring.after(since.seq)
    const missing = (samples[0]?.seq ?? series.seq + 1) - since.seq - 1
    // The filters of a watch leave numbers out, too.
    if (missing > 0 && watch.spec.when === undefined && watch.spec.change === undefined) this.#send(watch, { type: 'gap', index, missing })
    for (const sample of samples) this.#take(watch, index, series, sample, true)
  }

  #unwatch(id: string): void {
    const watch = this.#watches.get(id)
    if (watch === undefined) return
    this.#watches.delete(id)
    for (const name of watch.spec.attributes) {
      const series = this.#series.get(name)
      series?.watchers.delete(watch)
      if (series?.watchers.size !== 0) continue
      if (series.seq === 0) this.#series.delete(name)
      else series.dueAt = this.#now + KEPT
    }
  }

  #due(): void {
    for (const [name, series] of this.#series) {
      if (this.#now < series.dueAt) continue
      if (series.watchers.size === 0) this.#series.delete(name)
      else if (!series.isMeasuring) {
        series.isMeasuring = true
        series.dueAt = Math.max(series.dueAt + everyOf(series), this.#now)
        this.#effects.push({ type: 'measure', name })
      }
    }
  }

  #schedule(): void {
    let next = Infinity
    for (const { dueAt, isMeasuring } of this.#series.values()) if (!isMeasuring && dueAt < next) next = dueAt
    if (next === this.#timers.at('series')) return
    this.#timers.set('series', next)
    this.#effects.push({ type: 'timer', at: next })
  }

  #measured(name: string, value: Value): void {
    const series = this.#series.get(name)
    if (series === undefined) return
    series.isMeasuring = false
    const sample = { seq: ++series.seq, at: Math.round(this.#origin + this.#now), value }
    series.ring.push(sample)
    for (const watch of series.watchers) {
      const index = watch.spec.attributes.indexOf(name)
      const watched = watch.watched[index] as Watched
      // Another watcher may want more samples than this one.
      if (this.#now < watched.nextAt - everyOf(series) / 2) continue
      watched.nextAt = Math.max(watched.nextAt + watch.spec.every, this.#now)
      this.#take(watch, index, series, sample, false)
    }
  }

  /** A problem is sent once, until there is a value again. */
  #failed(name: string, problem: Problem): void {
    const series = this.#series.get(name)
    if (series === undefined) return
    series.isMeasuring = false
    for (const watch of series.watchers) {
      const index = watch.spec.attributes.indexOf(name)
      const watched = watch.watched[index] as Watched
      if (watched.problem === problem.message) continue
      watched.problem = problem.message
      this.#send(watch, { type: 'problem', index, problem })
    }
  }

  /** Sends a sample if the filters of the watch let it pass. */
  #take(watch: Watch, index: number, { id: series }: Series, sample: Sample, replayed: boolean): void {
    const { when, change } = watch.spec
    const watched = watch.watched[index] as Watched
    const { window } = watched
    watched.problem = undefined
    const value = window === undefined || typeof sample.value !== 'number' ? sample.value : window.push(sample.value, sample.at)
    if (typeof value === 'number' && !Number.isFinite(value)) return
    // A short window would show single values.
    if (watch.spec.isSummary === true && (typeof value !== 'number' || this.#now - watch.began < (watch.spec.over ?? 0))) return
    watched.value = value
    const holds =
      when === undefined ? undefined : when.evaluate((name) => watch.watched[watch.spec.attributes.indexOf(name)]?.value) === true
    const turned = holds !== watch.holds && !(watch.holds === undefined && holds === false)
    watch.holds = holds
    const isChange =
      (when === undefined || holds === true) && (change === undefined ? when === undefined : differs(value, watched.sent, change))
    if (!turned && !isChange) return
    watched.sent = value
    this.#send(watch, { type: 'sample', index, series, replayed, ...sample, value, ...(holds !== undefined && { holds }) })
  }

  #send(watch: Watch, row: Row): void {
    if (!watch.isFull) {
      this.#effects.push({ type: 'send', watch: watch.id, rows: [row] })
      return
    }
    if (row.type === 'lost') return
    if (watch.pending.has(row.index)) watch.lost++
    watch.pending.set(row.index, row)
  }

  #flow(id: string, isFull: boolean): void {
    const watch = this.#watches.get(id)
    if (watch === undefined || watch.isFull === isFull) return
    watch.isFull = isFull
    if (isFull || watch.pending.size === 0) return
    const rows: Row[] = watch.lost > 0 ? [{ type: 'lost', count: watch.lost }] : []
    this.#effects.push({ type: 'send', watch: id, rows: [...rows, ...watch.pending.values()] })
    watch.pending.clear()
    watch.lost = 0
  }
}

/** Returns the time between two samples that the fastest watcher wants. */
function everyOf({ watchers }: Series): Milliseconds {
  let every = Infinity
  for (const { spec } of watchers) every = Math.min(every, spec.every)
  return every
}

function differs(value: Value, sent: Value | undefined, change: number): boolean {
  if (typeof value === 'number' && typeof sent === 'number') return Math.abs(value - sent) > change * Math.abs(sent)
  return JSON.stringify(value) !== JSON.stringify(sent)
}
