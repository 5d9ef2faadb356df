import type { Context } from './context.ts'
import type { Job } from './job.ts'
import type { Milliseconds } from './ids.ts'
import type { RunningTask } from './messages.ts'

/**
 * A member reports a task that runs for this long, ms. A guess: a person who waits begins to ask
 * for the reason.
 */
const LONG = 5000
/**
 * Maximum number of tasks in a report. A guess: more than one, since short tasks may wait in the
 * process of a task that hangs.
 */
export const MAX_LONG = 4

/** Returns the tasks of a job that have run here for long, the oldest first. */
export function longRunning({ now, describe }: Pick<Context, 'now' | 'describe'>, job: Job): { readonly oldest?: readonly RunningTask[] } {
  const oldest = job.open
    .leaves()
    .filter(({ node, at }) => node.task !== undefined && now - at >= LONG)
    .slice(0, MAX_LONG)
    .flatMap(({ node: { path, task }, at }) => (task ? [{ path, fn: task.fn, input: describe(task.input), age: now - at }] : []))
  return oldest.length === 0 ? {} : { oldest }
}

/**
 * Returns the time of the next report of long-running tasks, if no other task begins until then.
 * Other reports contain such tasks as well. Infinity: nothing runs here, or this member has
 * reported it.
 */
export function longReportAt({ open }: Job): Milliseconds {
  return open.since === open.noted || open.running === 0 ? Infinity : open.since + LONG
}
