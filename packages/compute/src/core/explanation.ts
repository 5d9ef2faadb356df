import type { Context } from './context.ts'
import type { Job } from './job.ts'
import { byMember, functionsOf } from './job-work.ts'
import { longRunning } from './long-running.ts'
import type { MemberId } from './ids.ts'
import type { HeldTask, JobExplanation, RunningTask } from './messages.ts'
import { ROOT } from './path.ts'

/** Maximum number of held tasks in one answer. A guess: more than a person reads. */
export const MAX_EXPLAINED = 64

/** The explanation if no replica answers. */
export const NOTHING_EXPLAINED: JobExplanation = { tasks: [], functions: [], members: [] }

/** Maximum number of members in one answer. A guess, as for tasks. */
export const MAX_MEMBERS = 64

/** Describes the work on a job, as far as this replica knows. */
export function explanationOf(context: Context, job: Job): JobExplanation {
  const own = { member: context.self, running: job.open.running, waiting: job.ready.size, ...longRunning(context, job) }
  const members = byMember(job.work, own, context.now)
    .filter(({ begun }) => begun > 0)
    .map(({ oldest, ...work }) => ({ ...work, ...stillRunning(context, job, work.member, oldest) }))
  members.sort((a, b) => b.running - a.running || b.finished - a.finished)
  return {
    tasks: job.ended === undefined ? heldTasks(context, job) : [],
    functions: functionsOf(job.work, context.self),
    members: members.slice(0, MAX_MEMBERS),
  }
}

/**
 * Explains what a job waits for, as far as this replica knows. First come the members that can't
 * run the job, then the held tasks. The first held task is the one without progress for longest.
 */
function heldTasks({ now, self, members }: Context, job: Job): HeldTask[] {
  const tasks: HeldTask[] = []
  const unfit = [...members.computing(job.spec)].flatMap((holder) => {
    const reason = job.refusalAt(holder, self)
    return reason === undefined ? [] : { path: ROOT, fn: job.spec.fn, holder, age: 0, still: 0, progress: 0, leaf: true, unfit: reason }
  })
  for (const [holder, nodes] of job.claims) {
    for (const { path, claims, quietSince = now } of nodes) {
      const claim = claims?.get(holder)
      if (claim?.task === undefined) continue
      const { task, since, progress, leaf } = claim
      tasks.push({ path, fn: task.fn, holder, age: now - since, still: now - quietSince, progress, leaf })
    }
  }
  for (const { path, task, frame } of job.held) {
    const since = frame?.since ?? now
    if (task !== undefined && !tasks.some((known) => known.path === path && known.holder === self))
      tasks.push({ path, fn: task.fn, holder: self, age: now - since, still: 0, progress: 0, leaf: frame?.spawned === 0 })
  }
  tasks.sort((a, b) => b.still - a.still)
  return [...unfit, ...tasks].slice(0, MAX_EXPLAINED)
}

/** Returns the reported tasks that may still run: others may have ended them meanwhile. */
function stillRunning(
  { self, members }: Context,
  job: Job,
  member: MemberId,
  oldest: readonly RunningTask[] = [],
): { readonly oldest?: readonly RunningTask[] } {
  const isHere = member === self || members.has(member)
  const running = isHere && job.ended === undefined ? oldest.filter(({ path }) => job.tree.entryFor(path) === undefined) : []
  return running.length === 0 ? {} : { oldest: running }
}
