import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Settlement } from './settlement.ts'

/**
 * A later replica waits this long for each earlier one to fail a job that ran for too long, ms. A
 * guess, as for a root that nobody begins.
 */
const LATER: Milliseconds = 5000

/**
 * Fails jobs that run for longer than their owners allow. Each replica counts the time of a job
 * from the moment at which it learns of the first task. So the time goes on if the holder of the
 * root dies. A suspended job begins its time again when it goes on.
 */
export class TimeLimits {
  readonly #context: Context
  readonly #settlement: Settlement
  /**
   * The jobs with a limit that have begun, and since when. Infinity: this member has failed the
   * job. If members vote, its failure is one vote.
   */
  readonly #begun = new Map<Job, Milliseconds>()

  constructor(context: Context, settlement: Settlement) {
    this.#context = context
    this.#settlement = settlement
  }

  due(): void {
    const { attended, self, now, timers, replicas } = this.#context
    for (const job of attended) {
      if (job.spec.maxTime === undefined || this.#begun.has(job)) continue
      if (job.runs && job.work.totalsAt(self).begun > 0) this.#begun.set(job, now)
    }
    for (const [job, since] of this.#begun) {
      const { maxTime } = job.spec
      const place = replicas(job).indexOf(self)
      if (!job.runs || maxTime === undefined) this.#begun.delete(job)
      else if (place !== -1) {
        const at = since + maxTime + LATER * place
        if (at > now) {
          timers.advance('timeLimits', at)
          continue
        }
        this.#begun.set(job, Infinity)
        this.#settlement.fail(job, 'JOB_TIMED_OUT', `it ran for ${maxTime / 1000} s, and its owner allows no more`)
      }
    }
  }
}
