import { inBackground } from '@jel/overlay'
import { electionOf } from '../core/directory.ts'
import type { ServiceNode } from './service-node.ts'

/** A replica that could not stand tries it again after this time, ms. A guess. */
const STAND_AGAIN = 10_000

/** A member that is a candidate for primary, and states so. */
export class Stand {
  readonly #node: ServiceNode
  readonly #name: string
  readonly #stated: { readonly version: string; readonly replicas: number }
  /** Called when the replica could not stand. */
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

  /** Stands no more. A present candidacy lasts until it is withdrawn. */
  close(): void {
    this.#isClosed = true
  }

  /** Both statements have about one size, so a service that was added can stand as well. */
  async #state(stands: boolean): Promise<void> {
    await this.#node.state(this.#name, { ...this.#stated, stands })
  }
}
