import type { JobId } from '../core/io.ts'

/** Requests to replicas of jobs, and their answers. Drops unrequested answers. */
export class Replies<Answer> {
  readonly #asked = new Map<JobId, PromiseWithResolvers<Answer>>()
  readonly #nothing: Answer

  /** @param nothing the result if no answer comes */
  constructor(nothing: Answer) {
    this.#nothing = nothing
  }

  /**
   * Asks, unless a request is open, and waits at most `ms` for the answer. If no answer comes,
   * returns `nothing`.
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
