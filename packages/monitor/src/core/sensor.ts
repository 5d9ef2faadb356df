import type { Milliseconds } from '@jel/machine'
import type { Value } from '../expression/value.ts'

export type { Milliseconds }

/**
 * Which value answers a read (InfoGram's `response`). `cached`: the last value if it is young
 * enough, else a new value. `immediate`: a new value. `last`: the last value, whatever its age.
 * `last` never measures.
 */
export type Response = 'cached' | 'immediate' | 'last'

/** How long a measured value is valid. */
export interface Freshness {
  /** A value of this age is measured again, ms. 0: each read measures. */
  readonly ttl: Milliseconds
  /**
   * The quality of a value halves in this time, ms. Undefined: the quality is 100 % until `ttl`,
   * and then 0 %.
   */
  readonly halfLife?: Milliseconds | undefined
  /** Two measurements begin at least this far apart, ms. Reads in between get the last value. */
  readonly delay?: Milliseconds | undefined
}

/** Mean and standard deviation of the time that a measurement takes, ms. */
export interface Took {
  readonly mean: Milliseconds
  readonly deviation: Milliseconds
}

/** A measured value, as it is at the time of a read. */
export interface Measured {
  readonly value: Value
  /** Time since the measurement, ms. */
  readonly age: Milliseconds
  /** From 0 to 100, %. */
  readonly quality: number
  readonly took: Took
}

/**
 * The last value of one attribute, and the decision whether a read needs a new value. It has no
 * clock: each call gets the time.
 */
export class Sensor {
  readonly #freshness: Freshness
  #last: { readonly value: Value; readonly at: Milliseconds } | undefined
  #begunAt: Milliseconds = -Infinity
  // Welford's method: no list of all times, and no loss of digits.
  #runs = 0
  #mean: Milliseconds = 0
  #squares = 0

  constructor(freshness: Freshness) {
    this.#freshness = freshness
  }

  /** Whether a read measures, gets the last value, or gets no value. */
  answerOf(now: Milliseconds, response: Response, quality: number | undefined): 'measure' | 'last' | 'none' {
    if (response === 'last') return this.#last === undefined ? 'none' : 'last'
    if (this.#last === undefined) return 'measure'
    if (now - this.#begunAt < (this.#freshness.delay ?? 0)) return 'last'
    if (response === 'immediate') return 'measure'
    const isStale = quality === undefined ? now - this.#last.at >= this.#freshness.ttl : this.#qualityAt(now) < quality
    return isStale ? 'measure' : 'last'
  }

  begun(now: Milliseconds): void {
    this.#begunAt = now
  }

  measured(value: Value, now: Milliseconds): void {
    this.#last = { value, at: now }
    const time = now - this.#begunAt
    const before = time - this.#mean
    this.#runs++
    this.#mean += before / this.#runs
    this.#squares += before * (time - this.#mean)
  }

  /** Returns the last value; undefined: nothing was measured. */
  read(now: Milliseconds): Measured | undefined {
    if (this.#last === undefined) return undefined
    const took = { mean: this.#mean, deviation: Math.sqrt(this.#squares / this.#runs) }
    return { value: this.#last.value, age: now - this.#last.at, quality: this.#qualityAt(now), took }
  }

  #qualityAt(now: Milliseconds): number {
    const { ttl, halfLife } = this.#freshness
    const age = now - (this.#last?.at ?? -Infinity)
    if (halfLife === undefined) return age <= ttl ? 100 : 0
    return 100 * 2 ** (-age / halfLife)
  }
}
