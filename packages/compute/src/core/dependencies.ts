import { attend, type Context } from './context.ts'
import type { JobId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Settlement } from './settlement.ts'
import type { Supervision } from './supervision.ts'

/**
 * A job that this member does not know counts as over after this time, ms. Its result has expired,
 * or its owner withdrew it. A guess: a record reaches a member within seconds.
 */
const UNKNOWN_IS_OVER: Milliseconds = 60_000

/** Jobs after which another job begins: each of them must have given a value first. */
export class Dependencies {
  readonly #context: Context
  readonly #supervision: Supervision
  readonly #settlement: Settlement

  constructor(context: Context, supervision: Supervision, settlement: Settlement) {
    this.#context = context
    this.#supervision = supervision
    this.#settlement = settlement
  }

  /**
   * Whether a job still waits for other jobs. If so, this replica follows them. A job that has
   * begun does not wait again, for example when the holder of its root dies.
   */
  areOpen(job: Job): boolean {
    const { after = [] } = job.spec
    if (after.length === 0 || job.work.totalsAt(this.#context.self).begun > 0) return false
    const open = after.filter((id) => this.#isOpen(job, id))
    for (const id of open) this.#follow(id)
    return open.length > 0
  }

  /** Fails a job if one that had to come first gave no value. Returns false then. */
  areMet(job: Job): boolean {
    for (const id of job.spec.after ?? []) {
      const before = this.#context.jobs.get(id)
      if (before?.ended === undefined || (before.entry !== undefined && 'value' in before.entry.outcome)) continue
      const how = before.ended === 'cancelled' ? 'was cancelled' : 'failed'
      this.#settlement.fail(job, 'JOB_DEPENDENCY_FAILED', `it was to begin after the job ${id}, which ${how}`)
      return false
    }
    return true
  }

  #isOpen(job: Job, id: JobId): boolean {
    const { jobs, now, timers } = this.#context
    const before = jobs.get(id)
    if (before !== undefined) return before.ended === undefined
    const until = job.since + UNKNOWN_IS_OVER
    if (until > now) timers.advance('rootFailover', until)
    return until > now
  }

  #follow(id: JobId): void {
    const before = attend(this.#context, id)
    if (before === undefined || before.isWatched) return
    this.#supervision.watch(before)
    this.#supervision.ask(before)
  }
}
