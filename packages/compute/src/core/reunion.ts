import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Lookups } from './lookups.ts'

/** Members that keep coming hold nobody up for longer, ms. Measured: all see all at most 9.1 s after a partition of ten minutes. */
const LONGEST = 10_000

/**
 * Two halves of a pool meet again after a partition. What either of them computed must not be computed once more, so a member that the other half had pronounced dead begins nothing
 * until the others are all back, the replicas of both halves have told one another what they hold, and it has looked up what of its own tasks is known.
 */
export class Reunion {
  readonly #context: Context
  readonly #lookups: Lookups
  /** When the others will be back, if no more of them come. */
  #quietAt: Milliseconds = Infinity
  #latest: Milliseconds = Infinity
  /** Jobs whose tasks are being looked up. */
  #open: readonly Job[] = []

  constructor(context: Context, lookups: Lookups) {
    this.#context = context
    this.#lookups = lookups
  }

  get nextDue(): Milliseconds {
    return this.#quietAt
  }

  /** Whether nothing is to be begun. */
  get isOpen(): boolean {
    return this.#quietAt !== Infinity || this.#open.length > 0
  }

  /** This member is back. */
  begin(): void {
    const { now, config, jobs } = this.#context
    if ([...jobs.values()].every(({ ended }) => ended !== undefined)) return
    this.#quietAt = now + config.reunionQuiet
    this.#latest = now + LONGEST
  }

  /** Another one may be back. */
  joined(): void {
    const { now, config } = this.#context
    if (this.#quietAt !== Infinity) this.#quietAt = Math.min(this.#latest, now + config.reunionQuiet)
  }

  turn(): void {
    const { now, jobs } = this.#context
    if (this.#quietAt <= now) {
      this.#quietAt = Infinity
      this.#open = [...jobs.values()].filter((job) => job.ended === undefined && job.held.size > 0)
      for (const job of this.#open) for (const node of job.held) this.#lookups.add(job, node)
    }
    if (this.#open.length > 0) this.#open = this.#open.filter((job) => this.#lookups.isAsking(job))
  }
}
