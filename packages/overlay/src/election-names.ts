/** Elections with a result. Names that a member makes up are forgotten by the protocol, and so they are here, from time to time. */
export class ElectionNames implements Iterable<string> {
  readonly #names = new Set<string>()
  readonly #limit: number
  readonly #hasResult: (name: string) => boolean

  /** `limit`: how many the protocol remembers. */
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
