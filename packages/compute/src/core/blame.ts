import type { Context } from './context.ts'
import type { Execution } from './execution.ts'
import type { Input, MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { ROOT, type Path } from './path.ts'
import { poisonOf } from './poison.ts'
import type { Queue } from './job-queue.ts'
import type { Settlement } from './settlement.ts'
import type { TaskNode } from './task-node.ts'
import { crashedAt, crashesAt, heldBy, MOST_CRASHES, NO_TRIES } from './tries.ts'

/** Maximum characters of the reason why a program does not run. A guess: an error's first lines. */
export const MAX_REASON = 500
/**
 * If a task ended too many containers here, this member leaves it to others for this long, ms.
 * After that it sets the task apart by itself, see `Settlement.setApart`. A guess: an idle member
 * asks several times a second.
 */
const LEFT_TO_OTHERS = 30_000
/**
 * A member that is gone may come back within this time, ms. Until then a job does not fail for the
 * reason that no other member can run it. A guess: a machine starts again within two minutes.
 */
const RETURN_TIME = 120_000
/**
 * Decides whether a task or a machine is to blame for a loss. A task that throws has an outcome, so
 * nothing is lost. If a task ends several containers, at two members or more, the task is to blame.
 * If a container does not even start, the machine is to blame. If several members die one after the
 * other while they hold a task, the task is to blame.
 */
export class Blame {
  readonly #context: Context
  readonly #execution: Execution
  readonly #settlement: Settlement
  readonly #queue: Queue
  /** How often each task met a fault of this machine. */
  readonly #faults = new WeakMap<TaskNode, number>()

  constructor(context: Context, execution: Execution, settlement: Settlement, queue: Queue) {
    this.#context = context
    this.#execution = execution
    this.#settlement = settlement
    this.#queue = queue
  }

  due(): void {
    const { now, attended, self, timers } = this.#context
    for (const job of attended) {
      if (job.failures.isStopped && job.failures.fitness.stoppedUntil <= now) {
        job.failures.isStopped = false
        this.#queue.changed(job)
      } else if (job.failures.isStopped) timers.advance('blame', job.failures.fitness.stoppedUntil)
      for (const [node, { until, reason }] of job.failures.leftToOthers) {
        if (node.frame?.state !== 'ready' || crashesAt(node.tries, self) < MOST_CRASHES) job.failures.leftToOthers.delete(node)
        else if (until > now) timers.advance('blame', until)
        else
          this.#settlement.setApart(job, node, `it has ended ${MOST_CRASHES} processes here, and no other member has tried it: ${reason}`)
      }
    }
  }

  /** A container is lost with its frames. */
  crashed(job: Job, { slot, path, reason }: Extract<Input, { type: 'crashed' }>): void {
    const { self, now, members } = this.#context
    if (job.ended !== undefined) return
    const culprit = this.#culprit(job, slot, path)
    if (culprit !== undefined) {
      this.#context.counts.crashed()
      job.failures.learnTries(culprit, crashedAt(culprit.tries ?? NO_TRIES, self))
      job.reportTries(culprit, false)
    }
    this.#execution.beginAnew(job, slot)
    if (culprit !== undefined && poisonOf(this.#context, job, culprit) !== undefined) {
      this.#settlement.setApart(job, culprit, `${poisonOf(this.#context, job, culprit) as string}: ${reason}`)
      return
    }
    if (culprit !== undefined && crashesAt(culprit.tries, self) >= MOST_CRASHES)
      job.failures.leftToOthers.set(culprit, { until: now + LEFT_TO_OTHERS, reason })
    const pause = job.work.own.finished === 0 ? job.failures.fitness.failed(now) : undefined
    if (pause !== undefined && members.size > 1) this.#stop(job, reason, pause)
  }

  /** A container could not run the program. */
  unfit(job: Job, { slot, code, reason, stack, path }: Extract<Input, { type: 'unfit' }>): void {
    if (job.ended !== undefined) return
    const culprit = path === ROOT ? undefined : this.#culprit(job, slot, path)
    this.#execution.beginAnew(job, slot)
    if (
      culprit !== undefined &&
      this.#fault(culprit) >= MOST_CRASHES &&
      !this.#awaitsReturn(job) &&
      [...this.#context.members.computing(job.spec)].length === 1
    ) {
      // No other member can try it. Other tasks of the job may run here.
      job.failures.fitness.succeeded()
      this.#settlement.giveUp(job, culprit, code, reason)
      return
    }
    const pause = job.failures.fitness.failed(this.#context.now)
    if (pause === undefined) return
    job.failures.unfit = { code, reason: reason.slice(0, MAX_REASON), ...(stack !== undefined && { stack }) }
    this.judge(job)
    if (job.ended !== undefined) return
    job.reports.add({ type: 'work', path: ROOT })
    this.#stop(job, reason, pause)
  }

  /**
   * Fails a job if every member that accepts it reports that the program does not run there. There
   * must be at least as many such members as votes for an outcome. Has an effect only at a replica.
   * Only the news that a member is unfit leads to this call. The unfit members report again after
   * their pauses.
   */
  judge(job: Job): void {
    const { self, members, replicas } = this.#context
    if (job.ended !== undefined || this.#awaitsReturn(job)) return
    let first: string | undefined
    let count = 0
    for (const member of members.computing(job.spec)) {
      const reason = job.unfitAt(member, self)
      if (reason === undefined) return
      first ??= reason
      count++
    }
    if (first === undefined || count < job.votesNeeded || !replicas(job).includes(self)) return
    const { code = 'PROGRAM_UNUSABLE', reason = first, stack } = job.failures.unfit ?? {}
    this.#settlement.fail(job, code, count === 1 ? reason : `it runs at none of ${count} members: ${reason}`, stack)
  }

  /** The holder of a task is gone. As far as this member knows, it died. */
  lostHolder(job: Job, node: TaskNode, member: MemberId): void {
    if (node.progress > 0) return
    job.failures.learnTries(node, heldBy(node.tries ?? NO_TRIES, member))
    job.reportTries(node, false)
  }

  /** Counts a fault of this machine. Returns how often the task has met one. */
  #fault(node: TaskNode): number {
    const faults = (this.#faults.get(node) ?? 0) + 1
    this.#faults.set(node, faults)
    return faults
  }

  /** Whether a member that may run the program left or died less than `RETURN_TIME` ago. */
  #awaitsReturn({ failures }: Job): boolean {
    return this.#context.now - failures.fitMemberLostAt < RETURN_TIME
  }

  #culprit(job: Job, slot: number, path: Path | undefined): TaskNode | undefined {
    const node = path === undefined ? undefined : job.tree.find(path)
    return node?.frame?.state === 'running' && node.frame.slot === slot ? node : undefined
  }

  /** Containers failed: this member takes no tasks of the job for a while. */
  #stop(job: Job, reason: string, pause: Milliseconds): void {
    job.failures.isStopped = true
    this.#queue.changed(job)
    const message = `its program does not run here: ${reason}. This member leaves it to others for ${pause / 1000} s`
    this.#context.effects.push({ type: 'warning', job: job.id, code: 'MEMBER_UNFIT', message })
  }
}
