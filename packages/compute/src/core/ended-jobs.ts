import { pickOne } from '@jel/protocol'
import type { Context } from './context.ts'
import { digestOf } from './digest.ts'
import { sameOutcome, standing, type Entry } from './entry.ts'
import type { MemberId, Milliseconds } from './io.ts'
import { resultOf, type Job } from './job.ts'
import type { JobEnd } from './job-end.ts'
import { ROOT } from './path.ts'
import type { Reports } from './reports.ts'
import { sameShared, uniteShared } from './shared-value.ts'
import { validVotes } from './votes.ts'

/**
 * Size of a batch of ended jobs, and the interval between two batches, ms. A member may keep
 * thousands of ended jobs. Guesses.
 */
const AT_ONCE = 64
const EVERY = 20
/**
 * A job may get another outcome for this long after its end, and after a part of the pool came
 * back, ms. A guess: twice the time until all are back.
 */
const OPEN = 60_000
/**
 * A member that is back compares outcomes once more after this time, ms. By then all others are
 * back, and the replicas agree. The time is the same as in partition merges.
 */
const COMPARE_AGAIN = 30_000
/**
 * The outcome of an ended job may change at most this often. A guess: two parts of a pool change it
 * once.
 */
const MAX_CHANGES = 4

/**
 * Reconciles the outcomes of jobs that are over here. Another half of the pool may have ended a job
 * with a different result, or may have an outcome of a job that is cancelled here. So a member
 * compares outcomes with the replicas, by a digest, if others had pronounced it dead. A member that
 * receives a cancellation first asks replicas for an outcome. An outcome takes precedence. New
 * replicas receive outcomes from earlier replicas, as for any job.
 *
 * At other times no honest member has a different result, so this member rejects a different
 * result. Otherwise a lying member could change a result that was read long ago.
 */
export class EndedJobs {
  readonly #context: Context
  readonly #jobEnd: JobEnd
  readonly #reports: Reports
  /** Jobs whose outcomes this member must compare, and jobs that may have new replicas. */
  #toCompare: Job[] = []
  #toReport: Job[] = []
  /** Members changed again before this had processed all jobs. */
  #isChanged = false
  /**
   * Cancelled jobs that may have an outcome, in the order of their deadlines. `open`: the replicas
   * that have not answered.
   */
  readonly #cancelled = new Map<Job, { readonly open: Set<MemberId>; readonly until: Milliseconds }>()

  constructor(context: Context, jobEnd: JobEnd, reports: Reports) {
    this.#context = context
    this.#jobEnd = jobEnd
    this.#reports = reports
  }

  /** This member is back after a partition. */
  reentered(): void {
    this.#context.timers.set('comparison', this.#context.now + COMPARE_AGAIN)
    this.compare()
  }

