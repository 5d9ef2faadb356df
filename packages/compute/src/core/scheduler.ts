import type { Accepted } from './acceptance.ts'
import { attend, type Context } from './context.ts'
import type { Entry } from './entry.ts'
import type { Effect, Input, JobId, MemberId, Milliseconds } from './io.ts'
import type { Message } from './messages.ts'
import type { Job } from './job.ts'
import { viewOf, type JobView } from './job-view.ts'
import { KnownJobs } from './known-jobs.ts'
import { Membership } from './membership.ts'
import { newContext, type SchedulerOptions } from './new-context.ts'
import { createParts, type Parts } from './parts.ts'
import type { Path } from './path.ts'
import { Reception } from './reception.ts'
import { figuresOf, type SchedulerFigures } from './scheduler-figures.ts'
import { statedEntries, takeUnsaved } from './stated-entries.ts'
import { inputTimers } from './timers.ts'

/**
 * The scheduler of one member. It takes jobs and news of members. It returns tasks for its workers
 * and messages to others. It has no clock, no randomness and no streams of its own.
 */
export class Scheduler {
  readonly #context: Context
  readonly #parts: Parts
  readonly #jobs: KnownJobs
  readonly #membership: Membership
  readonly #reception: Reception
  /** Messages of this member to itself. */
  #own: Message[] = []
  #wakeAt: Milliseconds = Infinity

