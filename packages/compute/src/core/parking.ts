import type { Context } from './context.ts'
import type { Frame } from './frame.ts'
import { beginAgain } from './frame-release.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { TaskNode } from './task-node.ts'

/**
 * Maximum number of jobs whose frames wait at one worker. Each such job keeps a process. A guess:
 * with eight jobs that wait, a worker seldom lacks work, and their processes take some 0.5 GB.
 */
const MAX_WAITING_JOBS = 8
/**
 * A parked frame begins again this long after the outcome of a child, ms. After the outcome of its
 * last child it begins at once. A guess: ten times the start of a process.
 */
const BEGIN_AFTER: Milliseconds = 1000

/**
 * Parks frames that wait for children: they give up their processes. Otherwise each job with a
 * waiting frame would keep a process. A parked frame goes on waiting. It begins anew once its
 * children have outcomes, and receives these outcomes then.
 */
export class Parking {
  readonly #context: Context
  /** Parked frames that begin again, and when. */
  readonly #due = new Map<TaskNode, { readonly job: Job; readonly at: Milliseconds }>()

  constructor(context: Context) {
    this.#context = context
  }

  /** A frame of a job is about to begin at a worker that has nothing to do. */
  makeRoom(job: Job, slot: number): void {
    const waiting = [...this.#context.attended].filter((each) => each !== job && each.open.isAt(slot))
    if (waiting.length < MAX_WAITING_JOBS) return
    this.#park(
      waiting.reduce((first, each) => (each.open.since < first.open.since ? each : first)),
      slot,
    )
  }

  /** A child of a parked frame has an outcome. */
  settled(job: Job, node: TaskNode): void {
    const { spawned, settled } = node.frame as Frame
    const { now, timers } = this.#context
    if (settled === spawned) {
      this.#due.delete(node)
      beginAgain(job, node)
    } else if (!this.#due.has(node)) {
      this.#due.set(node, { job, at: now + BEGIN_AFTER })
      timers.advance('parking', now + BEGIN_AFTER)
    }
  }

  due(): void {
    const { now, timers } = this.#context
    for (const [node, { job, at }] of this.#due) {
      if (at > now) {
        timers.advance('parking', at)
        return
      }
      this.#due.delete(node)
      if (node.frame?.state === 'parked') beginAgain(job, node)
    }
  }

  #park(job: Job, slot: number): void {
    for (const node of job.tree.within(job.tree.root)) {
      const { frame } = node
      if (frame?.state !== 'running' || frame.slot !== slot) continue
      this.#context.effects.push({ type: 'forget', slot, job: job.id, path: node.path })
      job.open.left(frame)
      frame.state = 'parked'
    }
  }
}
