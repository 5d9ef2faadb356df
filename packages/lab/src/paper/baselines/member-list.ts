import type { PoolEvent } from './event-stream.ts'

/** The members of the pool, each named by the event of its join. */
export interface MemberList {
  readonly size: number
  add(join: PoolEvent): void
  remove(join: PoolEvent): boolean
  has(join: PoolEvent): boolean
  /** In no particular order; not to be changed. */
  readonly list: readonly PoolEvent[]
  /** A copy for a newcomer. */
  copy(): MemberList
  /**
   * The members that the node of this join passes events to in a broadcast tree; undefined: the
   * server.
   */
  children(of: PoolEvent | undefined): PoolEvent[]
}

/** A list, for all techniques but the tree. */
export class ArrayMemberList implements MemberList {
  readonly list: PoolEvent[] = []
  /** By the number of the join, its index in the list plus one. */
  #places = new Int32Array(256)

  get size(): number {
    return this.list.length
  }

  add(join: PoolEvent): void {
    if (join.time >= this.#places.length) {
      const larger = new Int32Array(Math.max(join.time + 1, this.#places.length * 2))
      larger.set(this.#places)
      this.#places = larger
    }
    if (this.#places[join.time] === 0) this.#places[join.time] = this.list.push(join)
  }

  remove(join: PoolEvent): boolean {
    const place = this.#places[join.time] ?? 0
    if (place === 0) return false
    this.#places[join.time] = 0
    const last = this.list.pop() as PoolEvent
    if (last !== join) {
      this.list[place - 1] = last
      this.#places[last.time] = place
    }
    return true
  }

  has(join: PoolEvent): boolean {
    return (this.#places[join.time] ?? 0) > 0
  }

  copy(): ArrayMemberList {
    const copy = new ArrayMemberList()
    for (const join of this.list) copy.add(join)
    return copy
  }

  children(): PoolEvent[] {
    return []
  }
}