  /** Members came or went. */
  changed(): void {
    if (this.#toReport.length > 0) this.#isChanged = true
    else this.#toReport = this.#all()
    this.#plan()
  }

  /** Ends the cancelled jobs whose replicas had time to answer. */
  endCancelled(): void {
    for (const [job, { until }] of this.#cancelled) if (until <= this.#context.now) this.#end(job)
  }

  due(): void {
    for (const job of this.#toReport.splice(0, AT_ONCE)) if (this.#isKept(job)) this.#reports.updateRecipients(job)
    if (this.#toReport.length === 0 && this.#isChanged) {
      this.#isChanged = false
      this.#toReport = this.#all()
    }
    for (const job of this.#toCompare.splice(0, AT_ONCE)) if (this.#isKept(job)) this.ask(job)
    this.#plan()
  }

  /**
   * A member sends an outcome of a job that is over here. Of two outcomes all members keep the same
   * one. If the job was cancelled, any outcome takes precedence at any time.
   */
  settle(job: Job, other: Entry, from: MemberId): void {
    const { self, now, members } = this.#context
    const { entry: known } = job
    if (other === known) return
    const isSame = known !== undefined && sameOutcome(known, other)
    const isOpen = known === undefined || (!job.isFinal && now < Math.max(members.returnedAt, job.endedAt) + OPEN)
    if (job.votesNeeded > 1 && !(isOpen && this.#isElected(job, other))) return
    if (known !== undefined && !isSame) this.#dispute(job, isOpen ? standing(known, other) : undefined)
    if (!isOpen) return
    const kept = known === undefined ? other : standing(known, other)
    // Signatures cover exactly the content of an entry, so this must not unite the shared values.
    const united = known === undefined || job.votesNeeded > 1 ? kept.shared : uniteShared(known.shared, other.shared)
    const shared = united ?? kept.shared
    if (kept === known && shared === known.shared) {
      // Sends nothing back if the two sets of shared values don't fit together. Otherwise the
      // members would never stop exchanging them.
      if (!isSame || (united !== undefined && !sameShared(shared, other.shared))) this.#context.send(from, resultOf(job, known, self))
      return
    }
    if (isSame && sameShared(shared, known.shared) && 'value' in known.outcome) return
    // Replicas receive the new outcome as news. Others ask for it.
    if (job.changes++ < MAX_CHANGES) this.#jobEnd.endOtherwise(job, { ...kept, shared })
  }

  #isElected(job: Job, entry: Entry): boolean {
    return validVotes(job, entry, (vote) => this.#context.verify(job.id, entry, vote)) >= job.votesNeeded
  }

  /** `kept`: undefined if it is too late for another outcome. */
  #dispute(job: Job, kept: Entry | undefined): void {
    if (job.isDisputed) return
    job.isDisputed = true
    const which = kept !== undefined && 'value' in kept.outcome ? 'the value whose bytes come first' : 'the failure whose words come first'
    const message = `two parts of the pool ended it with different results; ${kept === undefined ? 'this member keeps its own result, since the job ended long ago' : `all keep ${which}`}`
    this.#context.effects.push({ type: 'warning', job: job.id, code: 'JOB_RESULTS_DIFFER', message })
  }

  /**
   * The owner cancelled a job that is not over here. All work on it stops. If a replica has an
   * outcome, the outcome counts.
   */
  cancelled(job: Job): void {
    const { now, config, timers } = this.#context
    this.#jobEnd.stop(job)
    if (this.#cancelled.has(job)) return
    const open = this.ask(job)
    const until = now + config.requestTimeout
    this.#cancelled.set(job, { open, until })
    timers.advance('cancellation', until)
    if (open.size === 0) this.#end(job)
  }

  /** A replica has no outcome. */
  unknown(from: MemberId, job: Job): void {
    const cancelled = this.#cancelled.get(job)
    if (cancelled?.open.delete(from) === true && cancelled.open.size === 0) this.#end(job)
  }

  /** Asks two replicas for an outcome that differs from this member's. Returns these replicas. */
  ask(job: Job): Set<MemberId> {
    const { self, random, replicas } = this.#context
    const [first, ...others] = replicas(job).filter((id) => id !== self)
    const asked = new Set([first, pickOne(random, others)].filter((id) => id !== undefined))
    const known = job.entry === undefined ? undefined : digestOf(job.entry)
    for (const replica of asked) {
      this.#context.send(replica, { type: 'awaiting', job: job.id, paths: [ROOT], ...(known !== undefined && { known }) })
    }
    return asked
  }

  forget(job: Job): void {
    this.#cancelled.delete(job)
    const [next] = this.#cancelled.values()
    this.#context.timers.set('cancellation', next?.until ?? Infinity)
  }

  #end(job: Job): void {
    this.forget(job)
    if (job.ended === undefined) this.#jobEnd.cancel(job)
  }

  /** Compares the outcomes of all ended jobs with those of replicas. */
  compare(): void {
    this.#toCompare = this.#all()
    this.#plan()
  }

  #all(): Job[] {
    return [...this.#context.jobs.values()].filter(({ ended }) => ended !== undefined)
  }

  #isKept(job: Job): boolean {
    return job.ended !== undefined && this.#context.jobs.get(job.id) === job
  }

  #plan(): void {
    const { now, timers } = this.#context
    if (this.#toCompare.length + this.#toReport.length > 0) timers.advance('endedJobs', now + EVERY)
  }
}
