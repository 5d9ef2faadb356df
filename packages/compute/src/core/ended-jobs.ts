import { hash52, pickOne } from '@jel/protocol'
import type { Context } from './context.ts'
import { entryBytes, type Entry } from './entry.ts'
import type { Execution } from './execution.ts'
import type { MemberId, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import { ROOT } from './path.ts'
import type { Reports } from './reports.ts'

/** Of jobs that are over so many are seen to at a time, and so long after the last ones, ms: thousands may be kept. Guesses. */
const AT_ONCE = 64
const EVERY = 20

/**
 * Jobs that are over here. Another half of the pool may have ended one as well, with another result, or one that had no outcome when its owner cancelled it: so who was pronounced dead asks the
 * replicas whether they have the same, by a digest; and who hears of a cancellation asks them for an outcome, which comes first. New replicas are told by those before them, as of any job.
 */
export class EndedJobs {
  readonly #context: Context
  readonly #execution: Execution
  readonly #reports: Reports
  /** Jobs whose roots are to be compared, and those of which there may be new replicas. */
  #toCompare: Job[] = []
  #toFollow: Job[] = []
  /** They changed again before all were seen to. */
  #isChanged = false
  #dueAt: Milliseconds = Infinity
  /** Cancelled jobs of which there may be an outcome: whom this member asked, and until when. */
  readonly #cancelled = new Map<Job, { readonly open: Set<MemberId>; readonly until: Milliseconds }>()

  constructor(context: Context, execution: Execution, reports: Reports) {
    this.#context = context
    this.#execution = execution
    this.#reports = reports
  }

  get nextDue(): Milliseconds {
    let due = this.#dueAt
    for (const { until } of this.#cancelled.values()) due = Math.min(due, until)
    return due
  }

  /** This member is back after a partition. */
  reentered(): void {
    this.#toCompare = this.#all()
    this.#plan()
  }

  /** Members came or went. */
  changed(): void {
    if (this.#toFollow.length > 0) this.#isChanged = true
    else this.#toFollow = this.#all()
    this.#plan()
  }

  turn(): void {
    const { now } = this.#context
    for (const [job, { until }] of this.#cancelled) if (until <= now || job.ended !== undefined) this.#end(job)
    if (this.#dueAt > now) return
    this.#dueAt = Infinity
    for (const job of this.#toFollow.splice(0, AT_ONCE)) if (this.#isKept(job)) this.#reports.follow(job)
    if (this.#toFollow.length === 0 && this.#isChanged) {
      this.#isChanged = false
      this.#toFollow = this.#all()
    }
    for (const job of this.#toCompare.splice(0, AT_ONCE)) if (this.#isKept(job)) this.ask(job)
    this.#plan()
  }

  /** Its owner cancelled a job that is not over here. Nothing of it is done any more; if it has an outcome, that counts. */
  cancelled(job: Job): void {
    const { now, config } = this.#context
    this.#execution.stop(job)
    if (this.#cancelled.has(job)) return
    const open = this.ask(job)
    this.#cancelled.set(job, { open, until: now + config.requestTimeout })
    if (open.size === 0) this.#end(job)
  }

  /** A replica knows of no outcome. */
  unknown(from: MemberId, job: Job): void {
    const cancelled = this.#cancelled.get(job)
    if (cancelled?.open.delete(from) === true && cancelled.open.size === 0) this.#end(job)
  }

  /** Asks two replicas for another outcome than this member has. */
  ask(job: Job): Set<MemberId> {
    const { self, random, keepers } = this.#context
    const [first, ...others] = keepers(job).filter((id) => id !== self)
    const asked = new Set([first, pickOne(random, others)].filter((id) => id !== undefined))
    const known = job.entry === undefined ? undefined : digestOf(job.entry)
    for (const replica of asked) {
      this.#context.send(replica, { type: 'awaiting', job: job.id, paths: [ROOT], ...(known !== undefined && { known }) })
    }
    return asked
  }

  forget(job: Job): void {
    this.#cancelled.delete(job)
  }

  #end(job: Job): void {
    this.#cancelled.delete(job)
    if (job.ended === undefined) this.#execution.end(job)
  }

  #all(): Job[] {
    return [...this.#context.jobs.values()].filter(({ ended }) => ended !== undefined)
  }

  #isKept(job: Job): boolean {
    return job.ended !== undefined && this.#context.jobs.get(job.id) === job
  }

  #plan(): void {
    if (this.#toCompare.length + this.#toFollow.length > 0 && this.#dueAt === Infinity) this.#dueAt = this.#context.now + EVERY
  }
}

const latin1 = new TextDecoder('latin1')
const digests = new WeakMap<Entry, string>()

/** What two members compare of an outcome. It is no proof of anything. */
export function digestOf(entry: Entry): string {
  const known = digests.get(entry)
  if (known !== undefined) return known
  const { outcome, shared } = entry
  const said = 'value' in outcome ? `v${latin1.decode(outcome.value)}` : `f${outcome.failure.code} ${outcome.failure.message}`
  const offers = [...shared]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { key, values }]) => `${name} ${key} ${values.map((value) => latin1.decode(value)).join(' ')}`)
  const digest = `${hash52(said)}${hash52(offers.join('\n'))}${entryBytes(entry)}`
  digests.set(entry, digest)
  return digest
}
