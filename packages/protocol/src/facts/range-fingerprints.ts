/**
 * The held facts in order of position, with fingerprints of ranges.
 *
 * A fingerprint is the exclusive or of the versions in a range. Each change of a fact updates the
 * fingerprints of the whole space and of a part of a fixed grid. So two equal nodes need only one
 * small message. The parts of the grid inside any other range need no scan, only the two ends of
 * the range do.
 *
 * A place is the index of a key in the registry (`registry.ts`). This class stores one number for
 * each place. The registry has the facts and their order.
 */
import { hashSpace } from '../base/hash.ts'
import type { Fact } from './fact.ts'
import { FingerprintGrid, partOf, parts, partSize, type Fingerprint, type Sum } from './fingerprint-grid.ts'
import type { Registry } from './registry.ts'
import { grown } from './sorted-places.ts'

export class RangeFingerprints {
  readonly #registry: Registry
  /**
   * By place: the number of the held fact; 0 for none. A negative number marks a silenced fact,
   * which this node remembers but does not send.
   */
  #held = new Int32Array(64)
  readonly #grid = new FingerprintGrid()
  #bytes = 0
  readonly #bytesOf: (fact: Fact) => number

  /** `bytesOf` returns the bytes of a sent fact. It must be constant for each fact. */
  constructor(registry: Registry, bytesOf: (fact: Fact) => number = () => 0) {
    this.#registry = registry
    this.#bytesOf = bytesOf
  }

  /** Number of facts that this node sends. */
  get count(): number {
    return this.#grid.count
  }

  /** Bytes of all sent facts. */
  get bytes(): number {
    return this.#bytes
  }

  /** All held facts are at places below this. */
  get capacity(): number {
    return this.#held.length
  }

  /** Returns the number at a place: 0 for none, negative for a silenced fact. */
  at(place: number): number {
    return this.#held[place] ?? 0
  }

  /** Sets the number at a place. Only the fact set calls this. */
  set(place: number, number: number): void {
    if (place >= this.#held.length) this.#held = grown(this.#held, Math.max(place, this.#registry.places - 1))
    const before = this.at(place)
    if (before > 0) this.#toggle(before, -1)
    this.#held[place] = number
    if (number > 0) this.#toggle(number, 1)
  }

  /** Returns the first sent fact at exactly this position. */
  atPosition(position: number): Fact | undefined {
    const { order } = this.#registry
    for (let i = order.lowerBound(position); i < order.size; i++) {
      const place = order.places[i] as number
      if (order.positionOf(place) !== position) return undefined
      const number = this.#held[place] ?? 0
      if (number > 0) return this.#registry.fact(number)
    }
    return undefined
  }

  /** Returns the fingerprint of all sent facts with a position in [from, to). */
  fingerprint(from: number, to: number): Fingerprint {
    if (from === 0 && to === hashSpace) return this.#grid.whole
    const first = Math.ceil(from / partSize)
    const last = Math.floor(to / partSize)
    const sum = this.#grid.sum(first, last)
    if (first >= last) this.#scan(from, to, sum)
    else {
      this.#scan(from, first * partSize, sum)
      this.#scan(last * partSize, to, sum)
    }
    return { count: sum.count, high: sum.high >>> 0, low: sum.low >>> 0 }
  }

  /** Returns all sent facts with a position in [from, to), in order. */
  range(from: number, to: number): Fact[] {
    const registry = this.#registry
    const { places } = registry.order
    const held = this.#held
    const facts: Fact[] = []
    const end = registry.order.lowerBound(to)
    for (let i = this.#firstIn(from, to); i < end; i++) {
      const place = places[i] as number
      const number = place < held.length ? (held[place] as number) : 0
      if (number > 0) facts.push(registry.fact(number))
    }
    return facts
  }

  /**
   * Returns borders that split [from, to) into at most `count` ranges of about equally many facts.
   * The first border is `from`, and the last is `to`.
   */
  split(from: number, to: number, count: number): number[] {
    const total = this.fingerprint(from, to).count
    const borders = [from]
    let passed = 0
    for (let i = 1; i < count; i++) {
      const last = borders.at(-1) as number
      const wanted = Math.floor((total * i) / count)
      const border = this.#select(last, wanted - passed)
      if (border <= last || border >= to) continue
      passed = wanted
      borders.push(border)
    }
    borders.push(to)
    return borders
  }

  /**
   * Skips `others` sent facts from `from` on, and returns the position of the next sent fact.
   * Returns the end of the space if there is none.
   */
  #select(from: number, others: number): number {
    const { order } = this.#registry
    let left = others
    let start = from
    for (let part = partOf(from); part < parts; part++) {
      const end = (part + 1) * partSize
      const isWhole = start === part * partSize
      const count = this.#grid.countOf(part)
      if (!isWhole || left < count) {
        for (let i = order.lowerBound(start); i < order.size; i++) {
          const place = order.places[i] as number
          const position = order.positionOf(place)
          if (position >= end) break
          if ((this.#held[place] ?? 0) > 0 && left-- === 0) return position
        }
      } else left -= count
      start = end
    }
    return hashSpace
  }

  /** Yields the places of all held facts, sent or silenced, in order. */
  *places(): IterableIterator<number> {
    const { order } = this.#registry
    // A copy, since the consumer may change the set.
    for (const place of order.places.slice(0, order.size)) if ((this.#held[place] ?? 0) !== 0) yield place
  }

  /** Yields the places of all held facts in one part of the grid, in order. */
  *placesOf(part: number): IterableIterator<number> {
    const { order } = this.#registry
    const end = order.lowerBound((part + 1) * partSize)
    for (let i = order.lowerBound(part * partSize); i < end; i++) {
      const place = order.places[i] as number
      if ((this.#held[place] ?? 0) !== 0) yield place
    }
  }

  #firstIn(from: number, to: number): number {
    // Skips empty parts: a shared registry may hold many facts that this node lacks.
    let start = from
    for (let part = partOf(from); part < parts && this.#grid.countOf(part) === 0; part++) start = (part + 1) * partSize
    return this.#registry.order.lowerBound(Math.min(Math.max(start, from), to))
  }

  #scan(from: number, to: number, sum: Sum): void {
    if (from >= to || this.#grid.countOf(partOf(from)) === 0) return
    const registry = this.#registry
    const { order } = registry
    const { places } = order
    const { highs, lows } = registry
    const held = this.#held
    const end = order.lowerBound(to)
    for (let i = order.lowerBound(from); i < end; i++) {
      const place = places[i] as number
      const number = place < held.length ? (held[place] as number) : 0
      if (number <= 0) continue
      sum.count += 1
      sum.high ^= highs[number] as number
      sum.low ^= lows[number] as number
    }
  }

  #toggle(number: number, count: number): void {
    const registry = this.#registry
    const position = registry.order.positionOf(registry.placeOf(number))
    this.#grid.toggle(position, registry.highs[number] as number, registry.lows[number] as number, count)
    this.#bytes += count * this.#bytesOf(registry.fact(number))
  }
}
