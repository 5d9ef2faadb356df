import type { Context } from './context.ts'
import type { Frame } from './frame.ts'
import type { Job } from './job.ts'
import type { Parking } from './parking.ts'
import type { PartitionMerge } from './partition-merge.ts'
import type { Queue } from './job-queue.ts'
import type { TaskNode } from './task-node.ts'
import { heldBy, NO_TRIES } from './tries.ts'
import { eligible, givenTo } from './votes.ts'

interface Worker {
  /**
   * `sent`: number of effects that the worker got. `seen`: number of these that it had processed
   * when it last had nothing to do.
   */
  sent: number
  seen: number
}

/** The workers of this member. Chooses the next task of each free worker. */
export class Workers {
  readonly #context: Context
  readonly #queue: Queue
  readonly #merge: PartitionMerge
  readonly #parking: Parking
  readonly #workers: readonly Worker[]
  /** Number of workers that get no tasks: this member has leased their processors. */
  #reserved = 0
  /** Workers whose tasks this member has stopped at a saved state. */
  readonly #stopped = new Set<number>()

  constructor(context: Context, queue: Queue, merge: PartitionMerge, parking: Parking, count: number) {
    this.#context = context
    this.#queue = queue
    this.#merge = merge
    this.#parking = parking
    this.#workers = Array.from({ length: count }, () => ({ sent: 0, seen: 0 }))
  }

  get count(): number {
    return this.#workers.length
  }

  /** Number of workers that have nothing to do, and may have a task. */
  get idle(): number {
    return Math.max(0, this.#allowed - this.busy)
  }

  /** Whether more workers are at work than may be. */
  get isOver(): boolean {
    return this.busy - this.#stopped.size > this.#allowed
  }

  get #allowed(): number {
    return Math.max(0, this.#workers.length - this.#reserved)
  }

  /** Number of workers at work. */
  get busy(): number {
    let busy = 0
    for (const { sent, seen } of this.#workers) if (sent !== seen) busy++
    return busy
  }

  /** From now on this number of workers gets no tasks. Those at work end or save theirs. */
  reserve(count: number): void {
    this.#reserved = count
  }

  /** A worker stops its task at a saved state. */
  stopped(slot: number): void {
    this.#stopped.add(slot)
  }

  sent(slot: number): void {
    ;(this.#workers[slot] as Worker).sent++
  }

  /** A worker has processed this many effects, and has nothing to do. */
  saw(slot: number, seen: number): void {
    const worker = this.#workers[slot]
    if (worker === undefined || seen <= worker.seen || seen > worker.sent) return
    worker.seen = seen
    if (seen === worker.sent) this.#stopped.delete(slot)
  }

  /** A new worker is in this place: it processes none of the effects that the former worker got. */
  replaced(slot: number): void {
    const worker = this.#workers[slot]
    if (worker !== undefined) worker.seen = worker.sent
    this.#stopped.delete(slot)
  }

  /** Gives free workers tasks of the first jobs that have some. */
  due(): void {
    if (this.#merge.isOpen || this.#context.isStopping) return
    while (this.#fillOne());
  }

  #fillOne(): boolean {
    const { self } = this.#context
    for (const job of this.#queue.ready()) {
      const slot = this.#free(job)
      if (slot === undefined) continue
      const node = job.ready.newest(eligible(job, self))
      if (node === undefined) continue
      this.#run(job, node, slot)
      return true
    }
    return false
  }

  #run(job: Job, node: TaskNode, slot: number): void {
    const { self } = this.#context
    const frame = node.frame as Frame
    frame.state = 'running'
    frame.slot = slot
    frame.given = job.votesNeeded === 1 ? job.shared : givenTo(job, node)
    const { sent, seen } = this.#workers[slot] as Worker
    if (sent === seen) this.#parking.makeRoom(job, slot)
    job.open.began(node, frame, this.#context.now)
    job.work.own.begun++
    if (frame.careful || node.parent?.frame?.careful === true) {
      job.failures.learnTries(node, heldBy(node.tries ?? NO_TRIES, self))
      job.reportTries(node, true)
    }
    frame.charged = job.work.taskTime ?? 0
    frame.tickets = this.#queue.charge(job, frame.charged)
    this.sent(slot)
    const { task } = node
    if (task === undefined) throw new Error('a frame without a task')
    this.#context.effects.push({
      type: 'run',
      slot,
      job: job.id,
      task,
      shared: frame.given,
      split: node.children !== undefined,
      frozen: job.votesNeeded > 1,
      ...(node.saved && { saved: node.saved.state }),
    })
  }

  /** Returns the worker with the least to do: nothing, or one short task. */
  #free(job: Job): number | undefined {
    const left = this.#allowed - this.busy
    if (left < 0) return undefined
    const ahead = job.work.taskTime !== undefined && job.work.taskTime < this.#context.config.prefetchBelow ? 1 : 0
    let best: number | undefined
    let least = ahead + 1
    for (const [slot, { sent, seen }] of this.#workers.entries()) {
      if (sent - seen < least && (left > 0 || sent > seen)) {
        best = slot
        least = sent - seen
      }
    }
    return best
  }
}
