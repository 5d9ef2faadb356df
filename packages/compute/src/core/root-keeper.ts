import type { Context } from './context.ts'
import type { Execution } from './execution.ts'
import { ROOT } from './path.ts'

/** For so long nobody but its first replica can have begun a new job. A guess: less than the fastest news of a death. */
const FRESH = 50

/**
 * The first living replica of a job sees to its root: it begins it where nobody holds it, after it heard what the other replicas know, and waits for
 * whoever does hold it. A job needs no election for that: two roots, as in a partition, are two executions of one task, and count once.
 */
export class RootKeeper {
  readonly #context: Context
  readonly #execution: Execution

  constructor(context: Context, execution: Execution) {
    this.#context = context
    this.#execution = execution
  }

  turn(): void {
    const { self, now, jobs } = this.#context
    for (const job of jobs.values()) {
      if (!job.runs || this.#context.keepers(job)[0] !== self) continue
      const { root } = job.tree
      if (root.frame !== undefined || root.holder !== undefined) continue
      const holder = [...(root.claims ?? [])].find(([, { second }]) => !second)?.[0]
      const { fn, input } = job.spec
      root.task ??= { path: ROOT, fn, input }
      const fresh = job.spec.fresh && now - job.since < FRESH
      if (holder === undefined) this.#execution.open(job, root, root.task, { claimed: true, replay: !fresh })
      else this.#execution.await(job, root, holder)
    }
  }
}
