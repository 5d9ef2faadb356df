/**
 * The registry: holds each fact once, under a small number.
 *
 * A node then stores one number for each key, in a typed array. The registry holds one copy of the
 * data that is the same at all nodes: the fact itself, its place in the order of the fact set, and
 * its place on the rings. A host has its own registry. In the simulator all nodes share one: ten
 * thousand views of ten thousand members have a hundred million entries. No machine has the memory
 * for separate maps of that size.
 *
 * A node's behaviour depends neither on facts of other nodes nor on the numbering. Otherwise the
 * node would learn in other ways than by messages. The registry frees numbers and places when the
 * last holder releases them, so the held facts bound the memory.
 */
import { hash52 } from '../base/hash.ts'
import type { NodeId } from '../base/values.ts'
import type { Fact } from './fact.ts'
import { grown, SortedPlaces } from './sorted-places.ts'

export class Registry {
  /** By number. No fact has number 0. */
  readonly #facts: (Fact | undefined)[] = [undefined]
  #placeOf = new Int32Array(64)
  /** Versions, by number. */
  highs = new Int32Array(64)
  lows = new Int32Array(64)
  #holders = new Int32Array(64)
  readonly #freeNumbers: number[] = []
  /** By place. Each key has one place. */
  readonly #keys: string[] = []
  readonly #versions: number[][] = []
  readonly #freePlaces: number[] = []
  readonly #places = new Map<string, number>()
  /** Places of facts about members, by id. */
  readonly #members = new Map<NodeId, number>()
  readonly #ids: (NodeId | undefined)[] = []
  /** All places, by the positions of their keys. */
  readonly order = new SortedPlaces((place) => this.#keys[place] as string)
  readonly #rings: SortedPlaces[] = []

  /** Number of places, used or free: the necessary length of an array that is indexed by place. */
  get places(): number {
    return this.#keys.length
  }

  /** Returns the fact with this number, which must be held. */
  fact(number: number): Fact {
    return this.#facts[number] as Fact
  }

  /** Returns the place of a held fact's key, by the fact's number. */
  placeOf(number: number): number {
    return this.#placeOf[number] as number
  }

  /** Returns the place of a key; undefined if nobody holds a fact under it. */
  place(key: string): number | undefined {
    return this.#places.get(key)
  }

  /** Returns the place of the facts about a member; undefined if nobody holds any. */
  memberPlace(id: NodeId): number | undefined {
    return this.#members.get(id)
  }

  /** Returns the number of a fact or of an equal fact; 0 if nobody holds one. */
  numberOf(fact: Fact): number {
    const { number } = fact
    if (number !== 0 && this.#facts[number] === fact) return number
    const place = this.#places.get(fact.key)
    return place === undefined ? 0 : this.#equal(fact, place)
  }

  /**
   * Holds a fact, or an equal fact that is held already. Returns its number. Each `hold` needs one
   * `letGo`.
   */
  hold(fact: Fact): number {
    const number = this.numberOf(fact) || this.#register(fact)
    this.#holders[number] = (this.#holders[number] as number) + 1
    return number
  }

  letGo(number: number): void {
    const holders = (this.#holders[number] as number) - 1
    this.#holders[number] = holders
    if (holders > 0) return
    const fact = this.fact(number)
    const place = this.placeOf(number)
    fact.number = 0
    this.#facts[number] = undefined
    this.#freeNumbers.push(number)
    const versions = this.#versions[place] as number[]
    versions.splice(versions.indexOf(number), 1)
    if (versions.length === 0) this.#vacate(place)
  }

  /** Returns the members of one ring in order of the hash of ring and id. */
  ring(ring: number): SortedPlaces {
    for (let i = this.#rings.length; i <= ring; i++) {
      const order = new SortedPlaces((place) => this.#ids[place] as NodeId)
      for (const [id, place] of this.#members) order.add(place, ringPosition(id, i))
      this.#rings.push(order)
    }
    return this.#rings[ring] as SortedPlaces
  }

  /** Returns the member that the facts at this place are about. */
  memberAt(place: number): NodeId | undefined {
    return this.#ids[place]
  }

  #equal(fact: Fact, place: number): number {
    for (const number of this.#versions[place] as number[]) if (this.fact(number).equals(fact)) return number
    return 0
  }

  #register(fact: Fact): number {
    const number = this.#freeNumbers.pop() ?? this.#facts.length
    if (number >= this.#placeOf.length) {
      this.#placeOf = grown(this.#placeOf, number)
      this.highs = grown(this.highs, number)
      this.lows = grown(this.lows, number)
      this.#holders = grown(this.#holders, number)
    }
    const place = this.#places.get(fact.key) ?? this.#occupy(fact)
    ;(this.#versions[place] as number[]).push(number)
    fact.number = number
    this.#facts[number] = fact
    this.#placeOf[number] = place
    this.highs[number] = fact.high
    this.lows[number] = fact.low
    this.#holders[number] = 0
    return number
  }

  #occupy({ key, position, about }: Fact): number {
    const place = this.#freePlaces.pop() ?? this.#keys.length
    this.#keys[place] = key
    this.#ids[place] = about
    this.#versions[place] = []
    this.#places.set(key, place)
    this.order.add(place, position)
    if (about !== undefined) {
      this.#members.set(about, place)
      this.#rings.forEach((order, ring) => order.add(place, ringPosition(about, ring)))
    }
    return place
  }

  #vacate(place: number): void {
    this.order.remove(place)
    const id = this.#ids[place]
    if (id !== undefined) {
      for (const order of this.#rings) order.remove(place)
      this.#members.delete(id)
    }
    this.#places.delete(this.#keys[place] as string)
    this.#freePlaces.push(place)
  }
}

/** Returns the position of a member on a ring. */
export function ringPosition(id: NodeId, ring: number): number {
  return hash52(id, ring + 1)
}
