import type { Context } from './context.ts'
import type { JobId, Milliseconds } from './io.ts'
import type { Victims } from './victims.ts'

/**
 * Improved shared values go to this member's victims, who pass on what is new to them: an epidemic along the graph that stealing keeps open. It is only
 * a hint that makes a search faster: what counts travels with the entries. Of a job that is voted on they go as the entries that were elected: a bound that nobody voted for prunes nothing.
 */
export class SharedSpread {
  readonly #context: Context
  readonly #neighbours: Victims
  /** Version that was told, and when, by job. */
  readonly #told = new Map<JobId, { version: number; at: Milliseconds }>()
  #due: Milliseconds = Infinity

  constructor(context: Context, neighbours: Victims) {
    this.#context = context
    this.#neighbours = neighbours
  }

  get nextDue(): Milliseconds {
    return this.#due
  }

  turn(): void {
    const { now, jobs, active, config } = this.#context
    this.#due = Infinity
    for (const job of active) {
      const told = this.#told.get(job.id)
      if (job.sharedVersion === (told?.version ?? 0)) continue
      const at = (told?.at ?? -Infinity) + config.sharedEvery
      if (at > now) {
        this.#due = Math.min(this.#due, at)
        continue
      }
      this.#told.set(job.id, { version: job.sharedVersion, at: now })
      for (const neighbour of [...this.#neighbours.near(), ...this.#neighbours.far()]) {
        this.#context.send(
          neighbour,
          job.votesNeeded === 1
            ? { type: 'shared', job: job.id, shared: job.shared }
            : { type: 'result', job: job.id, entries: [...new Set(job.proofs.values())] },
        )
      }
    }
    for (const id of this.#told.keys()) if (!jobs.has(id)) this.#told.delete(id)
  }
}
