import type { Context } from './context.ts'
import type { Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { LEAST_TICKETS, ShareAccount } from './share-account.ts'
import { ALL_TICKETS, type SharePolicy } from './shares.ts'
import { canRun } from './votes.ts'

/**
 * Returns the tickets of an owner: its share of the processor time among all owners whose jobs
 * wait.
 */
export type Tickets = (owner: string) => number

/**
 * The order in which this member serves jobs. By default the first submitted job comes first. With
 * tickets each owner gets its share of this member's processor time (stride scheduling, Waldspurger
 * and Weihl 1995), and its jobs come in the order of their submission. The operator of this member
 * sets tickets, or else an administrator of the pool does, by a policy.
 */
export class Queue {
  readonly #context: Context
  /** The tickets that the operator of this member set. */
  readonly #tickets: Tickets | undefined
  /** Set while there is a policy. */
  #account: ShareAccount | undefined
  /**
   * For each owner, how much more processor time it took here than its part. The owner that comes
   * first has 0. This lead, divided by the tickets of the owner, is the pass by which jobs are
   * ordered. Leads are times, so they stay fair if tickets change. The lead per ticket of an owner
   * with few tickets is large. If it were kept, it would count for days once the owner has many
   * tickets. Waldspurger and Weihl scale the lead in the same way.
   */
  readonly #leads = new Map<string, Milliseconds>()
  /** Jobs that this member runs, in the order of their submission. */
  readonly #served: Job[] = []
  #owners: ReadonlySet<string> | undefined
  /** The same jobs in the order of service; undefined: the order may have changed. */
  #order: readonly Job[] | undefined

  constructor(context: Context, tickets: Tickets | undefined) {
    this.#context = context
    this.#tickets = tickets
  }

  /** Takes the share policy of the pool. Tickets of this member's operator come before it. */
  setPolicy(policy: SharePolicy | undefined): void {
    if (this.#tickets !== undefined) return
    this.#order = undefined
    if (policy === undefined) {
      this.#account = undefined
      this.#leads.clear()
    } else if (this.#account === undefined) {
      this.#account = new ShareAccount(policy)
      for (const { spec } of this.#served) this.#leads.set(spec.owner, 0)
    } else this.#account.change(policy)
  }

  /** A job came or is over, or this member now runs it or no longer does. */
  changed(job: Job): void {
    this.#order = undefined
    this.#account?.changed()
    const at = this.#served.indexOf(job)
    if (at !== -1) this.#served.splice(at, 1)
    this.#owners = undefined
    // An owner without a job keeps its lead for a while: its next job may follow at once.
    if (!isServed(job)) return
    this.#served.splice(placeOf(job, this.#served), 0, job)
    if (!this.hasShares) return
    const owners = this.#active()
    for (const owner of this.#leads.keys()) if (!owners.has(owner)) this.#leads.delete(owner)
    // A new owner begins with the least pass. So an owner saves up no time while it has no jobs
    // here.
    const { owner } = job.spec
    if (!this.#leads.has(owner)) this.#leads.set(owner, 0)
  }

  /** The jobs that this member runs, in the order of service. */
  order(): readonly Job[] {
    this.#order ??= this.hasShares ? this.#served.toSorted((a, b) => this.#pass(a) - this.#pass(b)) : this.#served
    return this.#order
  }

  /** Jobs with a waiting task that this member may compute, in the order of service. */
  ready(): readonly Job[] {
    const { self, attended } = this.#context
    const jobs = [...attended].filter((job) => isServed(job) && canRun(job, self))
    return jobs.sort((a, b) => this.#pass(a) - this.#pass(b) || bySubmission(a, b))
  }

  /**
   * Returns the jobs whose tasks to steal, in the order of service. Without tickets it is the turn
   * of the oldest job. With tickets it is the turn of all jobs of the first owner. If one of these
   * jobs has a task here, returns none. If a worker is idle and no job has a task here, returns all
   * jobs. Otherwise the workers are at work, or later jobs have tasks here. Then it returns the
   * jobs whose turn it is, or none if there are no later jobs.
   */
  wanted(hasIdle: boolean): readonly Job[] {
    const { self } = this.#context
    const jobs = this.order()
    const [first] = jobs
    if (first === undefined) return []
    const come = this.hasShares ? jobs.filter(({ spec }) => spec.owner === first.spec.owner) : [first]
    if (come.some((job) => canRun(job, self))) return []
    if (hasIdle && this.ready().length === 0) return jobs
    return come.length < jobs.length ? come : []
  }

  /**
   * Charges the owner for a task's processor time. Returns its tickets.
   *
   * @param time negative: the task took less than estimated
   * @param before the tickets at which the owner paid the estimate
   */
  charge({ spec: { owner } }: Job, time: Milliseconds, before?: number): number {
    this.#account?.charge(owner, time, this.#context.now)
    const lead = this.#leads.get(owner)
    if (!this.hasShares || lead === undefined) return ALL_TICKETS
    const tickets = this.#ticketsOf(owner)
    // An owner that paid the estimate with many tickets, and has few now, would otherwise get far
    // more turns back.
    const scale = time < 0 && before !== undefined ? Math.min(1, tickets / before) : 1
    this.#leads.set(owner, lead + time * scale)
    this.#level()
    return tickets
  }

  /**
   * Nobody has a task of these jobs. Raises the passes of their owners at least to the least pass
   * of all other owners. So these owners still come first once there are tasks again, but save up
   * no time until then.
   */
  foundNone(jobs: readonly Job[]): void {
    if (!this.hasShares) return
    const owners = new Set(jobs.map(({ spec }) => spec.owner))
    const least = this.#least([...this.#active()].filter((owner) => !owners.has(owner)))
    for (const owner of owners) {
      const lead = this.#leads.get(owner)
      if (lead !== undefined) this.#leads.set(owner, Math.max(lead, least * this.#ticketsOf(owner)))
    }
    this.#level()
  }

  /** Whether owners have shares or tickets here. */
  get hasShares(): boolean {
    return this.#tickets !== undefined || this.#account !== undefined
  }

  #ticketsOf(owner: string): number {
    if (this.#tickets !== undefined) return Math.max(this.#tickets(owner), LEAST_TICKETS)
    return this.#account?.ticketsOf(owner, () => this.#active(), this.#context.now) ?? ALL_TICKETS
  }

  #pass({ spec: { owner } }: Job): Milliseconds {
    return this.hasShares ? this.#leadOf(owner) / this.#ticketsOf(owner) : 0
  }

  #leadOf(owner: string): Milliseconds {
    return this.#leads.get(owner) ?? 0
  }

  /** The owners of the jobs that this member runs. */
  #active(): ReadonlySet<string> {
    this.#owners ??= new Set(this.#served.map(({ spec }) => spec.owner))
    return this.#owners
  }

  /** Leads count from the owner that comes first. */
  #level(): void {
    const owners = this.#active()
    const least = this.#least(owners)
    for (const owner of owners) this.#leads.set(owner, this.#leadOf(owner) - least * this.#ticketsOf(owner))
    this.#order = undefined
  }

  /** Returns the least lead of some owners, per ticket. */
  #least(owners: Iterable<string>): Milliseconds {
    let least = Infinity
    for (const owner of owners) least = Math.min(least, this.#leadOf(owner) / this.#ticketsOf(owner))
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
