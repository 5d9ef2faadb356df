import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { LookupRequests } from './lookup-requests.ts'
import type { Reports } from './reports.ts'
import type { TaskNode } from './task-node.ts'

/**
 * For this long after its own return, ms, a member pauses new work again whenever others come or
 * go. Until the end of that time it also waits for replicas that do not answer. Measured, 20
 * members on two busy processors: members come back in waves up to 6 s apart, the last wave 15 s
 * after the first. A stream to a member takes 2 s to open in the median, and more than 8 s in a
 * tenth of cases.
 */
const LONGEST = 30_000

/**
 * Suspends new work while two halves of a pool reunite after a partition. So neither half repeats
 * the work of the other. A member that the other half had pronounced dead begins nothing until the
 * others are all back, the replicas of both halves have exchanged their claims, and it has looked
 * up its own tasks. The others come back in waves, even those of its own half: each must first
 * learn that others pronounced it dead. No member knows which wave is the last. So it waits for
 * each wave, and looks up its tasks after each.
 */
export class PartitionMerge {
  readonly #context: Context
  readonly #lookups: LookupRequests
  readonly #reports: Reports
  #until: Milliseconds = -Infinity
  #isFirst = true
  /** Jobs with open lookups of their tasks. `isOpen` drops the jobs whose lookups have ended. */
  #open: readonly Job[] = []

  constructor(context: Context, lookups: LookupRequests, reports: Reports) {
    this.#context = context
    this.#lookups = lookups
    this.#reports = reports
  }

  /** Whether nothing may begin. */
  get isOpen(): boolean {
    this.#open = this.#open.filter((job) => job.ended === undefined && this.#lookups.isAsking(job))
    return this.#open.length > 0 || this.#context.timers.at('merge') !== Infinity
  }

  /**
   * Whether others may wait as well and make no progress. Then none of their tasks counts as
   * overdue.
   */
  get isRecent(): boolean {
    return this.isOpen || this.#context.now < this.#until
  }

  /** This member is back. */
  begin(): void {
    const { now, config, active, timers } = this.#context
    if (active.size === 0) return
    for (const job of active) for (const node of job.tree.within(job.tree.root)) node.pardon()
    timers.set('merge', now + config.mergeQuiet)
    this.#until = now + LONGEST
    this.#isFirst = true
  }

  /** Another member came or is gone: waits anew. */
  changed(): void {
    const { now, config, timers } = this.#context
    if (now < this.#until) timers.set('merge', Math.min(this.#until, now + config.mergeQuiet))
  }

  /**
   * No further member came, so all count as back. Reports this member's claims again, and looks up
   * the tasks that others may hold as well.
   */
  due(): void {
    const open = new Set<Job>()
    if (this.#isFirst) this.#reports.claimAgain()
    this.#isFirst = false
    for (const job of this.#context.active) {
      for (const node of job.tree.within(job.tree.root)) {
        if (!isDisputable(node)) continue
        open.add(job)
        this.#lookups.add(job, node, this.#until)
      }
    }
    this.#open = [...open]
  }
}

/** Whether another member may hold this task, too, after a partition. */
function isDisputable({ frame, lostHolders }: TaskNode): boolean {
  return frame !== undefined && (frame.claimed || lostHolders !== undefined)
}
