/** The attempts of one start that a member may have missed. A guess. */
const MOST_ATTEMPTS = 16
/** A member remembers so many ended groups. A guess. */
const REMEMBERED = 4096

/** The last attempt that each group may not start any more, at one member. */
export class Settled {
  readonly #last = new Map<string, number>()

  has(group: string, attempt: number): boolean {
    return attempt <= (this.#last.get(group) ?? 0)
  }

  add(group: string, attempt: number): void {
    const former = this.#last.get(group) ?? 0
    // Attempts follow each other. A number far ahead is a lie.
    if (attempt > former + MOST_ATTEMPTS) return
    this.#last.delete(group)
    this.#last.set(group, Math.max(former, attempt))
    const [oldest] = this.#last.keys()
    if (this.#last.size > REMEMBERED && oldest !== undefined) this.#last.delete(oldest)
  }
}
