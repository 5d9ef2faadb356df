/** The most results that are kept, and the most bytes of them. Guesses. */
const [MAX_RESULTS, MAX_RESULT_BYTES] = [65_536, 16 * 1_048_576]

/** The outcome of an operation: the result as JSON, or the text of an error. */
export interface Outcome {
  readonly text: string
  readonly isError: boolean
}

/** A kept outcome, and the number of its operation. */
export type Kept = Outcome & { readonly seq: number }

/** The outcomes of the last operations, by caller and key. */
export class Results {
  readonly #all = new Map<string, Kept>()
  #bytes = 0

  get(caller: string, key: string): Kept | undefined {
    return this.#all.get(nameOf(caller, key))
  }

  has(name: string): boolean {
    return this.#all.has(name)
  }

  add(caller: string, key: string, kept: Kept): void {
    this.keep(nameOf(caller, key), kept)
  }

  /**
   * Keeps the outcome of the operation of this name. Drops the oldest outcomes above the limits.
   */
  keep(name: string, kept: Kept): void {
    const before = this.#all.get(name)
    if (before !== undefined) this.#bytes -= name.length + before.text.length
    this.#all.delete(name)
    this.#all.set(name, kept)
    this.#bytes += name.length + kept.text.length
    for (const [oldest, { text: dropped }] of this.#all) {
      if (this.#all.size <= MAX_RESULTS && this.#bytes <= MAX_RESULT_BYTES) break
      this.#all.delete(oldest)
      this.#bytes -= oldest.length + dropped.length
    }
  }

  /** Iterates over names and outcomes, the oldest first. */
  [Symbol.iterator](): Iterator<[string, Kept]> {
    return this.#all.entries()
  }
}

function nameOf(caller: string, key: string): string {
  return `${caller} ${key}`
}
