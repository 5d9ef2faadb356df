import { awaitTask, type Context } from './context.ts'
import type { Task } from './entry.ts'
import type { Frame } from './frame.ts'
import { closeFrame } from './frame-release.ts'
import type { JobId, MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { Queue } from './job-queue.ts'
import type { Grant, Message } from './messages.ts'
import type { PartitionMerge } from './partition-merge.ts'
import { savedFor } from './saves.ts'
import type { TaskNode } from './task-node.ts'
import { canRun, eligible, evidence } from './votes.ts'

/** Maximum number of tasks in the answer to one request. A guess. */
export const MAX_STOLEN = 64
/**
 * A victim gives at most one in this many waiting tasks, but at least one task. A guess: in a tree
 * fewer tasks wait.
 */
export const MANY = 16
/**
 * Maximum number of lifelines, that is, of thieves to notify of new work. A guess: fewer thieves
 * share one victim, unless all look for one root.
 */
const MAX_LIFELINES = 256
/**
 * A member keeps its last waiting task from busy thieves for this long, ms. A guess: most tasks are
 * shorter, so one of its workers begins the task within this time.
 */
const KEEP_LAST = 1000
/**
 * An answer gets no more tasks once their inputs take this many bytes, since the answer must fit
 * into a message. Reports have the same bound.
 */
const GRANTED_BYTES = 512 * 1024

/**
 * The victim's part in work stealing: grants tasks to thieves. A refused thief gets a lifeline
 * (Saraswat et al., lifeline-based global load balancing): the victim notifies it once there is
 * work.
 */
export class Grants {
  readonly #context: Context
  readonly #merge: PartitionMerge
  readonly #queue: Queue
  readonly #hasWorkers: boolean
  /** Thieves to notify, the latest last, and the jobs that they asked for. */
  readonly #lifelines = new Map<MemberId, readonly JobId[]>()

  constructor(context: Context, merge: PartitionMerge, queue: Queue, workerCount: number) {
    this.#context = context
    this.#merge = merge
    this.#queue = queue
    this.#hasWorkers = workerCount > 0
  }

  /** Notifies thieves with lifelines of new work: as many thieves as there are tasks. */
  due(): void {
    if (this.#merge.isOpen || this.#lifelines.size === 0) return
    const jobs = new Map<JobId, Job>()
    for (const job of this.#context.attended) if (job.runs && job.ready.size > 0) jobs.set(job.id, job)
    let tasks = 0
    for (const { ready } of jobs.values()) tasks += ready.size
    for (const [thief, ids] of this.#lifelines) {
      if (tasks <= 0) return
      if (!ids.some((id) => isFor(thief, jobs.get(id)))) continue
      tasks--
      this.#lifelines.delete(thief)
      this.#context.send(thief, { type: 'lifeline' })
    }
  }

  /** A thief asks for tasks. This member refuses it while nothing may begin. */
  asked(from: MemberId, { request, jobs: ids, count, busy = false }: Extract<Message, { type: 'steal' }>): void {
    const mayGive = !this.#merge.isOpen
    const tasks: Grant[] = []
    const ended: JobId[] = []
    let left = 0
    let keepsLast = false
    for (const id of ids) {
      const job = this.#context.jobs.get(id)
      if (job === undefined) continue
      if (job.ended !== undefined) ended.push(id)
      else if (mayGive && tasks.length === 0 && job.runs && isFor(from, job)) {
        if (busy && this.#keepsLast(job)) {
          keepsLast = true
          continue
        }
        // In a tree, the two oldest tasks may be most of the work, so this gives one task. If
        // hundreds wait, a task is about as short as the round trip.
        const most = Math.max(1, Math.min(count, MAX_STOLEN, Math.floor(job.ready.size / MANY)))
        tasks.push(...this.#give(job, from, most))
        left = job.ready.size
      }
    }
    const hint = tasks.length === 0 ? this.#hint(ids) : undefined
    this.#context.send(from, { type: 'work', request, tasks, left, ended, ...(hint !== undefined && hint !== from && { hint }) })
    // The only task is for this member's workers. The thief keeps an earlier lifeline.
    if (keepsLast && tasks.length === 0) return
    this.#lifelines.delete(from)
    if (tasks.length > 0 || ended.length === ids.length) return
    this.#lifelines.set(from, ids)
    if (this.#lifelines.size > MAX_LIFELINES) this.#lifelines.delete(this.#lifelines.keys().next().value as MemberId)
  }

  /**
   * Whether this member keeps the only waiting task of a job for its own workers, for a while.
   * Members whose turn it is for a new job would otherwise pass its first task around while all of
   * their workers are at work. Simulated, three owners with one wide task each: the third began
   * after some 40 s. Without shares all members serve the jobs in the order of submission. Then a
   * member does not keep the task.
   */
  #keepsLast({ ready, spec }: Job): boolean {
    if (!this.#hasWorkers || !this.#queue.hasShares || !spec.accepted || ready.size !== 1) return false
    const { now } = this.#context
    return ready.some(({ frame }) => frame !== undefined && now - frame.since < KEEP_LAST)
  }

  /** Hands the oldest tasks to a thief. */
  #give(job: Job, thief: MemberId, count: number): Grant[] {
    const grants: Grant[] = []
    let bytes = 0
    while (grants.length < count && bytes < GRANTED_BYTES && job.credit.mayHold(thief)) {
      const node = this.#voted(job, thief) ?? job.ready.oldest(eligible(job, thief))
      if (node === undefined) break
      const frame = node.frame as Frame
      const { task } = node as { task: Task }
      bytes += task.input.length + (node.saved?.state.length ?? 0)
      // The thief must begin with the same shared values as the voters.
      if (node.ballots !== undefined) this.#context.send(thief, { type: 'result', job: job.id, entries: evidence(job, node) })
      grants.push({
        ...task,
        job: job.id,
        replay: frame.replay || node.children !== undefined,
        tries: node.tries?.crashes.length ?? 0,
        ...node.tries,
        ...savedFor(job, node),
      })
      closeFrame(job, node)
      awaitTask(this.#context, job, node, thief, thief)
    }
    this.#context.counts.given += grants.length
    return grants
  }

  /**
   * A task that lacks votes goes first. Its shared values, such as a bound, count only once members
   * have elected them.
   */
  #voted(job: Job, thief: MemberId): TaskNode | undefined {
    const may = eligible(job, thief)
    return may && job.ready.newest((node) => node.ballots !== undefined && may(node))
  }

  /**
   * Returns a member that may have work: a victim that had plenty when it gave tasks, or the holder
   * of the root.
   */
  #hint(jobs: readonly JobId[]): MemberId | undefined {
    for (const id of jobs) {
      const job = this.#context.jobs.get(id)
      const generous = job?.generous.near ?? job?.generous.far
      if (generous !== undefined) return generous
      const root = job?.tree.root
      const holder = root?.holder ?? root?.claims?.keys().next().value
      if (holder !== undefined) return holder
    }
    return undefined
  }
}

/** Whether there is a task for this thief. */
function isFor(thief: MemberId, job: Job | undefined): boolean {
  return job !== undefined && job.credit.mayHold(thief) && canRun(job, thief)
}
