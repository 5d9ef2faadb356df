import type { JobId } from '../core/io.ts'
import type { JobExplanation } from '../core/messages.ts'

/** The answer of nobody. */
const NOTHING: JobExplanation = { tasks: [], functions: [], members: [] }

/**
 * Requests to replicas for the work on jobs, and their answers. Unrequested answers are
 * dropped.
 */
export class Explanations {
  readonly #asked = new Map<JobId, PromiseWithResolvers<JobExplanation>>()

  /**
   * Asks, unless a request is open, and waits at most `ms` for the answer. Without an answer the
   * result is empty.
   */
  async of(job: JobId, ms: number, ask: () => void): Promise<JobExplanation> {
    const known = this.#asked.get(job)
    const asked = known ?? Promise.withResolvers()
    this.#asked.set(job, asked)
    const timer = setTimeout(() => asked.resolve(NOTHING), ms)
    try {
      if (known === undefined) ask()
      return await asked.promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(job)
    }
  }

  answered(job: JobId, explanation: JobExplanation): void {
    this.#asked.get(job)?.resolve(explanation)
  }

  close(): void {
    for (const { resolve } of this.#asked.values()) resolve(NOTHING)
  }
}
