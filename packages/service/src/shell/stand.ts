import { inBackground } from '@jel/overlay'
import { electionOf } from '../core/directory.ts'
import type { ServiceNode } from './service-node.ts'

/** The time after which a failed candidacy is tried again, ms. A guess. */
const STAND_AGAIN = 10_000

/** Makes this member a candidate for primary, and announces that. */
export class Stand {
  readonly #node: ServiceNode
  readonly #name: string
  readonly #stated: { readonly version: string; readonly replicas: number }
  /** Called if this member could not become a candidate. */
  readonly #onProblem: (code: string, message: string) => void
  #standing: AbortController | undefined
  #isClosed = false

  constructor(
    node: ServiceNode,
    name: string,
    stated: { readonly version: string; readonly replicas: number },
    onProblem: (code: string, message: string) => void,
  ) {
    this.#node = node
    this.#name = name
    this.#stated = stated
    this.#onProblem = onProblem
  }

  async begin(): Promise<void> {
    const standing = new AbortController()
    this.#standing = standing
    const isOver = (): boolean => standing.signal.aborted || this.#isClosed
    for (let attempt = 0; !isOver(); attempt++) {
      try {
        await this.#state(true)
        await this.#node.pool.elect(electionOf(this.#name), { signal: standing.signal })
        return
      } catch (error) {
        if (isOver()) return
        const { code = 'CALL_FAILED', message } = error as Error & { readonly code?: string }
        if (code === 'POOL_LEFT') return
        // The pool may have too many elections at present.
        if (attempt === 0) this.#onProblem(code, message)
        await new Promise((resolve) => inBackground(setTimeout(resolve, STAND_AGAIN)))
      }
    }
  }

  withdraw(): void {
    this.#standing?.abort(new Error('the replica is not needed'))
    this.#standing = undefined
    try {
      this.#node.pool.withdraw(electionOf(this.#name))
    } catch {
      // The pool has ended.
      return
    }
    if (!this.#isClosed) this.#state(false).catch(() => {})
  }

  /** Begins no candidacy any more. The present candidacy lasts until `withdraw`. */
  close(): void {
    this.#isClosed = true
  }

  /**
   * `true` and `false` take about the same room. So the constant has room for this, as it had for
   * `add`.
   */
  async #state(stands: boolean): Promise<void> {
    await this.#node.state(this.#name, { ...this.#stated, stands })
  }
}
