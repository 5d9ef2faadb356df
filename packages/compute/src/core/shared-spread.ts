import type { Context } from './context.ts'
import type { JobId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { Victims } from './victims.ts'

/**
 * Spreads improved shared values as an epidemic: sends them to this member's victims, and each
 * victim passes on all that is new to it. These values are only hints that make a search faster.
 * The values that count travel with the entries. If the job is voted on, sends the elected entries
 * instead, since a bound without votes prunes nothing.
 */
export class SharedSpread {
  readonly #context: Context
  readonly #neighbours: Victims
  /** For each job the version that this member sent last, and the time. */
  readonly #sent = new Map<JobId, { version: number; at: Milliseconds }>()

  constructor(context: Context, neighbours: Victims) {
    this.#context = context
    this.#neighbours = neighbours
  }

  /** Whether victims may still lack better values. */
  isDue(job: Job): boolean {
    return job.sharedVersion !== (this.#sent.get(job.id)?.version ?? 0)
  }

  due(): void {
    const { now, jobs, attended, config, timers } = this.#context
    for (const job of attended) {
      if (!this.isDue(job)) continue
      const sent = this.#sent.get(job.id)
      const at = (sent?.at ?? -Infinity) + config.sharedEvery
      if (at > now) {
        timers.advance('sharedSpread', at)
        continue
      }
      this.#sent.set(job.id, { version: job.sharedVersion, at: now })
      for (const neighbour of [...this.#neighbours.near(), ...this.#neighbours.far()]) {
        this.#context.send(
          neighbour,
          job.votesNeeded === 1
            ? { type: 'shared', job: job.id, shared: job.shared }
            : { type: 'result', job: job.id, entries: [...new Set(job.proofs.values())] },
        )
      }
    }
    for (const id of this.#sent.keys()) if (!jobs.has(id)) this.#sent.delete(id)
  }
}
