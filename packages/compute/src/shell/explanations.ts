import type { HeldTask, JobId } from '../core/io.ts'

/** What a replica answers when this member asks who holds what of a job. Nobody is heard who was not asked. */
export class Explanations {
  readonly #asked = new Map<JobId, PromiseWithResolvers<readonly HeldTask[]>>()

  /** Asks, and waits `ms` for an answer; none is an empty one. */
  async of(job: JobId, ms: number, ask: () => void): Promise<readonly HeldTask[]> {
    const known = this.#asked.get(job)
    const asked = known ?? Promise.withResolvers()
    this.#asked.set(job, asked)
    const timer = setTimeout(() => asked.resolve([]), ms)
    if (known === undefined) ask()
    const tasks = await asked.promise
    clearTimeout(timer)
    this.#asked.delete(job)
    return tasks
  }

  answered(job: JobId, tasks: readonly HeldTask[]): void {
    this.#asked.get(job)?.resolve(tasks)
  }

  close(): void {
    for (const { resolve } of this.#asked.values()) resolve([])
  }
}
