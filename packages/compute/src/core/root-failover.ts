import { awaitTask, type Context } from './context.ts'
import type { Task } from './entry.ts'
import type { Dependencies } from './dependencies.ts'
import type { Execution } from './execution.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'

/**
 * For this long after its arrival only the first replica can have begun a new job, ms. A guess: no
 * news of a death arrives earlier.
 */
const ALONE = 50
/**
 * A replica waits this long for each earlier replica to begin the root. A guess: it learns of a
 * holder within a second or two.
 */
const TAKE_OVER_AFTER: Milliseconds = 5000
/**
 * A withdrawn claim of the root restarts the wait of the next replica at most this often. A guess:
 * a partition and its end withdraw two claims.
 */
const MAX_TAKEN_BACK = 4

/** The wait of this replica for an earlier replica to begin the root. */
interface Wait {
  since: Milliseconds
  /** A member claims to hold the root. */
  isClaimed: boolean
  takenBack: number
}

/**
 * Ensures that some member always executes a job's root. If nobody holds the root, the first living
 * replica begins it, after it has learned what the other replicas know. If a member holds the root,
 * this replica waits for the holder. No election is needed: two roots, for example in a partition,
 * are two executions of one task and count once. If the first replica does nothing, the next
 * replica takes over.
 */
export class RootFailover {
  readonly #context: Context
  readonly #execution: Execution
  readonly #dependencies: Dependencies
  readonly #waits = new WeakMap<Job, Wait>()

  constructor(context: Context, execution: Execution, dependencies: Dependencies) {
    this.#context = context
    this.#dependencies = dependencies
    this.#execution = execution
  }

  /** Whether this member must begin the root, or waits for an earlier replica to begin it. */
  isDue(job: Job): boolean {
    const { self, replicas } = this.#context
    const { frame, holder, claims } = job.tree.root
    const isHeld = (frame ?? holder ?? claims) !== undefined
    return job.runs && job.spec.input !== undefined && !isHeld && replicas(job).includes(self)
  }

  due(): void {
    const { self, now, attended, timers } = this.#context
    for (const job of attended) {
      const { root } = job.tree
      if (!job.runs || !this.#context.replicas(job).includes(self) || root.frame !== undefined || root.holder !== undefined) {
        this.#waits.delete(job)
        continue
      }
      if (root.claims === undefined && this.#dependencies.areOpen(job)) {
        this.#waits.delete(job)
        continue
      }
      if (this.#context.replicas(job)[0] !== self) {
        // The first replica begins the root, if it works at all. A claim that a member withdraws
        // again and again does not count.
        const wait = this.#waits.get(job) ?? { since: now, isClaimed: false, takenBack: 0 }
        this.#waits.set(job, wait)
        if (wait.isClaimed && root.claims === undefined && wait.takenBack++ < MAX_TAKEN_BACK) wait.since = now
        wait.isClaimed = root.claims !== undefined
        if (wait.isClaimed) continue
        const at = wait.since + TAKE_OVER_AFTER * this.#context.replicas(job).indexOf(self)
        if (now < at) {
          timers.advance('rootFailover', at)
          continue
        }
      }
      this.#waits.delete(job)
      const holder = [...(root.claims ?? [])].find(([, { second }]) => !second)?.[0]
      const task = job.rootTask
      // Without the input this replica can't begin the root. Another replica begins it, or the
      // input arrives later.
      if (task === undefined && holder === undefined) continue
      if (holder === undefined && !this.#dependencies.areMet(job)) continue
      root.task ??= task
      const isAlone = job.spec.fresh && now - job.since < ALONE
      if (holder === undefined) this.#execution.open(job, root, root.task as Task, { claimed: true, replay: !isAlone })
      else awaitTask(this.#context, job, root, holder)
    }
  }
}
