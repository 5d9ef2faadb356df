import type { Effect, Input } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import { BrokenPromiseError } from '../protocol/promises.ts'
import type { Metrics } from '../report/metrics.ts'
import type { ComputeNode, JobObserver } from './compute-node.ts'
import { EndsTold } from './ends-told.ts'
import { IdleMembers } from './idle-members.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { Jobs } from './jobs.ts'
import { KnownResults } from './known-results.ts'
import { OffersKept } from './offers-kept.ts'
import { OnceCounted } from './once-counted.ts'
import { OutvotedMembers } from './outvoted-members.ts'
import { ReplicasComplete } from './replicas-complete.ts'

/** The interval of checks that depend on time, ms. */
const interval: Milliseconds = 1_000

/**
 * Checks the schedulers' inputs and effects against the promises of jobs, as they happen. Throws
 * {@link BrokenPromiseError}.
 */
export class JobPromises implements JobObserver {
  readonly #jobs: Jobs
  readonly #checks: readonly JobCheck[]

  constructor(jobs: Jobs, metrics: Metrics) {
    this.#jobs = jobs
    const breaks: Break = (member, what) => {
      const { testbed } = jobs.truth
      throw new BrokenPromiseError(testbed.seed, testbed.now, member.node, what)
    }
    const results = new KnownResults(jobs.truth.scenario.jobs, breaks)
    const idle = new IdleMembers(jobs, results, breaks)
    this.#checks = [
      results,
      new OnceCounted(jobs.programs, breaks),
      new OffersKept(jobs.programs, breaks),
      new OutvotedMembers(breaks),
      new EndsTold(jobs, breaks),
      idle,
      new ReplicasComplete(jobs, metrics, results, breaks),
    ]
    jobs.observe(this)
    jobs.truth.listen({
      started: () => {},
      ended: (actor) => {
        const member = jobs.memberOf(actor)
        if (member !== undefined) idle.left(member)
      },
      changed: () => {},
    })
  }

  /** Starts the checks that depend on time. Call it once. */
  start(): void {
    this.#jobs.truth.testbed.after(interval, () => {
      for (const check of this.#checks) check.look?.(this.#jobs.truth.testbed.now)
      this.start()
    })
  }

  took(member: ComputeNode, input: Input): void {
    for (const check of this.#checks) check.took?.(member, input)
  }

  did(member: ComputeNode, effect: Effect): void {
    for (const check of this.#checks) check.did?.(member, effect)
  }

  ran(): void {}
}
