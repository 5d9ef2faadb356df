import type { JobId } from '../core/io.ts'

/**
 * Requests to replicas of jobs, and their answers, which are lists. Unrequested answers are
 * dropped.
 */
export class Replies<Item> {
  readonly #asked = new Map<JobId, PromiseWithResolvers<readonly Item[]>>()

  /**
   * Asks, unless a request is open, and waits at most `ms` for the answer. Without an answer the
   * result is empty.
   */
  async of(job: JobId, ms: number, ask: () => void): Promise<readonly Item[]> {
    const known = this.#asked.get(job)
    const asked = known ?? Promise.withResolvers<readonly Item[]>()
    this.#asked.set(job, asked)
    const timer = setTimeout(() => asked.resolve([]), ms)
    try {
      if (known === undefined) ask()
      return await asked.promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(job)
    }
  }

  answered(job: JobId, items: readonly Item[]): void {
    this.#asked.get(job)?.resolve(items)
  }

  close(): void {
    for (const { resolve } of this.#asked.values()) resolve([])
  }
}