  constructor(options: SchedulerOptions) {
    const context = newContext(options, (message) => void this.#own.push(message))
    this.#context = context
    this.#parts = createParts(context, options.workers, options.tickets)
    this.#jobs = new KnownJobs(context, this.#parts)
    this.#membership = new Membership(context, this.#parts)
    this.#reception = new Reception(context, this.#parts)
  }

  /** Returns the effects; the caller must carry them out in order. */
  handle(input: Input, now: Milliseconds): Effect[] {
    const { effects } = this.#context
    effects.length = 0
    this.#context.now = Math.floor(now)
    this.#context.exactNow = now
    this.#take(input)
    this.#act()
    return effects.slice()
  }

  /** Returns this member's view of a job. */
  job(id: JobId): JobView | undefined {
    const job = this.#context.jobs.get(id)
    return job === undefined ? undefined : viewOf(job, this.#context.self)
  }

  /** Returns how a job ended here; undefined if it runs or is unknown. */
  ended(id: JobId): JobView['ended'] {
    return this.#context.jobs.get(id)?.ended
  }

  /** When this member came back last, or another one that was gone; in ms of the inputs' clock. */
  get returnedAt(): Milliseconds {
    return this.#context.members.returnedAt
  }

  /** Whether no other member keeps or computes anything. */
  get isAlone(): boolean {
    return this.#context.members.size <= 1
  }

  /** Returns the work of this member for all jobs together. */
  figures(): SchedulerFigures {
    return figuresOf(this.#context, this.#parts.workers)
  }

  /** Whether another member stated that a job is not over. */
  isOpenElsewhere(id: JobId): boolean {
    return this.#context.jobs.get(id)?.isOpenElsewhere === true
  }

  /** Whether this member has the outcome of a task. */
  hasResult(id: JobId, path: Path): boolean {
    return this.#context.jobs.get(id)?.tree.entryFor(path) !== undefined
  }

  /**
   * Returns the outcomes and votes that are new since the last call, by job. Leaves out tasks below
   * an ended task.
   */
  takeUnsaved(): Map<JobId, readonly Entry[]> {
    const news = new Map<JobId, readonly Entry[]>()
    for (const job of this.#context.jobs.values()) {
      const unsaved = takeUnsaved(job)
      if (unsaved !== undefined) news.set(job.id, unsaved)
    }
    return news
  }

  /** Returns all outcomes of a job that this member knows, and votes for outcomes. */
  entries(id: JobId): readonly Entry[] {
    const job = this.#context.jobs.get(id)
    return job === undefined ? [] : statedEntries(job)
  }

  /**
   * Returns the number of members with workers. If `job` is given, counts only the members that
   * accept it.
   */
  computing(job?: Accepted): number {
    return [...this.#context.members.computing(job)].length
  }

  /** Returns the replicas of a job in this member's view. */
  replicas(id: JobId): readonly MemberId[] {
    const job = this.#context.jobs.get(id)
    return job === undefined ? this.#context.members.replicas(id) : this.#context.replicas(job)
  }

  #take(input: Input): void {
    switch (input.type) {
      case 'timer':
        // `now` is a rounded time, so the timer may fire a little early.
        this.#wakeAt = Infinity
        return
      case 'joined':
        this.#membership.joined(input.member)
        return
      case 'reentered':
        this.#membership.reentered()
        return
      case 'restored':
        this.#membership.restored()
        return
      case 'gone':
        this.#membership.gone(input.id)
        return
      case 'unreached':
        this.#parts.stealing.unreached(input.id)
        return
      case 'job':
        this.#jobs.published(input.spec)
        return
      case 'expired':
        this.#jobs.expired(input.job)
        return
      case 'message':
        this.#reception.receive(input.from, input.message)
        return
      case 'idle':
        this.#parts.workers.saw(input.slot, input.seen)
        return
      case 'reserved':
        this.#parts.workers.reserve(input.workers)
        this.#parts.stealing.wake()
        return
      case 'shares':
        this.#parts.queue.setPolicy(input.policy)
        return
      case 'stop':
        this.#context.isStopping = true
        return
      case 'leave':
        this.#membership.leave()
        return
      case 'watch': {
        const job = attend(this.#context, input.job)
        if (job === undefined || job.entry !== undefined) return
        if (input.once !== true) this.#parts.supervision.watch(job, input.within)
        this.#parts.supervision.ask(job)
        return
      }
      case 'read': {
        const job = this.#context.jobs.get(input.job)
        if (job !== undefined) this.#parts.reader.read(job, input.paths)
        return
      }
      case 'explain': {
        const job = this.#context.jobs.get(input.job)
        // Prefers another replica: this member may have received nothing yet.
        const replica =
          job === undefined ? undefined : (this.#context.replicas(job).find((id) => id !== this.#context.self) ?? this.#context.self)
        if (replica !== undefined) this.#context.send(replica, { type: 'explain', job: input.job })
        return
      }
      case 'spawned':
      case 'returned':
      case 'offered':
      case 'saved':
      case 'crashed':
      case 'unfit': {
        const job = attend(this.#context, input.job)
        if (job !== undefined) this.#fromWorker(job, input)
      }
    }
  }

  #fromWorker(job: Job, input: Extract<Input, { type: 'spawned' | 'returned' | 'offered' | 'saved' | 'crashed' | 'unfit' }>): void {
    switch (input.type) {
      case 'spawned':
        this.#parts.execution.spawned(job, input.path, input.children)
        return
      case 'returned':
        this.#parts.execution.returned(job, input.path, input.outcome, input.shared, input.ran)
        return
      case 'offered':
        this.#parts.settlement.offered(job, input.shared)
        return
      case 'saved':
        this.#parts.saves.saved(job, input.path, input.state)
        if (this.#parts.workers.isOver) this.#parts.execution.stop(job, input.path)
        return
      case 'crashed':
        this.#parts.workers.replaced(input.slot)
        this.#parts.blame.crashed(job, input)
        return
      case 'unfit':
        this.#parts.workers.replaced(input.slot)
        this.#parts.blame.unfit(job, input)
    }
  }

  /**
   * Runs the parts that are due, and the parts that act after any input (`inputTimers`). Sets a
   * timer for the next part that will be due.
   */
  #act(): void {
    const { effects, now, timers } = this.#context
    for (;;) {
      timers.fire(now, (name) => this.#parts.timed[name].due(), inputTimers)
      const own = this.#own
      if (own.length === 0) break
      this.#own = []
      for (const message of own) this.#reception.receive(this.#context.self, message)
    }
    this.#jobs.disregard()
    if (timers.next >= this.#wakeAt) return
    this.#wakeAt = Math.max(timers.next, now)
    effects.push({ type: 'timer', at: this.#wakeAt })
  }
}
