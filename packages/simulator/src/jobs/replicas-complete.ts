import type { JobId, Path } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { Metrics } from '../report/metrics.ts'
import { lives } from '../truth/actor.ts'
import type { ComputeNode } from './compute-node.ts'
import type { Break, JobCheck } from './job-check.ts'
import type { Jobs } from './jobs.ts'
import type { KnownResults } from './known-results.ts'

/**
 * Replicas become complete within this time after the pool's last change, ms. A guess: a few MB
 * over 1 Mbit/s, beside the running reports.
 */
const settle: Milliseconds = 45_000
/**
 * Complete replicas learn of a task within this time after its computation, ms. A guess: some
 * reports over 1 Mbit/s.
 */
const reported: Milliseconds = 20_000

/**
 * The cables to a member are full if packets have waited at every look during this time, ms. A
 * guess: longer than the burst of reports that arrives each second.
 */
const full: Milliseconds = 10_000

/**
 * The share of computed tasks that a replica may lack: none. Before `@jel/compute` guaranteed this,
 * replicas lacked 10 of 109,000 tasks after a mass crash, and 1.8 % after a cut.
 */
const tolerated = 0

/**
 * `at`: the number of tasks that the check has looked up at a replica. `late`: tasks that the
 * replica lacks, and that a member could not report in time. `lacks`: the number of other tasks
 * that the replica lacks.
 */
interface Progress {
  at: number
  late: Computed[]
  lacks: number
}

interface Computed {
  readonly path: Path
  readonly by: ComputeNode
  readonly at: Milliseconds
}

/**
 * Checks that replicas are complete again after a death. Each replica knows every task that a
 * living member computed or a living replica knows.
 */
export class ReplicasComplete implements JobCheck {
  readonly #jobs: Jobs
  readonly #metrics: Metrics
  readonly #results: KnownResults
  readonly #break: Break
  /**
   * The computed tasks of each job, in the order of time, and the progress of each replica's check.
   */
  readonly #computed = new Map<JobId, Computed[]>()
  readonly #checked = new Map<JobId, Map<ComputeNode, Progress>>()
  /** The latest time when the cables to a member were free, and when they were full. */
  readonly #free = new Map<ComputeNode, Milliseconds>()
  readonly #full = new Map<ComputeNode, Milliseconds>()

  constructor(jobs: Jobs, metrics: Metrics, results: KnownResults, breaks: Break) {
    this.#jobs = jobs
    this.#metrics = metrics
    this.#results = results
    this.#break = breaks
    results.listen((by, job, path) => {
      const computed = this.#computed.get(job)
      const one = { path, by, at: this.#jobs.truth.testbed.now }
      if (computed === undefined) this.#computed.set(job, [one])
      else computed.push(one)
    })
  }

  look(now: Milliseconds): void {
    const { truth } = this.#jobs
    for (const member of this.#jobs.members) {
      if (member.node.backlog === 0) this.#free.set(member, now)
      else if (now - (this.#free.get(member) ?? member.joinedAt) >= full) this.#full.set(member, now)
    }
    if (now - truth.lastChange < settle || !truth.isUndisturbed || !this.#metrics.views.allKnowAll()) return
    for (const [job, computed] of this.#computed) {
      const replicas = this.#replicas(job)
      if (replicas.some(({ ended }) => ended.has(job))) this.#computed.delete(job)
      else for (const replica of replicas) if (this.#isInTime(replica, now)) this.#check(job, computed, replica, replicas, now - reported)
    }
  }

  /**
   * In some scenarios reports need more bandwidth than there is. Then they arrive late, whatever a
   * replica does. A member whose acknowledgements arrive late also reports late.
   */
  #isInTime(member: ComputeNode, now: Milliseconds): boolean {
    return now - (this.#full.get(member) ?? -Infinity) >= settle
  }

  #replicas(job: JobId): ComputeNode[] {
    const living = this.#jobs.members.filter((member) => lives(this.#jobs.actorOf(member)))
    const ids = living[0]?.scheduler.replicas(job) ?? []
    return living.filter(({ id }) => ids.includes(id))
  }

  #check(job: JobId, computed: readonly Computed[], replica: ComputeNode, replicas: readonly ComputeNode[], until: Milliseconds): void {
    let progress = this.#checked.get(job)?.get(replica)
    if (progress === undefined) this.#of(job).set(replica, (progress = { at: 0, late: [], lacks: 0 }))
    const due = progress.late
    progress.late = []
    for (let each = computed[progress.at]; each !== undefined && each.at <= until; each = computed[++progress.at]) due.push(each)
    let last: Computed | undefined
    for (const each of due) {
      const { path, by } = each
      if (this.#results.has(replica, job, path)) continue
      if (!this.#isInTime(by, until + reported)) {
        progress.late.push(each)
        continue
      }
      // A dead member may have reported an outcome to no replica. Then the replicas need not know
      // it. Perhaps only the waiter knows it, or another member repeats the task.
      const isReported = lives(this.#jobs.actorOf(by)) || replicas.some((other) => this.#results.wasReported(other, job, path))
      if (!isReported || (!lives(this.#jobs.actorOf(by)) && computed.findLast((other) => other.path === path) !== each)) continue
      progress.lacks++
      last = each
    }
    if (last === undefined || progress.lacks <= tolerated * progress.at) return
    const ago = ((until + reported - last.at) / 1_000).toFixed(1)
    this.#break(
      replica,
      `keeps ${job}, but lacks ${progress.lacks} of ${progress.at} tasks, one that node ${this.#jobs.actorOf(last.by).number} computed ${ago}s ago`,
    )
  }

  #of(job: JobId): Map<ComputeNode, Progress> {
    let replicas = this.#checked.get(job)
    if (replicas === undefined) this.#checked.set(job, (replicas = new Map<ComputeNode, Progress>()))
    return replicas
  }
}
