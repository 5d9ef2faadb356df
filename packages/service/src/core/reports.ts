/** The most reports for absent callers, and the most bytes of them. Guesses. */
const [MAX_REPORTS, MAX_BYTES] = [4096, 16 * 1_048_576]

/** A report that tells a caller of an operation that was applied again. */
export interface Report {
  readonly caller: string
  readonly key: string
  readonly bytes: Uint8Array
}

/** Keeps reports for callers that are no members at present, until they are members again. */
export class Reports {
  #all: Report[] = []
  #bytes = 0

  /** Keeps a report. Returns the oldest reports, which are dropped to make room. */
  add(report: Report): readonly Report[] {
    this.#all.push(report)
    this.#bytes += report.bytes.length
    let count = 0
    while (this.#all.length - count > MAX_REPORTS || this.#bytes > MAX_BYTES) this.#bytes -= (this.#all[count++] as Report).bytes.length
    return this.#all.splice(0, count)
  }

  /** Returns and drops the reports for a caller. */
  take(caller: string): readonly Report[] {
    const found = this.#all.filter((each) => each.caller === caller)
    if (found.length === 0) return found
    this.#all = this.#all.filter((each) => each.caller !== caller)
    for (const { bytes } of found) this.#bytes -= bytes.length
    return found
  }
}
