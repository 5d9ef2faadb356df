import type { Context } from './context.ts'
import type { Frame } from './frame.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { TaskNode } from './task-node.ts'

/** Ends frames of this member without an outcome. */
export class FrameEnd {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Drops a frame of this member. */
  drop(job: Job, node: TaskNode): void {
    const frame = node.frame as Frame
    if (frame.state === 'ready') job.ready.dropped()
    if (frame.state === 'running') this.#context.effects.push({ type: 'forget', slot: frame.slot, job: job.id, path: node.path })
    this.close(job, node)
  }

  /**
   * Drops the children that frames of this member called for, but not the tasks that it holds for
   * others.
   */
  dropBelow(job: Job, node: TaskNode): void {
    for (const child of node.children?.values() ?? []) {
      child.wanted = false
      job.unawait(child, 'passed on')
      if (child.frame?.claimed === true) continue
      if (child.frame !== undefined) this.drop(job, child)
      this.dropBelow(job, child)
    }
  }

  /** Removes a frame that is neither in the deque nor at a worker. */
  close(job: Job, node: TaskNode): void {
    const { claimed } = node.frame as Frame
    job.closed(node.frame as Frame)
    node.frame = undefined
    if (!claimed) return
    job.held.delete(node)
    job.news.push({ type: 'dropped', path: node.path })
  }

  /** A task is covered: ends all work on it and below it. Returns the members to notify. */
  release(job: Job, node: TaskNode): Set<MemberId> {
    const interested = new Set<MemberId>()
    for (const each of job.tree.within(node)) {
      if (each.frame !== undefined) this.drop(job, each)
      if (each.holder !== undefined) {
        interested.add(each.holder)
        job.unawait(each, 'passed on')
      }
      if (each.waiters !== undefined) for (const waiter of each.waiters) interested.add(waiter)
      each.waiters = undefined
      if (each.claims !== undefined) {
        for (const holder of each.claims.keys()) {
          interested.add(holder)
          job.unclaim(each, holder)
        }
      }
    }
    interested.delete(this.#context.self)
    return interested
  }
}
