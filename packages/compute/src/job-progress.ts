import type { JobView } from './core/job-view.ts'
import type { JobRecord } from './shell/job-record.ts'

/** The state of a job. `pending`: no member has begun it. The names are those of GRAM. */
export type JobState = 'pending' | 'active' | 'suspended' | 'done' | 'failed' | 'cancelled'

/** The progress of a job, as far as its replicas reported it. */
export interface JobProgress {
  /** The state of the job. */
  readonly state: JobState
  /**
   * The completed part of the job, 0 to 1. This is an estimate from the tree: all children of a
   * task count as equally large.
   */
  readonly covered: number
  /** Number of members that took part. */
  readonly members: number
  /** Number of executions that began. */
  readonly begun: number
  /** Number of tasks that gave an outcome. */
  readonly finished: number
  /** Tasks per second since the last progress; 0 once the job is over. */
  readonly rate: number
  /** The reason for this state, or why an active job does not go on. Text for people, or empty. */
  readonly reason: string
}

/**
 * Returns the progress of a job. `rate`: tasks per second, unless the job is over. `whyWaiting`
 * returns the reason why a job does not begin or does not go on.
 */
export function progressOf(
  desired: JobRecord['desired'],
  status: JobView | undefined,
  rate: number,
  whyWaiting: (hasBegun: boolean) => string,
): JobProgress {
  const { begun, finished, members } = status?.totals ?? { begun: 0, finished: 0, members: 0 }
  const state = stateOf(desired, status)
  const isOver = state === 'done' || state === 'failed' || state === 'cancelled'
  return {
    state,
    covered: status?.progress ?? 0,
    members,
    begun,
    finished,
    rate: isOver ? 0 : rate,
    reason: reasonOf(state, status, whyWaiting),
  }
}

/** Returns the state of a job, as far as this member knows. */
export function stateOf(desired: JobRecord['desired'], status: JobView | undefined): JobState {
  if (status?.entry !== undefined) return 'failure' in status.entry.outcome ? 'failed' : 'done'
  // A cancelled job may have an outcome until the replicas have answered.
  if (status?.ended === 'cancelled') return 'cancelled'
  if (desired === 'suspend') return 'suspended'
  return (status?.totals.begun ?? 0) > 0 ? 'active' : 'pending'
}

function reasonOf(state: JobState, status: JobView | undefined, whyWaiting: (hasBegun: boolean) => string): string {
  switch (state) {
    case 'pending':
    case 'active':
      return whyWaiting(state === 'active')
    case 'failed':
      return status?.entry !== undefined && 'failure' in status.entry.outcome ? status.entry.outcome.failure.message : ''
    case 'cancelled':
    case 'suspended':
      return 'its owner says so'
    case 'done':
      return ''
  }
}
