import type { NodeEvent } from './events.ts'

/**
 * The number of elections whose latest reign is remembered. A guess: four times as many as a node
 * keeps at a time.
 */
const LIMIT = 1_024

/**
 * The latest reign of each election that was reported. It keeps a node from reporting a reign
 * twice.
 */
export class ElectedLog {
  readonly #latest = new Map<string, string>()

  /** Returns a key of the reign that was reported last, for comparison only. */
  latest(election: string): string | undefined {
    return this.#latest.get(election)
  }

  /** Records a reign. Returns whether it is new. */
  take({ election, epoch, node }: NodeEvent & { readonly event: 'elected' }): boolean {
    const key = `${epoch} ${node.id} ${node.incarnation}`
    if (this.#latest.get(election) === key) return false
    // The map is in order of use. The oldest entry goes when there are too many, as members may
    // make up elections.
    this.#latest.delete(election)
    this.#latest.set(election, key)
    const [oldest] = this.#latest.keys()
    if (this.#latest.size > LIMIT && oldest !== undefined) this.#latest.delete(oldest)
    return true
  }
}
