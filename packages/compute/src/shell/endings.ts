import type { JobId } from '../core/io.ts'

/** Callers that wait for the ends of jobs. */
export class Endings {
  readonly #waiting = new Map<JobId, Set<() => void>>()

  has(job: JobId): boolean {
    return this.#waiting.has(job)
  }

  jobs(): JobId[] {
    return [...this.#waiting.keys()]
  }

  /** Resolves when the job ends, or after `ms`. */
  async wait(job: JobId, ms?: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(job) ?? new Set()
    this.#waiting.set(job, waiting.add(resolve))
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
    await promise
    clearTimeout(timer)
    waiting.delete(resolve)
    if (waiting.size === 0 && this.#waiting.get(job) === waiting) this.#waiting.delete(job)
  }

  end(job: JobId): void {
    for (const resolve of this.#waiting.get(job) ?? []) resolve()
  }

  endAll(): void {
    for (const job of this.#waiting.keys()) this.end(job)
  }
}
