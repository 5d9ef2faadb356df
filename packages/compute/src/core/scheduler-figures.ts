import type { Context } from './context.ts'
import type { TaskCounts } from './task-counts.ts'
import type { Workers } from './workers.ts'

/** The work of this member for all jobs together. */
export interface SchedulerFigures {
  readonly workers: number
  /** Workers that have something to do. */
  readonly busy: number
  /** Tasks that wait for a worker here. */
  readonly waiting: number
  /** Jobs of which this member is a replica. */
  readonly kept: number
  readonly counts: Readonly<TaskCounts>
}

export function figuresOf({ active, counts, jobs, self, replicas }: Context, { count, busy }: Workers): SchedulerFigures {
  let waiting = 0
  for (const job of active) waiting += job.ready.size
  let kept = 0
  for (const job of jobs.values()) if (replicas(job).includes(self)) kept++
  return { workers: count, busy, waiting, kept, counts }
}
