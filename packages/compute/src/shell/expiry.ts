import type { JobId } from '../core/io.ts'

/** So often jobs are looked through whose time may be over, ms: a calendar may be set. A guess. */
const LOOK_AGAIN = 60_000

/** Forgets jobs whose time is over. Nobody says that a record's is. */
export class Expiry {
  readonly #jobs: () => Iterable<{ readonly id: JobId; readonly expires: number }>
  readonly #forget: (job: JobId) => void
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(jobs: () => Iterable<{ readonly id: JobId; readonly expires: number }>, forget: (job: JobId) => void) {
    this.#jobs = jobs
    this.#forget = forget
  }

  /** To be called at the beginning, and when a time has changed. */
  look(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    const now = Date.now()
    let next = now + LOOK_AGAIN
    for (const { id, expires } of this.#jobs()) {
      if (expires <= now) this.#forget(id)
      else next = Math.min(next, expires)
    }
    this.#timer = setTimeout(() => this.look(), next - now + 1)
    this.#timer.unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
