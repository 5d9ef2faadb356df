import type { JobId } from '../core/io.ts'

/** Requests to replicas of jobs, and their answers. Unrequested answers are dropped. */
export class Replies<Answer> {
  readonly #asked = new Map<JobId, PromiseWithResolvers<Answer>>()
  readonly #nothing: Answer

  /** @param nothing the answer of nobody */
  constructor(nothing: Answer) {
    this.#nothing = nothing
  }

  /**
   * Asks, unless a request is open, and waits at most `ms` for the answer. Without an answer the
   * result is that of nobody.
   */
  async of(job: JobId, ms: number, ask: () => void): Promise<Answer> {
    const known = this.#asked.get(job)
    const asked = known ?? Promise.withResolvers<Answer>()
    this.#asked.set(job, asked)
    const timer = setTimeout(() => asked.resolve(this.#nothing), ms)
    try {
      if (known === undefined) ask()
      return await asked.promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(job)
    }
  }

  answered(job: JobId, answer: Answer): void {
    this.#asked.get(job)?.resolve(answer)
  }

  close(): void {
    for (const { resolve } of this.#asked.values()) resolve(this.#nothing)
  }
}
