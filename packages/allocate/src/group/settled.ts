/** Maximum number of attempts of one start that a member may have missed. A guess. */
const MOST_ATTEMPTS = 16
/** Maximum number of groups that a member remembers. A guess. */
const REMEMBERED = 4096

/** For each group the last attempt that can't start at this member any more. */
export class Settled {
  readonly #last = new Map<string, number>()

  has(group: string, attempt: number): boolean {
    return attempt <= (this.#last.get(group) ?? 0)
  }

  add(group: string, attempt: number): void {
    const former = this.#last.get(group) ?? 0
    // The numbers of attempts grow by 1. A much higher number is a lie.
    if (attempt > former + MOST_ATTEMPTS) return
    this.#last.delete(group)
    this.#last.set(group, Math.max(former, attempt))
    const [oldest] = this.#last.keys()
    if (this.#last.size > REMEMBERED && oldest !== undefined) this.#last.delete(oldest)
  }
}
