/**
 * The registry: facts that are held, each once, under small numbers.
 *
 * What a node knows is then a number for each key in a typed array, and what all nodes would store alike, the fact itself, its place in the order
 * of the fact set and on the rings, is stored once. A host has a registry of its own. The simulator hands one to all of its nodes:
 * ten thousand views of ten thousand members are a hundred million entries, and as maps of their own they fit into no machine.
 *
 * Nothing a node does depends on what only others hold, or on how things are numbered: that would be knowledge by other ways than
 * messages. Numbers and places are given up when the last holder lets go, so memory is bounded by what is held.
 */
import { hash52 } from '../base/hash.ts'
import type { NodeId } from '../base/io.ts'
import type { Fact } from './fact.ts'
import { grown, SortedPlaces } from './sorted-places.ts'

export class Registry {
  /** By number; 0 is nobody's. */
  readonly #facts: (Fact | undefined)[] = [undefined]
  #placeOf = new Int32Array(64)
  /** Versions, by number. */
  highs = new Int32Array(64)
  lows = new Int32Array(64)
  #holders = new Int32Array(64)
  readonly #freeNumbers: number[] = []
  /** By place: one a key. */
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

  /** How many places there are, in use or free: what is kept by place needs an array of this length. */
  get places(): number {
    return this.#keys.length
  }

  /** The fact with this number, which somebody holds. */
  fact(number: number): Fact {
    return this.#facts[number] as Fact
  }

  /** The place of a held fact's key, by the fact's number. */
  placeOf(number: number): number {
    return this.#placeOf[number] as number
  }

  /** The place of a key; undefined if nobody holds anything under it. */
  place(key: string): number | undefined {
    return this.#places.get(key)
  }

  /** The place of the facts about a member; undefined if nobody holds any. */
  memberPlace(id: NodeId): number | undefined {
    return this.#members.get(id)
  }

  /** The number of a fact or of its equal; 0 if nobody holds it. */
  numberOf(fact: Fact): number {
    const { number } = fact
    if (number !== 0 && this.#facts[number] === fact) return number
    const place = this.#places.get(fact.key)
    return place === undefined ? 0 : this.#equal(fact, place)
  }

  /** Takes hold of a fact, or of its equal that is held already; returns its number. To be let go as often. */
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

  /** The members of one ring in order: by hash of ring and id. */
  ring(ring: number): SortedPlaces {
    for (let i = this.#rings.length; i <= ring; i++) {
      const order = new SortedPlaces((place) => this.#ids[place] as NodeId)
      for (const [id, place] of this.#members) order.add(place, ringPosition(id, i))
      this.#rings.push(order)
    }
    return this.#rings[ring] as SortedPlaces
  }

  /** The member that the facts at this place are about. */
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

/** Where a member stands on a ring. */
export function ringPosition(id: NodeId, ring: number): number {
  return hash52(id, ring + 1)
}
