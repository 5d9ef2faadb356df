/**
 * The names of elections with a result. Members can invent names. The protocol forgets those, and
 * so does this class, from time to time.
 */
export class ElectionNames implements Iterable<string> {
  readonly #names = new Set<string>()
  readonly #limit: number
  readonly #hasResult: (name: string) => boolean

  /** `limit`: the number that the protocol remembers. */
  constructor(limit: number, hasResult: (name: string) => boolean) {
    this.#limit = limit
    this.#hasResult = hasResult
  }

  get size(): number {
    return this.#names.size
  }

  add(election: string): void {
    this.#names.add(election)
    if (this.#names.size <= 2 * this.#limit) return
    for (const name of this.#names) if (!this.#hasResult(name)) this.#names.delete(name)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#names.values()
  }
}
