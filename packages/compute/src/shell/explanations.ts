import type { HeldTask, JobId } from '../core/io.ts'

/** What a replica answers when this member asks who holds what of a job. Nobody is heard who was not asked. */
export class Explanations {
  readonly #asked = new Map<JobId, PromiseWithResolvers<readonly HeldTask[]>>()

  /** Asks, unless somebody here does so already, and waits `ms` for an answer; none is an empty one. */
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
