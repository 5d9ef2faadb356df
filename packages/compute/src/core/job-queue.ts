import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { canRun } from './votes.ts'

/**
 * Returns the tickets of an owner: its share of the processor time among all owners whose jobs
 * wait.
 */
export type Tickets = (owner: string) => number

/**
 * The order in which this member serves jobs. By default the first submitted job comes first. With
 * tickets each owner gets its share of this member's processor time (stride scheduling, Waldspurger
 * and Weihl 1995), and its jobs come in the order of their submission.
 */
export class Queue {
  readonly #context: Context
  readonly #tickets: Tickets | undefined
  /**
   * Processor time per ticket that the tasks of each owner took here. The owner with the least
   * comes first.
   */
  readonly #passes = new Map<string, Milliseconds>()
  /** Jobs that this member runs, in the order of their submission. */
  readonly #served: Job[] = []
  /** The same jobs in the order of service; undefined: the order may have changed. */
  #order: readonly Job[] | undefined

  constructor(context: Context, tickets: Tickets | undefined) {
    this.#context = context
    this.#tickets = tickets
  }

  /** A job came or is over, or this member now runs it or no longer does. */
  changed(job: Job): void {
    this.#order = undefined
    const at = this.#served.indexOf(job)
    if (at !== -1) this.#served.splice(at, 1)
    if (!isServed(job)) return
    this.#served.splice(placeOf(job, this.#served), 0, job)
    if (this.#tickets === undefined) return
    const owners = new Set(this.#served.map(({ spec }) => spec.owner))
    for (const owner of this.#passes.keys()) if (!owners.has(owner)) this.#passes.delete(owner)
    // A new owner begins with the least pass. So an owner saves up no time while it has no jobs
    // here.
    const { owner } = job.spec
    if (!this.#passes.has(owner)) this.#passes.set(owner, this.#least(owners))
  }

  /** The jobs that this member runs, in the order of service. */
  order(): readonly Job[] {
    this.#order ??= this.#tickets === undefined ? this.#served : this.#served.toSorted((a, b) => this.#pass(a) - this.#pass(b))
    return this.#order
  }

  /** Jobs with a waiting task that this member may compute, in the order of service. */
  ready(): readonly Job[] {
    const { self, attended } = this.#context
    const jobs = [...attended].filter((job) => isServed(job) && canRun(job, self))
    return jobs.sort((a, b) => this.#pass(a) - this.#pass(b) || bySubmission(a, b))
  }

  /**
   * Returns the jobs whose tasks to steal, in the order of service. It is the turn of the oldest
   * job, or with tickets of all jobs of the first owner. If one of these jobs has a task here,
   * returns none. If a worker is idle and no job has a task here, returns all jobs. Otherwise the
   * tasks of later jobs keep the workers busy: returns the jobs whose turn it is, if there are
   * later jobs.
   */
  wanted(hasIdle: boolean): readonly Job[] {
    const { self } = this.#context
    const jobs = this.order()
    const [first] = jobs
    if (first === undefined) return []
    const come = this.#tickets === undefined ? [first] : jobs.filter(({ spec }) => spec.owner === first.spec.owner)
    if (come.some((job) => canRun(job, self))) return []
    if (hasIdle && this.ready().length === 0) return jobs
    return come.length < jobs.length ? come : []
  }

  /** Charges the owner for a task's processor time. Negative: it took less than estimated. */
  charge({ spec: { owner } }: Job, time: Milliseconds): void {
    const pass = this.#passes.get(owner)
    if (this.#tickets === undefined || pass === undefined) return
    this.#passes.set(owner, pass + time / Math.max(this.#tickets(owner), Number.MIN_VALUE))
    this.#order = undefined
  }

  /**
   * Nobody has a task of these jobs. Raises the passes of their owners at least to the least pass
   * of all other owners. So these owners still come first once there are tasks again, but save up
   * no time until then.
   */
  foundNone(jobs: readonly Job[]): void {
    if (this.#tickets === undefined) return
    const owners = new Set(jobs.map(({ spec }) => spec.owner))
    const least = this.#least(new Set([...this.#passes.keys()].filter((owner) => !owners.has(owner))))
    for (const owner of owners) this.#passes.set(owner, Math.max(this.#passes.get(owner) ?? 0, least))
    this.#order = undefined
  }

  #pass({ spec: { owner } }: Job): Milliseconds {
    return this.#passes.get(owner) ?? 0
  }

  #least(owners: ReadonlySet<string>): Milliseconds {
    let least = Infinity
    for (const owner of owners) least = Math.min(least, this.#passes.get(owner) ?? Infinity)
    return least === Infinity ? 0 : least
  }
}

function isServed(job: Job): boolean {
  return job.runs && job.spec.accepted && !job.failures.isStopped
}

function bySubmission(a: Job, b: Job): number {
  return a.spec.submitted - b.spec.submitted || (a.id < b.id ? -1 : 1)
}

/** Returns the place of a job in a sorted list. */
function placeOf(job: Job, jobs: readonly Job[]): number {
  let [low, high] = [0, jobs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bySubmission(jobs[middle] as Job, job) < 0) low = middle + 1
    else high = middle
  }
  return low
}
