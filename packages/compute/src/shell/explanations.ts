import type { JobId } from '../core/io.ts'
import type { HeldTask } from '../core/messages.ts'

/**
 * Requests to replicas for the tasks that members hold, and their answers. Unrequested answers are
 * dropped.
 */
export class Explanations {
  readonly #asked = new Map<JobId, PromiseWithResolvers<readonly HeldTask[]>>()

  /**
   * Asks, unless a request is open, and waits at most `ms` for the answer. Without an answer the
   * result is empty.
   */
  async of(job: JobId, ms: number, ask: () => void): Promise<readonly HeldTask[]> {
    const known = this.#asked.get(job)
    const asked = known ?? Promise.withResolvers()
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

  answered(job: JobId, tasks: readonly HeldTask[]): void {
    this.#asked.get(job)?.resolve(tasks)
  }

  close(): void {
    for (const { resolve } of this.#asked.values()) resolve([])
  }
}
