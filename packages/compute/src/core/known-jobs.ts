import { attend, type Context } from './context.ts'
import type { JobId, JobSpec } from './io.ts'
import { Job } from './job.ts'
import type { Parts } from './parts.ts'
import { ROOT } from './path.ts'

/** The jobs that this member knows: they come, change and expire with their records. */
export class KnownJobs {
  readonly #context: Context
  readonly #parts: Parts

  constructor(context: Context, parts: Parts) {
    this.#context = context
    this.#parts = parts
  }

  /** A job, or a new version of its record. */
  published(spec: JobSpec): void {
    const { jobs } = this.#context
    let job = jobs.get(spec.id)
    // The owner has submitted a cancelled job again.
    if (job?.ended === 'cancelled' && spec.desired !== 'cancel') {
      this.expired(spec.id)
      job = undefined
    }
    if (job === undefined) {
      jobs.set(spec.id, (job = new Job(spec, this.#context.now)))
      this.#context.active.add(job)
      if (this.#context.saves) job.tree.unsaved = new Set()
    } else job.spec = job.ended === undefined ? spec : { ...spec, input: undefined }
    attend(this.#context, spec.id)
    if (spec.noRoom !== undefined && job.ended === undefined) job.reports.add({ type: 'work', path: ROOT })
    this.#parts.queue.changed(job)
    if (spec.desired !== 'cancel') this.#parts.ended.forget(job)
    else if (job.ended === undefined) this.#parts.ended.cancelled(job)
    if (spec.desired === 'suspend' && job.ended === undefined) this.#parts.execution.suspend(job)
    this.#parts.stealing.wake()
  }

  expired(id: JobId): void {
    const { jobs } = this.#context
    const job = jobs.get(id)
    if (job === undefined) return
    if (job.ended === undefined) this.#parts.jobEnd.cancel(job)
    this.#parts.reports.forget(job)
    this.#parts.lookupRequests.forget(id)
    this.#parts.ended.forget(job)
    this.#context.active.delete(job)
    this.#context.attended.delete(job)
    jobs.delete(id)
  }

  /** Drops jobs from `attended` for which this member has nothing to do until something arrives. */
  disregard(): void {
    const { attended } = this.#context
    const { reports, spread, rootFailover } = this.#parts
    for (const job of attended)
      if (!job.hasPart && !reports.isDue(job) && !spread.isDue(job) && !rootFailover.isDue(job)) attended.delete(job)
  }
}
