import type { JobId } from '../core/io.ts'
import { inBackground, type Timer } from '@jel/overlay'

/**
 * Longest time between two checks for expired jobs, ms. Somebody may set the clock in between. A
 * guess.
 */
const LOOK_AGAIN = 60_000

/** Forgets jobs that have expired. No event reports that a record expires. */
export class Expiry {
  readonly #jobs: () => Iterable<{ readonly id: JobId; readonly expires: number }>
  readonly #forget: (job: JobId) => void
  #timer: Timer | undefined
  #closed = false

  constructor(jobs: () => Iterable<{ readonly id: JobId; readonly expires: number }>, forget: (job: JobId) => void) {
    this.#jobs = jobs
    this.#forget = forget
  }

  /** Call this at the start, and when the expiry of a job changes. */
  look(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    const now = Date.now()
    let next = now + LOOK_AGAIN
    for (const { id, expires } of this.#jobs()) {
      if (expires <= now) this.#forget(id)
      else next = Math.min(next, expires)
    }
    this.#timer = inBackground(setTimeout(() => this.look(), next - now + 1))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
