import type { Effect, JobId } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import { isActive } from '../truth/actor.ts'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { Jobs } from './jobs.ts'

/**
 * All members know the end of a job within this time after the first member, ms. A guess: a few
 * checks and requests.
 */
const settle: Milliseconds = 15_000

/**
 * Checks that a job ends at all members once its root has an outcome at one member. All workers of
 * a member may be at tasks that nobody needs any more. Such a member asks when one of its workers
 * is free.
 */
export class EndsTold implements JobCheck {
  readonly #jobs: Jobs
  readonly #break: Break
  readonly #doneAt = new Map<JobId, Milliseconds>()

  constructor(jobs: Jobs, breaks: Break) {
    this.#jobs = jobs
    this.#break = breaks
  }

  did(_member: ComputeNode, effect: Effect): void {
    if (effect.type === 'ended' && !this.#doneAt.has(effect.job)) this.#doneAt.set(effect.job, this.#jobs.truth.testbed.now)
  }

  look(now: Milliseconds): void {
    for (const [job, doneAt] of this.#doneAt) {
      const since = Math.max(doneAt, this.#jobs.truth.lastTrouble)
      if (now - since < settle) continue
      const active = this.#jobs.workers.filter((member) => isActive(this.#jobs.actorOf(member)))
      const sides = new Set(active.filter(({ ended }) => ended.has(job)).map((member) => this.#jobs.actorOf(member).side))
      const late = active.find(
        (member) =>
          !member.ended.has(job) &&
          !isAtOtherWork(member, job) &&
          sides.has(this.#jobs.actorOf(member).side) &&
          now - member.joinedAt >= settle,
      )
      if (late !== undefined) this.#break(late, `does not know that ${job} is done, ${Math.floor((now - since) / 1_000)}s after others did`)
    }
  }
}

/** Whether a member has no part in a job, and no free worker that would ask for its tasks. */
function isAtOtherWork({ scheduler, workers }: ComputeNode, job: JobId): boolean {
  return scheduler.job(job)?.hasPart === false && scheduler.figures().busy === workers
}
