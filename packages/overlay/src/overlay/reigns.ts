import type { Reign } from '@jel/protocol'
import { showReign, type PoolReign } from '../api/view.ts'

/**
 * The present reigns. Members can invent names of elections. The protocol forgets such names. From
 * time to time this class does so as well.
 */
export class Reigns {
  readonly #elections = new Set<string>()
  readonly #limit: number
  readonly #find: (election: string) => Reign | undefined

  /** `limit`: the number of elections that the protocol remembers. */
  constructor(limit: number, find: (election: string) => Reign | undefined) {
    this.#limit = limit
    this.#find = find
  }

  /** The number of elections whose names this class holds. */
  get size(): number {
    return this.#elections.size
  }

  /** Notes an election with a result. */
  add(election: string): void {
    this.#elections.add(election)
    if (this.#elections.size <= 2 * this.#limit) return
    for (const each of this.#elections) if (this.#find(each) === undefined) this.#elections.delete(each)
  }

  of(election: string): PoolReign | undefined {
    const reign = this.#find(election)
    return reign && showReign(reign)
  }

  /** Returns all reigns, sorted by the names of the elections. */
  all(): PoolReign[] {
    return [...this.#elections].sort().flatMap((election) => this.of(election) ?? [])
  }
}
