import { Fitness } from './fitness.ts'
import type { Milliseconds } from './ids.ts'
import type { TaskNode } from './task-node.ts'
import type { TaskTree } from './task-tree.ts'
import { isNone, joinTries, NO_TRIES, type Tries } from './tries.ts'

/** Failures of the tasks of one job, and failures of its program at this machine. See `Blame`. */
export class JobFailures {
  readonly fitness = new Fitness()
  /** Tasks with crashes or lost holders. */
  readonly triedTasks = new Set<TaskNode>()
  /** Some task of the job ended the process that ran it. */
  hasCrashes = false
  /**
   * Tasks that ended too many processes of the program here. This member leaves them to others
   * until this time. `reason`: the reason of the last crash.
   */
  readonly leftToOthers = new Map<TaskNode, { readonly until: Milliseconds; readonly reason: string }>()
  /** This member takes no tasks of the job for a while: its machine can't run the program. */
  isStopped = false
  /** The reason why the program does not run here; undefined once it runs. */
  unfit: { readonly code: string; readonly reason: string; readonly stack?: string } | undefined
  /** The last time at which a member that may run the program left or died. */
  fitMemberLostAt: Milliseconds = -Infinity
  readonly #tree: TaskTree

  constructor(tree: TaskTree) {
    this.#tree = tree
  }

  /** Adds crashes and lost holders to those of a task. */
  learnTries(node: TaskNode, tries: Tries): void {
    node.tries = joinTries(node.tries ?? NO_TRIES, tries)
    this.triedTasks.add(node)
    this.hasCrashes ||= node.tries.crashes.length > 0
  }

  /**
   * A task has an outcome, so the tasks above it made progress. Forgets the lost holders of the
   * tasks above, and the failed attempts of all tasks that have an outcome.
   */
  forgetTries(node: TaskNode): void {
    if (this.triedTasks.size === 0) return
    for (let above: TaskNode | undefined = node; above !== undefined; above = above.parent) {
      if (above.tries !== undefined && above !== node) above.tries = { crashes: above.tries.crashes, holders: [] }
    }
    for (const each of this.triedTasks) {
      if (each.tries !== undefined && !isNone(each.tries) && this.#tree.entryFor(each.path) === undefined) continue
      each.tries = undefined
      this.triedTasks.delete(each)
    }
  }

  /** The job is over: frees the state of its tasks. */
  release(): void {
    this.triedTasks.clear()
    this.leftToOthers.clear()
  }
}
