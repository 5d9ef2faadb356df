import type { NodeEvent } from './events.ts'

/** Elections whose latest reign is remembered. A guess: four times as many as a node knows at a time. */
const LIMIT = 1_024

/** The latest reign of each election, as it was told: each is news once. */
export class ElectedLog {
  readonly #latest = new Map<string, string>()

  /** Which reign was told last, to be compared only. */
  latest(election: string): string | undefined {
    return this.#latest.get(election)
  }

  /** Whether it is news. */
  take({ election, epoch, node }: NodeEvent & { readonly event: 'elected' }): boolean {
    const key = `${epoch} ${node.id} ${node.incarnation}`
    if (this.#latest.get(election) === key) return false
    // The latest is the last; the first goes when there are too many, as members may make them up.
    this.#latest.delete(election)
    this.#latest.set(election, key)
    const [oldest] = this.#latest.keys()
    if (this.#latest.size > LIMIT && oldest !== undefined) this.#latest.delete(oldest)
    return true
  }
}
