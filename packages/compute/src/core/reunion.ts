import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Lookups } from './lookups.ts'

/**
 * For so long after its own return a member stops again whenever others come or go, and waits for replicas that do not answer, ms. Measured: members come back in waves up to 6 s
 * apart, the last one 15 s after the first, and a stream to one takes 2 s to open in the median, a tenth above 8 s (20 members on two busy processors).
 */
const LONGEST = 30_000

/**
 * Two halves of a pool meet again after a partition. What either of them computed must not be computed once more, so a member that the other half had pronounced dead begins nothing
 * until the others are all back, the replicas of both halves have told one another what they hold, and it has looked up what of its own tasks is known. The others come back in
 * waves, those of its own half, too, as each one has to hear that it was pronounced dead; nobody knows which wave is the last one, so each is waited for, and looked up after.
 */
export class Reunion {
  readonly #context: Context
  readonly #lookups: Lookups
  /** When the others will be back, if no more of them come. */
  #quietAt: Milliseconds = Infinity
  #until: Milliseconds = -Infinity
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

  /** Whether others may have begun nothing for a while, since they wait: nothing of theirs is to be taken for too slow. */
  get isRecent(): boolean {
    return this.isOpen || this.#context.now < this.#until
  }

  /** This member is back. */
  begin(): void {
    const { now, config, active } = this.#context
    if (active.size === 0) return
    this.#quietAt = now + config.reunionQuiet
    this.#until = now + LONGEST
  }

  /** Another one may be back, or is pronounced dead before it is. */
  changed(): void {
    const { now, config } = this.#context
    if (now < this.#until) this.#quietAt = Math.min(this.#until, now + config.reunionQuiet)
  }

  turn(): void {
    const { now, active } = this.#context
    if (this.#quietAt <= now) {
      this.#quietAt = Infinity
      this.#open = [...active].filter((job) => job.held.size > 0)
      for (const job of this.#open) for (const node of job.held) this.#lookups.add(job, node, this.#until)
    }
    if (this.#open.length > 0) this.#open = this.#open.filter((job) => job.ended === undefined && this.#lookups.isAsking(job))
  }
}
