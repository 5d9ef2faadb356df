/** The ways in which frames of this member end without an outcome. */
import type { Context } from './context.ts'
import { newFrame, type Frame } from './frame.ts'
import type { MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { TaskNode } from './task-node.ts'

/** Drops a frame in any state. */
export function dropFrame({ effects }: Context, job: Job, node: TaskNode): void {
  const { state, slot } = node.frame as Frame
  if (state === 'ready') job.ready.dropped()
  if (state === 'running') effects.push({ type: 'forget', slot, job: job.id, path: node.path })
  closeFrame(job, node)
}

/**
 * Drops the children that frames of this member spawned. Keeps the tasks that it holds for others.
 */
export function dropBelow(context: Context, job: Job, node: TaskNode): void {
  for (const child of node.children?.values() ?? []) {
    child.wanted = false
    job.endWait(child, 'passed on')
    if (child.frame?.claimed === true) continue
    if (child.frame !== undefined) dropFrame(context, job, child)
    dropBelow(context, job, child)
  }
}

/**
 * Removes a frame. The caller has taken it out of the deque, or told its worker to forget it, if it
 * was there.
 */
export function closeFrame(job: Job, node: TaskNode): void {
  const frame = node.frame as Frame
  job.open.ended(frame)
  node.frame = undefined
  if (!frame.claimed) return
  job.held.delete(node)
  job.reports.add({ type: 'dropped', path: node.path })
}

/** Ends the execution of a frame that is not in the deque. The frame begins anew later. */
export function beginAgain(job: Job, node: TaskNode): void {
  const frame = node.frame as Frame
  for (const child of node.children?.values() ?? []) child.wanted = false
  job.open.ended(frame)
  node.frame = newFrame(frame.since, frame)
  job.ready.push(node)
}

/** A task has an outcome. Ends all work on the task and below it. Returns the members to notify. */
export function releaseTask(context: Context, job: Job, node: TaskNode): Set<MemberId> {
  const interested = new Set<MemberId>()
  for (const each of job.tree.within(node)) {
    if (each.frame !== undefined) dropFrame(context, job, each)
    if (each.holder !== undefined) {
      interested.add(each.holder)
      job.endWait(each, 'passed on')
    }
    for (const waiter of each.waiters ?? []) interested.add(waiter)
    each.waiters = undefined
    for (const holder of each.claims?.keys() ?? []) {
      interested.add(holder)
      job.unclaim(each, holder)
    }
  }
  interested.delete(context.self)
  return interested
}
