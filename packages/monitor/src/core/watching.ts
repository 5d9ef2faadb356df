import { Timers, type Machine, type TimerEffect, type TimerInput } from '@jel/machine'
import type { Problem } from './reading.ts'
import type { Row, Since } from './row.ts'
import type { Milliseconds } from './sensor.ts'
import { Series } from './series.ts'
import { ServedWatch } from './served-watch.ts'
import type { Value } from '../expression/value.ts'
import type { ParsedWatch } from './watch-spec.ts'

export type WatchInput =
  | {
      readonly type: 'watch'
      readonly watch: string
      readonly spec: ParsedWatch
      readonly since: Readonly<Record<string, Since>>
      /** The condition was true when the last stream broke. Default: no. */
      readonly held?: boolean
    }
  | { readonly type: 'unwatch'; readonly watch: string }
  | { readonly type: 'measured'; readonly name: string; readonly value: Value }
  | { readonly type: 'failed'; readonly name: string; readonly problem: Problem }
  /** The consumer is slow, or has read all. */
  | { readonly type: 'full' | 'ready'; readonly watch: string }

export type WatchEffect =
  | { readonly type: 'measure'; readonly name: string }
  | { readonly type: 'send'; readonly watch: string; readonly rows: readonly Row[] }

/**
 * The producer of watched values (GMA). It measures an attribute only while a consumer watches it:
 * as often as the most frequent watch wants, and once for all watches. It keeps the samples of ten
 * minutes for consumers whose streams broke.
 */
export class Watching implements Machine<WatchInput, WatchEffect> {
  readonly #random: () => number
  readonly #origin: Milliseconds
  readonly #series = new Map<string, Series>()
  readonly #watches = new Map<string, ServedWatch>()
  readonly #timers = new Timers(['series'])
  #effects: (WatchEffect | TimerEffect)[] = []
  #now: Milliseconds = 0

  /** @param origin the Unix time at which the clock of the inputs is 0, ms */
  constructor(random: () => number, origin: Milliseconds) {
    this.#random = random
    this.#origin = origin
  }

  handle(input: WatchInput | TimerInput, now: Milliseconds): readonly (WatchEffect | TimerEffect)[] {
    const wakeAt = this.#timers.next
    const isDue = wakeAt <= now
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
        this.#send(input.watch, this.#watches.get(input.watch)?.flow(input.type === 'full') ?? [])
        break
      case 'timer':
        break
    }
    // A watch that begins now waits for the timer. So all watches of this moment share a
    // measurement.
    if (isDue) this.#timers.fire(now, () => this.#measureDue())
    const { next } = this.#timers
    if (next !== wakeAt && next < Infinity) this.#effects.push({ type: 'timer', at: next })
    return this.#effects
  }

  #watch({ watch: id, spec, since, held = false }: Extract<WatchInput, { type: 'watch' }>): void {
    const watch = new ServedWatch(id, spec, held, this.#now)
    this.#watches.set(id, watch)
    for (const [index, name] of spec.attributes.entries()) {
      const series = this.#series.get(name) ?? new Series(Math.floor(this.#random() * 2 ** 32), this.#now)
      this.#series.set(name, series)
      series.add(watch, this.#now)
      this.#await(series)
      const from = since[name]
      if (from?.series === series.id) this.#send(id, watch.replay(index, series.id, series.after(from.seq), this.#now))
    }
  }

  #unwatch(id: string): void {
    const watch = this.#watches.get(id)
    if (watch === undefined) return
    this.#watches.delete(id)
    for (const name of watch.spec.attributes) if (this.#series.get(name)?.remove(watch, this.#now) === true) this.#series.delete(name)
  }

  /** Measures the series that are due, and ends those that nobody has watched for ten minutes. */
  #measureDue(): void {
    for (const [name, series] of this.#series) {
      if (this.#now >= series.dueAt && !series.isMeasuring) {
        if (series.watchers.size === 0) this.#series.delete(name)
        else {
          series.isMeasuring = true
          series.dueAt = Math.max(series.dueAt + series.every, this.#now)
          this.#effects.push({ type: 'measure', name })
        }
      } else this.#await(series)
    }
  }

  /** A series that is measured is due again when its measurement has ended. */
  #await({ dueAt, isMeasuring }: Series): void {
    if (!isMeasuring) this.#timers.advance('series', dueAt)
  }

  #measured(name: string, value: Value): void {
    const series = this.#series.get(name)
    if (series === undefined) return
    const sample = series.measured(value, this.#now, this.#origin)
    this.#await(series)
    const { id, every } = series
    for (const watch of series.watchers) this.#send(watch.id, watch.measured(name, id, sample, every, this.#now))
  }

  #failed(name: string, problem: Problem): void {
    const series = this.#series.get(name)
    if (series === undefined) return
    series.isMeasuring = false
    this.#await(series)
    for (const watch of series.watchers) this.#send(watch.id, watch.failed(name, problem))
  }

  #send(watch: string, rows: readonly Row[]): void {
    if (rows.length > 0) this.#effects.push({ type: 'send', watch, rows })
  }
}
