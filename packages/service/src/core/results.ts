/** Results are kept by key up to this number, and this many bytes. Guesses. */
const [MAX_RESULTS, MAX_RESULT_BYTES] = [65_536, 16 * 1_048_576]

/** The outcome of an operation: its result as JSON, or why it failed. */
export interface Outcome {
  readonly text: string
  readonly isError: boolean
}

/** An outcome that is kept, and the number of its operation. */
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

  /** Keeps an outcome by the name of its operation, and drops the oldest ones that are too many. */
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

  /** The oldest first. */
  [Symbol.iterator](): Iterator<[string, Kept]> {
    return this.#all.entries()
  }
}

function nameOf(caller: string, key: string): string {
  return `${caller} ${key}`
}
