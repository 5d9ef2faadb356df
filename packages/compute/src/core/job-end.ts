import type { Context } from './context.ts'
import type { Entry } from './entry.ts'
import { releaseTask } from './frame-release.ts'
import type { Job } from './job.ts'
import { ROOT } from './path.ts'
import type { Queue } from './job-queue.ts'

/** Ends jobs at this member. */
export class JobEnd {
  readonly #context: Context
  readonly #queue: Queue

  constructor(context: Context, queue: Queue) {
    this.#context = context
    this.#queue = queue
  }

  /** Stops all work on a job. */
  stop(job: Job): void {
    // The member that cancelled the job is among the waiters, and waits for the answer `unknown`.
    const waiters = [...(job.tree.root.waiters ?? [])]
    releaseTask(this.#context, job, job.tree.root)
    job.tree.clearBelow(job.tree.root)
    job.tree.save(job.tree.root, undefined)
    for (const to of waiters) if (to !== this.#context.self) this.#context.send(to, { type: 'unknown', job: job.id, paths: [ROOT] })
  }

  /** Ends a job without an outcome. */
  cancel(job: Job): void {
    this.stop(job)
    this.end(job, undefined)
  }

  /** Gives an ended job another outcome. */
  endOtherwise(job: Job, entry: Entry): void {
    job.tree.put(job.tree.root, entry)
    job.join(entry.shared)
    job.reports.add({ type: 'entry', path: ROOT })
    this.end(job, entry)
  }

  /** @param entry the entry of the root; undefined: the job is cancelled */
  end(job: Job, entry: Entry | undefined): void {
    if (job.ended !== 'done') job.endedAt = this.#context.now
    job.ended = entry === undefined ? 'cancelled' : 'done'
    job.release()
    this.#context.active.delete(job)
    this.#context.attended.delete(job)
    this.#context.unreported.add(job)
    this.#queue.changed(job)
    this.#context.effects.push({ type: 'ended', job: job.id, entry })
  }
}
