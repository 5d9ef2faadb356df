/**
 * The fact set: all that a node tells others, ordered by position, with fingerprints of ranges.
 *
 * A fingerprint is the exclusive or of the versions in a range. The one of the whole set is kept up to date, so that two equal nodes find out
 * with one small message; those of parts are computed when two sets differ, which is rare and cheap (a scan).
 */
import type { Fact } from './fact.ts'

export interface Fingerprint {
  readonly count: number
  readonly high: number
  readonly low: number
}

export class FactSet {
  /** Ordered by (position, key). */
  readonly #sorted: Fact[] = []
  #high = 0
  #low = 0

  get size(): number {
    return this.#sorted.length
  }

  get(position: number, key: string): Fact | undefined {
    const fact = this.#sorted[this.#lowerBound(position, key)]
    return fact?.position === position && fact.key === key ? fact : undefined
  }

  put(fact: Fact): void {
    const index = this.#lowerBound(fact.position, fact.key)
    const present = this.#sorted[index]
    if (present !== undefined && present.position === fact.position && present.key === fact.key) {
      this.#toggle(present)
      this.#sorted[index] = fact
    } else {
      this.#sorted.splice(index, 0, fact)
    }
    this.#toggle(fact)
  }

  delete(fact: Fact): void {
    const index = this.#lowerBound(fact.position, fact.key)
    const present = this.#sorted[index]
    if (present === undefined || present.position !== fact.position || present.key !== fact.key) return
    this.#sorted.splice(index, 1)
    this.#toggle(present)
  }

  clear(): void {
    this.#sorted.length = 0
    this.#high = 0
    this.#low = 0
  }

  /** Of all facts with a position in [from, to). */
  fingerprint(from: number, to: number): Fingerprint {
    const start = this.#lowerBound(from, '')
    const end = this.#lowerBound(to, '')
    if (start === 0 && end === this.#sorted.length) return { count: end, high: this.#high >>> 0, low: this.#low >>> 0 }
    let high = 0
    let low = 0
    for (let i = start; i < end; i++) {
      const fact = this.#sorted[i] as Fact
      high ^= fact.high
      low ^= fact.low
    }
    return { count: end - start, high: high >>> 0, low: low >>> 0 }
  }

  /** All facts with a position in [from, to), in order. */
  range(from: number, to: number): Fact[] {
    return this.#sorted.slice(this.#lowerBound(from, ''), this.#lowerBound(to, ''))
  }

  /** Borders that split [from, to) into at most `parts` ranges of about equally many facts; first and last are from and to. */
  split(from: number, to: number, parts: number): number[] {
    const start = this.#lowerBound(from, '')
    const count = this.#lowerBound(to, '') - start
    const borders = [from]
    for (let i = 1; i < parts; i++) {
      const border = this.#sorted[start + Math.floor((count * i) / parts)]?.position ?? to
      if (border > (borders.at(-1) as number) && border < to) borders.push(border)
    }
    borders.push(to)
    return borders
  }

  #toggle(fact: Fact): void {
    this.#high ^= fact.high
    this.#low ^= fact.low
  }

  #lowerBound(position: number, key: string): number {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const fact = this.#sorted[middle] as Fact
      if (fact.position < position || (fact.position === position && fact.key < key)) low = middle + 1
      else high = middle
    }
    return low
  }
}
