/**
 * A coverage-guided fuzzer. It keeps each input that makes the code do something new, and makes
 * further inputs from the kept inputs. The algorithm and the buckets for counts come from AFL.
 */
import { mutate } from './mutate.ts'

/** Throws on any result that the decoder does not document. */
export type Target = (input: Uint8Array) => void

export interface Found {
  readonly input: Uint8Array
  readonly error: unknown
}

export class Fuzzer {
  readonly corpus: Uint8Array[] = []
  runs = 0
  /** Number of places in the code that inputs have reached. */
  reached = 0
  readonly #target: Target
  readonly #counters: Uint8Array
  readonly #seen: Uint8Array
  readonly #random: () => number

  /** `counters`: one counter for each place of the instrumented code. */
  constructor(target: Target, counters: Uint8Array, random: () => number) {
    this.#target = target
    this.#counters = counters
    this.#seen = new Uint8Array(counters.length)
    this.#random = random
  }

  /**
   * Tries one input, and adds it to the corpus if it reaches something new. Returns the error that
   * it causes; undefined if there is none.
   */
  try(input: Uint8Array): Found | undefined {
    this.#counters.fill(0)
    this.runs += 1
    try {
      this.#target(input)
    } catch (error) {
      return { input, error }
    }
    if (this.#isNew()) this.corpus.push(input)
    return undefined
  }

  /** Tries new inputs until one causes an error or `until` returns true. */
  run(until: () => boolean): Found | undefined {
    while (!until()) {
      const found = this.try(mutate(this.corpus, this.#random))
      if (found) return found
    }
    return undefined
  }

  /**
   * Notes the bucket of each count. Returns true if one of these buckets is new for its place.
   * There are five buckets: 1, 2, 3 to 7, 8 to 31, and 32 or more. AFL has eight. With exact
   * counts, every loop would be a discovery.
   */
  #isNew(): boolean {
    let isNew = false
    for (let i = 0; i < this.#counters.length; i++) {
      const count = this.#counters[i] as number
      if (count === 0) continue
      const bucket = 1 << (count < 3 ? count - 1 : count < 8 ? 2 : count < 32 ? 3 : 4)
      const seen = this.#seen[i] as number
      if ((seen & bucket) !== 0) continue
      if (seen === 0) this.reached += 1
      this.#seen[i] = seen | bucket
      isNew = true
    }
    return isNew
  }
}
