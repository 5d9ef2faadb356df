import type { PoolEvent } from './event-stream.ts'

/** The members of the pool, each represented by the event of its join. */
export interface MemberList {
  readonly size: number
  add(join: PoolEvent): void
  remove(join: PoolEvent): boolean
  has(join: PoolEvent): boolean
  /** In no particular order. Callers must not change it. */
  readonly list: readonly PoolEvent[]
  /** A copy for a newcomer. */
  copy(): MemberList
  /**
   * Returns the members to which the node of this join passes events in a broadcast tree. `of`:
   * undefined for the server.
   */
  children(of: PoolEvent | undefined): PoolEvent[]
}

/** A list without a tree, for all techniques except the broadcast tree. */
export class ArrayMemberList implements MemberList {
  readonly list: PoolEvent[] = []
  /**
   * For each member, its index in the list plus one, by the number of its join; 0 if it is not in
   * the list.
   */
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
