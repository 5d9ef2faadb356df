/**
 * The fact set: all facts that a node exchanges, by key. `range-fingerprints.ts` has them in order
 * of position.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Fact, AgedFact } from './fact.ts'
import { RangeFingerprints } from './range-fingerprints.ts'
import type { Registry } from './registry.ts'

export class FactSet {
  readonly registry: Registry
  readonly ranges: RangeFingerprints
  /**
   * By place in the registry: the time when the fact's age was 0, for facts that expire. Empty
   * until the set holds such a fact.
   */
  #born = new Float64Array(0)

  /** `bytesOf` returns the bytes of a sent fact. It must be constant for each fact. */
  constructor(registry: Registry, bytesOf?: (fact: Fact) => number) {
    this.registry = registry
    this.ranges = new RangeFingerprints(registry, bytesOf)
  }

  /**
   * Returns the fact under this key, even if this node only remembers it and does not send it (see
   * {@link silence}).
   */
  get(key: string): Fact | undefined {
    const place = this.registry.place(key)
    return place === undefined ? undefined : this.at(place)
  }

  /** Returns the fact about a member's life. */
  about(id: NodeId): Fact | undefined {
    const place = this.registry.memberPlace(id)
    return place === undefined ? undefined : this.at(place)
  }

  /** Returns the fact at a place of the registry. */
  at(place: number): Fact | undefined {
    const number = this.ranges.at(place)
    return number === 0 ? undefined : this.registry.fact(Math.abs(number))
  }

  /** Returns the held fact with the same key as this fact. */
  rival(fact: Fact): Fact | undefined {
    const number = this.registry.numberOf(fact)
    if (number === 0) return this.get(fact.key)
    return this.at(this.registry.placeOf(number))
  }

  /**
   * Takes in a fact in place of the held fact with its key. Returns the fact as held. `born` is the
   * time when the fact's age was 0, if the fact expires.
   */
  put(fact: Fact, born?: Milliseconds): Fact {
    const { registry } = this
    const number = registry.hold(fact)
    const place = registry.placeOf(number)
    this.#drop(place)
    this.ranges.set(place, number)
    if (born !== undefined && place >= this.#born.length) this.#born = filled(this.#born, this.ranges.capacity)
    if (place < this.#born.length) this.#born[place] = born ?? NaN
    return registry.fact(number)
  }

  /** Forgets the fact under this fact's key. */
  delete(fact: Fact): void {
    const place = this.registry.place(fact.key)
    if (place !== undefined) this.#drop(place)
  }

  /** Keeps a fact, but stops sending it. */
  silence(fact: Fact): void {
    const place = this.registry.place(fact.key)
    const number = place === undefined ? 0 : this.ranges.at(place)
    if (place !== undefined && number > 0) this.ranges.set(place, -number)
  }

  isSent(fact: Fact): boolean {
    return this.ranges.at(this.registry.place(fact.key) ?? -1) > 0
  }

  /** Returns the time when the fact's age was 0; undefined for facts that don't expire. */
  born(fact: Fact): Milliseconds | undefined {
    return this.#born.length === 0 ? undefined : this.bornAt(this.registry.place(fact.key) ?? -1)
  }

  /** Returns the time when the age of the fact at this place of the registry was 0. */
  bornAt(place: number): Milliseconds | undefined {
    const born = this.#born[place]
    return born === undefined || Number.isNaN(born) ? undefined : born
  }

  /** Returns the fact with its present age, as this node sends it. */
  aged(fact: Fact, now: Milliseconds): AgedFact {
    const born = fact.says === 'joined' ? undefined : this.born(fact)
    return born === undefined ? fact : { fact, ageSeconds: Math.max(0, Math.floor((now - born) / 1000)) }
  }

  clear(): void {
    for (let place = 0; place < this.ranges.capacity; place++) this.#drop(place)
  }

  #drop(place: number): void {
    const number = this.ranges.at(place)
    if (number === 0) return
    this.ranges.set(place, 0)
    this.registry.letGo(Math.abs(number))
  }
}

function filled(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length).fill(NaN)
  larger.set(array)
  return larger
}
