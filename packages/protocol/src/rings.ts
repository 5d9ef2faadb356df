/**
 * Rings: who observes whom.
 *
 * Members stand on K rings by hash of (ring, id), as in Rapid (USENIX ATC'18, §4), whose overlay is an expander: no set of members can
 * be cut off from its observers without cutting a good part of the graph. Here a member is linked with two successors and two
 * predecessors on each ring, and both ends of a link observe each other. A link is a connection, and a connection shows both
 * ends when it breaks; and as neighbours at distance one and two are linked, the observers of a dead member are linked among
 * themselves and need no dial to bring their suspicions together. In a small pool this makes everyone observe everyone.
 *
 * Nobody stores a ring. A node keeps only its own neighbours: a newcomer either stands between or it doesn't, and the loss of a
 * neighbour is rare enough for a scan. The neighbours of others are looked up by a scan when they are suspected.
 */
import { hash52, hashSpace } from './hash.ts'
import type { NodeId } from './io.ts'

/** Successors, and as many predecessors, linked on each ring. */
const reach = 2

interface Neighbour {
  readonly id: NodeId
  /** Distance along the ring, in hash units. */
  readonly distance: number
}

export class Rings {
  readonly #self: NodeId
  readonly #count: number
  readonly #positions: number[]
  /** Per ring: successors, then predecessors; each nearest first. */
  #sides: Neighbour[][]
  #neighbours: ReadonlySet<NodeId> | undefined

  constructor(self: NodeId, count: number) {
    this.#self = self
    this.#count = count
    this.#positions = Array.from({ length: count }, (_, ring) => hash52(self, ring + 1))
    this.#sides = Array.from({ length: 2 * count }, () => [])
  }

  /** Those this node observes and is observed by. */
  get neighbours(): ReadonlySet<NodeId> {
    this.#neighbours ??= new Set(this.#sides.flat().map(({ id }) => id))
    return this.#neighbours
  }

  /** A member entered. */
  add(id: NodeId): void {
    if (id === this.#self) return
    for (let ring = 0; ring < this.#count; ring++) {
      const ahead = distance(this.#positions[ring] as number, hash52(id, ring + 1))
      this.#insert(2 * ring, id, ahead)
      this.#insert(2 * ring + 1, id, hashSpace - ahead)
    }
  }

  /** A member is gone; `members` are those that remain. */
  remove(id: NodeId, members: Iterable<{ readonly id: NodeId }>): void {
    if (!this.neighbours.has(id)) return
    this.clear()
    for (const member of members) this.add(member.id)
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

/** The observers of any member, by a scan over the view. */
export function observersOf(id: NodeId, members: Iterable<{ readonly id: NodeId }>, rings: number): ReadonlySet<NodeId> {
  const scan = new Rings(id, rings)
  for (const member of members) scan.add(member.id)
  return scan.neighbours
}

function distance(from: number, to: number): number {
  return to > from ? to - from : to - from + hashSpace
}
