import type { JobOverview, JobsEvent } from '../events/job-messages.ts'
import { Rate } from './rate.ts'

/** A job, and how fast its tasks finish. */
export interface JobRow extends JobOverview {
  /** Finished tasks of all functions. */
  readonly done: number
  /** Tasks per second; undefined if unknown, or once the job is over. */
  readonly rate: number | undefined
  rateOf(kind: 'fn' | 'member', name: string): number | undefined
}

/** The jobs of a pool, as the last event `jobs` describes them, with rates from several events. */
export class JobsModel {
  /** Unfinished jobs, then ended jobs, the latest first. */
  rows: readonly JobRow[] = []
  /** Whether the node has reported its jobs. */
  isKnown = false
  /** The number of jobs that are not in `rows`. */
  more = 0
  #rates = new Map<string, Rate>()

  /** Takes an event. `now`: ms. */
  take({ jobs, more }: JobsEvent, now: number): void {
    const kept = new Map<string, Rate>()
    const take = (key: string, count: number): void => {
      const rate = this.#rates.get(key) ?? new Rate()
      rate.take(count, now)
      kept.set(key, rate)
    }
    this.rows = jobs.map((job): JobRow => {
      const counted = job.functions.reduce((sum, { finished }) => sum + finished, 0)
      const done = Math.max(job.finished, counted)
      const isOver = isOverJob(job)
      if (!isOver) {
        take(job.job, done)
        for (const { fn, finished } of job.functions) take(`${job.job} fn ${fn}`, finished)
        for (const { member, finished } of job.workers) take(`${job.job} member ${member}`, finished)
      }
      const rateOf = (key: string): number | undefined => (isOver ? undefined : kept.get(key)?.perSecond)
      return { ...job, done, rate: rateOf(job.job), rateOf: (kind, name) => rateOf(`${job.job} ${kind} ${name}`) }
    })
    this.isKnown = true
    this.more = more
    this.#rates = kept
  }

  clear(): void {
    this.take({ event: 'jobs', jobs: [], more: 0 }, 0)
    this.isKnown = false
  }
}

/** Whether a job has ended. */
export function isOverJob({ state }: Pick<JobOverview, 'state'>): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled'
}
