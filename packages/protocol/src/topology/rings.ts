/**
 * Rings: determine the observers of each member.
 *
 * Members are on K rings in the order of a hash of (ring, id), as in Rapid (USENIX ATC'18, §4).
 * Such an overlay is an expander: only a cut through a good part of the graph separates a set of
 * members from its observers. Here a member has links with two successors and two predecessors on
 * each ring, and both ends of a link observe each other. A broken connection shows at both ends.
 * Links also connect the observers of a dead member with each other, directly or through another
 * observer. So the observers combine their suspicions without a dial. In a small pool everyone
 * observes everyone.
 *
 * No node stores a ring. The registry has the order. A node walks over it from a member's place,
 * and skips members that are not in its view. It caches its own neighbours. A newcomer changes the
 * cache only if it falls between these neighbours.
 */
import { hashSpace } from '../base/hash.ts'
import type { NodeId } from '../base/values.ts'
import { ringPosition, type Registry } from '../facts/registry.ts'

/** Linked successors on each ring, and as many predecessors. */
const reach = 2

/** Present members, by place in the registry. */
export interface Present {
  isAliveAt(place: number): boolean
}

interface Neighbour {
  readonly id: NodeId
  /** Distance along the ring, in hash units. */
  readonly distance: number
}

export class Rings {
  readonly #self: NodeId
  readonly #count: number
  readonly #registry: Registry
  readonly #present: Present
  readonly #positions: number[]
  /** Per ring: successors, then predecessors; each nearest first. */
  #sides: Neighbour[][]
  #neighbours: ReadonlySet<NodeId> | undefined

  constructor(self: NodeId, count: number, registry: Registry, present: Present) {
    this.#self = self
    this.#count = count
    this.#registry = registry
    this.#present = present
    this.#positions = Array.from({ length: count }, (_, ring) => ringPosition(self, ring))
    this.#sides = Array.from({ length: 2 * count }, () => [])
  }

  /** Members that this node observes and that observe this node. */
  get neighbours(): ReadonlySet<NodeId> {
    this.#neighbours ??= new Set(this.#sides.flat().map(({ id }) => id))
    return this.#neighbours
  }

  /** Adds a member that entered. */
  add(id: NodeId): void {
    const place = this.#registry.memberPlace(id)
    if (id === this.#self || place === undefined) return
    for (let ring = 0; ring < this.#count; ring++) {
      const ahead = distance(this.#positions[ring] as number, this.#registry.ring(ring).positionOf(place))
      this.#insert(2 * ring, id, ahead)
      this.#insert(2 * ring + 1, id, hashSpace - ahead)
    }
  }

  /** Removes a member that is gone. */
  remove(id: NodeId): void {
    if (!this.neighbours.has(id)) return
    this.clear()
    for (const neighbour of observersOf(this.#self, this.#count, this.#registry, this.#present)) this.add(neighbour)
  }

  clear(): void {
    this.#sides = this.#sides.map(() => [])
    this.#neighbours = undefined
  }

  #insert(side: number, id: NodeId, away: number): void {
    const list = this.#sides[side] as Neighbour[]
    const farthest = list[reach - 1]
    if (farthest !== undefined && (farthest.distance < away || (farthest.distance === away && farthest.id <= id))) return
    if (list.some((neighbour) => neighbour.id === id)) return
    list.push({ id, distance: away })
    list.sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    list.length = Math.min(list.length, reach)
    this.#neighbours = undefined
  }
}

/** Returns the observers of any member, from the present members in one node's view. */
export function observersOf(id: NodeId, rings: number, registry: Registry, present: Present): ReadonlySet<NodeId> {
  const observers = new Set<NodeId>()
  for (let ring = 0; ring < rings; ring++) {
    const order = registry.ring(ring)
    const start = order.lowerBound(ringPosition(id, ring), id)
    const isThere = registry.memberAt(order.places[start] ?? -1) === id && start < order.size
    walk(start + (isThere ? 1 : 0), 1)
    walk(start - 1, -1)

    function walk(from: number, step: number): void {
      let found = 0
      for (let i = 0; i < order.size && found < reach; i++) {
        const place = order.places[(from + step * i + order.size * 2) % order.size] as number
        const other = registry.memberAt(place)
        if (other === undefined || other === id || !present.isAliveAt(place)) continue
        observers.add(other)
        found += 1
      }
    }
  }
  return observers
}

function distance(from: number, to: number): number {
  return to > from ? to - from : to - from + hashSpace
}
