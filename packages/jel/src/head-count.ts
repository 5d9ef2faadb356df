/**
 * A caller that waits until there are `count` members.
 */
interface Waiter {
  readonly count: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class HeadCount {
  readonly #size: () => number
  readonly #waiters = new Set<Waiter>()

  /** `size` returns the present number of members. */
  constructor(size: () => number) {
    this.#size = size
  }

  async wait(count: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#size() >= count) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { count, resolve, reject }
    const abort = (): void => reject(signal?.reason as Error)
    this.#waiters.add(waiter)
    signal?.addEventListener('abort', abort)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#waiters.delete(waiter)
    }
  }

  /** Resolves the callers whose count is reached. Called when a member joined. */
  review(): void {
    if (this.#waiters.size === 0) return
    const size = this.#size()
    for (const { count, resolve } of this.#waiters) if (size >= count) resolve()
  }

  /** Rejects all waiting callers with this error: nobody will join any more. */
  close(error: Error): void {
    for (const { reject } of this.#waiters) reject(error)
  }
}
