import { pickOne } from '@jel/protocol'
import type { Context } from './context.ts'
import type { Entry } from './entry.ts'
import type { JobId, MemberId } from './io.ts'
import type { Job } from './job.ts'
import type { Message } from './messages.ts'
import type { Path } from './path.ts'

/** All requests of this part have this number. Lookups have greater numbers. */
export const READ = 0

/**
 * Reads the outcomes of tasks for an application here, while the job runs. They do not enter this
 * member's result table, so a member without a part in the job keeps nothing of it.
 *
 * It reads nothing of a job whose tasks members vote on: one replica could invent outcomes.
 */
export class OutcomeReader {
  readonly #context: Context
  /** The replica that this member asked last, by job. */
  readonly #asked = new Map<JobId, MemberId>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Asks a replica, unless this member is one. */
  read(job: Job, paths: readonly Path[]): void {
    const { self } = this.#context
    const replicas = this.#context.replicas(job)
    // Chooses at random each time: a replica may hang.
    const replica = replicas.length === 0 ? undefined : pickOne(this.#context.random, replicas)
    if (job.votesNeeded > 1) this.#give(job, [])
    else if (replica === undefined || replicas.includes(self))
      this.#give(
        job,
        paths.flatMap((path) => job.tree.find(path)?.entry ?? []),
      )
    else {
      this.#asked.set(job.id, replica)
      this.#context.send(replica, { type: 'lookup', job: job.id, request: READ, paths, page: 0, alone: true })
    }
  }

  found(from: MemberId, job: Job, { entries }: Extract<Message, { type: 'found' }>): void {
    if (this.#asked.get(job.id) !== from) return
    this.#asked.delete(job.id)
    this.#give(job, entries)
  }

  #give(job: Job, entries: readonly Entry[]): void {
    this.#context.effects.push({ type: 'outcomes', job: job.id, entries })
  }
}
