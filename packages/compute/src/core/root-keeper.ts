import type { Context } from './context.ts'
import type { Task } from './entry.ts'
import type { Execution } from './execution.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { ROOT } from './path.ts'

/** For so long nobody but its first replica can have begun a new job. A guess: less than the fastest news of a death. */
const FRESH = 50
/** A replica leaves the root to those before it for so long each. A guess: they hear of its holder within a second or two. */
const TAKE_OVER_AFTER: Milliseconds = 5000
/** So often a claim of the root may be taken back before others stop waiting for the next one. A guess: a partition and its end take two. */
const MAX_TAKEN_BACK = 4

/** For whoever comes before this replica to begin the root. */
interface Wait {
  since: Milliseconds
  /** Somebody says to hold it. */
  isClaimed: boolean
  takenBack: number
}

/**
 * The first living replica of a job sees to its root: it begins it where nobody holds it, after it heard what the other replicas know, and waits for
 * whoever does hold it. A job needs no election for that: two roots, as in a partition, are two executions of one task, and count once. So the next replica does the same where the
 * first one does nothing, as one that only says that it computes.
 */
export class RootKeeper {
  readonly #context: Context
  readonly #execution: Execution
  readonly #waits = new Map<Job, Wait>()

  constructor(context: Context, execution: Execution) {
    this.#context = context
    this.#execution = execution
  }

  get nextDue(): Milliseconds {
    let due = Infinity
    for (const [job, { since, isClaimed }] of this.#waits) if (!isClaimed) due = Math.min(due, this.#dueAt(job, since))
    return due
  }

  turn(): void {
    const { self, now, active, attended } = this.#context
    for (const job of this.#waits.keys()) if (!active.has(job)) this.#waits.delete(job)
    for (const job of attended) {
      const { root } = job.tree
      if (!job.runs || !this.#context.keepers(job).includes(self) || root.frame !== undefined || root.holder !== undefined) {
        this.#waits.delete(job)
        continue
      }
      if (this.#context.keepers(job)[0] !== self) {
        // The first one sees to it, if it does anything. A claim that is taken back again and again is none.
        const wait = this.#waits.get(job) ?? { since: now, isClaimed: false, takenBack: 0 }
        this.#waits.set(job, wait)
        if (wait.isClaimed && root.claims === undefined && wait.takenBack++ < MAX_TAKEN_BACK) wait.since = now
        wait.isClaimed = root.claims !== undefined
        if (wait.isClaimed || now < this.#dueAt(job, wait.since)) continue
      }
      this.#waits.delete(job)
      const holder = [...(root.claims ?? [])].find(([, { second }]) => !second)?.[0]
      const { fn, input } = job.spec
      // It can't begin it: another one does, or its input comes.
      if (input === undefined && holder === undefined) continue
      if (input !== undefined) root.task ??= { path: ROOT, fn, input }
      const fresh = job.spec.fresh && now - job.since < FRESH
      if (holder === undefined) this.#execution.open(job, root, root.task as Task, { claimed: true, replay: !fresh })
      else job.await(root, holder, now)
    }
  }

  #dueAt(job: Job, since: Milliseconds): Milliseconds {
    return since + TAKE_OVER_AFTER * this.#context.keepers(job).indexOf(this.#context.self)
  }
}
