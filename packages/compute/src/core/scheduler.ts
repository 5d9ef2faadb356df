import { defaultSchedulerConfig, type SchedulerConfig } from './config.ts'
import type { Context, Part, Signer } from './context.ts'
import type { Entry } from './entry.ts'
import { EndedJobs } from './ended-jobs.ts'
import { Execution } from './execution.ts'
import type { ComputeMember, Effect, Input, JobId, JobSpec, MemberId, Message, Milliseconds, Totals } from './io.ts'
import { PeerQuota } from './peer-quota.ts'
import { Job } from './job.ts'
import { Lookups } from './lookups.ts'
import { Losses } from './losses.ts'
import { Members } from './members.ts'
import { ROOT, type Path } from './path.ts'
import { Replication } from './replication.ts'
import { Reports } from './reports.ts'
import { Queue, type Tickets } from './queue.ts'
import { PartitionMerge } from './partition-merge.ts'
import { RootFailover } from './root-failover.ts'
import { SharedSpread } from './shared-spread.ts'
import { SpeculativeExecution } from './speculative-execution.ts'
import { Stealing } from './stealing.ts'
import { Supervision } from './supervision.ts'
import { progressOf } from './task-tree.ts'
import { Victims } from './victims.ts'
import { Workers } from './workers.ts'

export interface SchedulerOptions {
  readonly self: ComputeMember
  /** Most tasks that may run at once here. 0: this member only keeps what others computed. */
  readonly workers: number
  readonly random: () => number
  /** Shares of owners. Default: none, and the first submitted job comes first. */
  readonly tickets?: Tickets
  /** Signs and verifies votes. Default: a vote is a name, which anybody can write. */
  readonly signer?: Signer
  readonly config?: Partial<SchedulerConfig>
}

const unsigned: Signer = { sign: () => new Uint8Array(), verify: () => true }

/** A job as this member sees it. */
export interface JobView {
  readonly ended: 'done' | 'cancelled' | undefined
  /** The entry of the root. */
  readonly entry: Entry | undefined
  /** 0 to 1: this member's own figure as a replica, or that of a replica. */
  readonly progress: number
  /** The work of all members, as far as this member knows. */
  readonly totals: Totals
}

/**
 * The scheduler of one member: jobs and news of members go in, tasks for its workers and messages
 * to others come out. It has no clock, no randomness and no streams of its own.
 */
export class Scheduler {
  readonly #context: Context
  readonly #queue: Queue
  readonly #workers: Workers
  readonly #execution: Execution
  readonly #lookups: Lookups
  readonly #merge: PartitionMerge
  readonly #losses: Losses
  readonly #speculation: SpeculativeExecution
  readonly #supervision: Supervision
  readonly #reports: Reports
  readonly #replication: Replication
  readonly #ended: EndedJobs
  readonly #stealing: Stealing
  readonly #spread: SharedSpread
  /** The parts that act by themselves, in the order of their turns. */
  readonly #parts: readonly Part[]
  /** Messages of this member to itself. */
  #own: Message[] = []
  #wakeAt: Milliseconds = Infinity

  constructor({ self, workers, random, config, tickets, signer = unsigned }: SchedulerOptions) {
    const settings = { ...defaultSchedulerConfig, ...config }
    const members = new Members(self, settings)
    const effects: Effect[] = []
    const context: Context = {
      self: self.id,
      config: settings,
      random,
      members,
      jobs: new Map(),
      active: new Set(),
      attended: new Set(),
      untold: new Set(),
      quota: new PeerQuota(() => context),
      effects,
      ...signer,
      now: 0,
      exactNow: 0,
      send: (to, message) => {
        if (to === self.id) this.#own.push(message)
        else if (members.has(to)) effects.push({ type: 'send', to, message })
      },
      keepers: (job) => {
        if (job.keepersVersion !== members.version) {
          job.keepers = members.replicas(job.id)
          job.keepersVersion = members.version
        }
        return job.keepers
      },
    }
    this.#context = context
    this.#queue = new Queue(context, tickets)
    this.#workers = new Workers(context, this.#queue, workers)
    this.#lookups = new Lookups(
      context,
      () => this.#execution,
      (from, job, tried) => this.#replication.tried(from, job, tried),
    )
    this.#execution = new Execution(context, this.#workers, this.#queue, {
      lookup: (job, node) => this.#lookups.add(job, node),
      settleEnded: (job, entry, from) => this.#ended.settle(job, entry, from),
    })
    this.#merge = new PartitionMerge(context, this.#lookups)
    this.#losses = new Losses(context, this.#execution, this.#queue)
    this.#supervision = new Supervision(context, this.#execution, this.#losses)
    this.#reports = new Reports(context)
    this.#replication = new Replication(context, this.#execution)
    this.#ended = new EndedJobs(context, this.#execution, this.#reports)
    this.#speculation = new SpeculativeExecution(context, this.#execution, this.#merge)
    const victims = new Victims(context)
    this.#spread = new SharedSpread(context, victims)
    this.#stealing = new Stealing(context, {
      execution: this.#execution,
      queue: this.#queue,
      merge: this.#merge,
      speculation: this.#speculation,
      supervision: this.#supervision,
      victims,
      workers: this.#workers,
    })
    this.#parts = [
      new RootFailover(context, this.#execution),
      this.#ended,
      this.#lookups,
      this.#merge,
      this.#losses,
      this.#supervision,
      this.#replication,
      this.#stealing,
      this.#reports,
      this.#spread,
    ]
  }

  /** Returns the effects; the caller must carry them out in order. */
  handle(input: Input, now: Milliseconds): Effect[] {
    const { effects } = this.#context
    effects.length = 0
    this.#context.now = Math.floor(now)
    this.#context.exactNow = now
    this.#take(input)
    this.#turn()
    return effects.slice()
  }

  /** Returns this member's view of a job. */
  job(id: JobId): JobView | undefined {
    const job = this.#context.jobs.get(id)
    if (job === undefined) return undefined
    const { entry, tree } = job
    const claimed = Math.max(tree.root.progress, ...[...(tree.root.claims?.values() ?? [])].map(({ progress }) => progress))
    const progress = entry !== undefined ? 1 : Math.max(progressOf(tree.root), claimed, job.progress)
    return { ended: job.ended, entry, progress, totals: job.totalsAt(this.#context.self) }
  }

  /** Returns how a job ended here; undefined if it runs or is unknown. */
  ended(id: JobId): JobView['ended'] {
    return this.#context.jobs.get(id)?.ended
  }

  /** Whether others stated that a job is not over. */
  isOpenElsewhere(id: JobId): boolean {
    return this.#context.jobs.get(id)?.isOpenElsewhere === true
  }

  /** Whether this member has the outcome of a task. */
  covers(id: JobId, path: Path): boolean {
    return this.#context.jobs.get(id)?.tree.covering(path) !== undefined
  }

  /** Returns the members that keep a job, by this member's view. */
  replicas(id: JobId): readonly MemberId[] {
    const job = this.#context.jobs.get(id)
    return job === undefined ? this.#context.members.replicas(id) : this.#context.keepers(job)
  }

  #take(input: Input): void {
    const { members, jobs } = this.#context
    switch (input.type) {
      case 'timer':
        // The timer may fire early, by the fraction of a millisecond that is lost in reading a
        // clock.
        this.#wakeAt = Infinity
        return
      case 'joined': {
        const { version } = members
        members.joined(input.member)
        // A visitor keeps nothing, and has no tasks.
        if (members.version === version) return
        this.#membersChanged()
        this.#lookups.changed()
        this.#stealing.wake()
        if (members.knew(input.member.id)) this.#ended.open()
        return
      }
      case 'reentered':
        this.#merge.begin()
        this.#ended.reentered()
        return
      case 'gone':
        this.#gone(input.id)
        return
      case 'unreached':
        this.#stealing.unreached(input.id)
        return
      case 'job':
        this.#job(input.spec)
        return
      case 'expired':
        this.#expired(input.job)
        return
      case 'message':
        this.#receive(input.from, input.message)
        return
      case 'idle':
        this.#workers.saw(input.slot, input.seen)
        return
      case 'leave':
        this.#leave()
        return
      case 'watch': {
        const job = this.#attend(input.job)
        if (job === undefined || job.entry !== undefined) return
        job.watched ||= input.once !== true
        this.#supervision.ask(job)
        return
      }
      case 'explain': {
        const job = jobs.get(input.job)
        // Prefers another replica, as this member may have received nothing yet.
        const replica =
          job === undefined ? undefined : (this.#context.keepers(job).find((id) => id !== this.#context.self) ?? this.#context.self)
        if (replica !== undefined) this.#context.send(replica, { type: 'explain', job: input.job })
        return
      }
      case 'spawned':
      case 'returned':
      case 'offered':
      case 'crashed':
      case 'unfit': {
        const job = this.#attend(input.job)
        if (job !== undefined) this.#fromWorker(job, input)
      }
    }
  }

  #fromWorker(job: Job, input: Extract<Input, { type: 'spawned' | 'returned' | 'offered' | 'crashed' | 'unfit' }>): void {
    switch (input.type) {
      case 'spawned':
        this.#execution.spawned(job, input.path, input.children)
        return
      case 'returned':
        this.#execution.returned(job, input.path, input.outcome, input.shared, input.ran)
        return
      case 'offered':
        this.#execution.offered(job, input.shared)
        return
      case 'crashed':
        this.#workers.replaced(input.slot)
        this.#losses.crashed(job, input)
        return
      case 'unfit':
        this.#workers.replaced(input.slot)
        this.#losses.unfit(job, input)
    }
  }

  #receive(from: MemberId, message: Message): void {
    const { jobs, members } = this.#context
    if (!members.has(from)) return
    switch (message.type) {
      case 'steal':
        this.#stealing.asked(from, message)
        return
      case 'work':
        this.#stealing.answered(from, message)
        return
      case 'surplus':
        this.#stealing.surplus(from)
        return
      case 'idle':
        this.#speculation.asked(from, message)
        return
      default: {
        const job = this.#attend(message.job)
        if (job !== undefined) this.#receiveFor(job, from, message)
        else this.#answerUnknown(from, message)
      }
    }
  }

  /** Answers for a job that this member has not received yet. */
  #answerUnknown(from: MemberId, message: Message): void {
    if (message.type === 'lookup') {
      this.#context.send(from, { type: 'found', job: message.job, request: message.request, entries: [], claims: [], last: true })
    } else if (message.type === 'awaiting') this.#context.send(from, { type: 'unknown', job: message.job, paths: message.paths })
  }

  #receiveFor(job: Job, from: MemberId, message: Exclude<Message, { type: 'steal' | 'work' | 'surplus' | 'idle' }>): void {
    switch (message.type) {
      case 'awaiting':
        this.#supervision.awaited(from, job, message)
        return
      case 'holding':
        this.#supervision.holding(from, job, message)
        return
      case 'moved':
        this.#supervision.moved(from, job, message.tasks)
        return
      case 'unknown':
        this.#supervision.unknown(from, job, message.paths)
        if (message.paths.includes(ROOT)) this.#ended.unknown(from, job)
        return
      case 'result':
        job.totals = message.totals ?? job.totals
        for (const entry of message.entries) this.#execution.settle(job, entry, from)
        return
      case 'report':
        this.#replication.report(from, job, message)
        if (message.work.unfit !== undefined) this.#losses.judge(job)
        return
      case 'noted':
        this.#reports.noted(from, job, message.number)
        return
      case 'lookup':
        this.#replication.lookup(from, job, message)
        return
      case 'found':
        this.#lookups.found(from, message, job)
        return
      case 'yield': {
        const node = job.tree.find(message.path)
        const mayYield = this.#context.keepers(job).includes(from) && this.#context.members.has(message.to)
        if (mayYield && node?.frame?.claimed === true) this.#execution.yield(job, node, message.to)
        return
      }
      case 'explain':
        this.#replication.explain(from, job)
        return
      case 'explained':
        if (!this.#context.keepers(job).includes(from)) return
        this.#context.effects.push({ type: 'explained', job: job.id, tasks: message.tasks })
        return
      case 'shared':
        this.#execution.offered(job, message.shared)
    }
  }

  #job(spec: JobSpec): void {
    const { jobs } = this.#context
    let job = jobs.get(spec.id)
    // Its owner had cancelled it, and submitted it again.
    if (job?.ended === 'cancelled' && spec.wish !== 'cancel') {
      this.#expired(spec.id)
      job = undefined
    }
    if (job === undefined) {
      jobs.set(spec.id, (job = new Job(spec, this.#context.now)))
      this.#context.active.add(job)
    } else job.spec = job.ended === undefined ? spec : { ...spec, input: undefined }
    this.#attend(spec.id)
    this.#queue.changed(job)
    if (spec.wish === 'cancel' && job.ended === undefined) this.#ended.cancelled(job)
    this.#stealing.wake()
  }

  #expired(id: JobId): void {
    const { jobs } = this.#context
    const job = jobs.get(id)
    if (job === undefined) return
    if (job.ended === undefined) this.#execution.end(job)
    this.#reports.forget(job)
    this.#lookups.forget(id)
    this.#ended.forget(job)
    this.#context.active.delete(job)
    this.#context.attended.delete(job)
    jobs.delete(id)
  }

  /** Marks a job as attended, since something arrived for it. */
  #attend(id: JobId): Job | undefined {
    const { jobs, attended } = this.#context
    const job = jobs.get(id)
    if (job !== undefined && job.ended === undefined) attended.add(job)
    return job
  }

  /** Drops jobs from `attended` that have nothing to do here until something arrives. */
  #disregard(): void {
    const { self, attended, keepers } = this.#context
    for (const job of attended) {
      const isDue = job.hasPart || this.#reports.isDue(job) || this.#spread.isDue(job)
      if (!isDue && !keepers(job).includes(self)) attended.delete(job)
    }
  }

  /** Each job may have other replicas now. */
  #membersChanged(): void {
    for (const job of this.#context.active) this.#context.attended.add(job)
    this.#merge.changed()
    this.#ended.changed()
  }

  #gone(id: MemberId): void {
    const { members, active, attended } = this.#context
    const { version } = members
    if (!members.gone(id)) return
    this.#context.quota.gone(id)
    this.#lookups.changed()
    this.#lookups.gone(id)
    this.#stealing.gone(id)
    for (const job of attended) this.#supervision.gone(id, job)
    if (members.version !== version) {
      for (const job of active) this.#losses.judge(job)
      this.#membersChanged()
    }
    this.#reports.flush()
  }

  /** Returns held tasks to the members that wait for them, and reports what is completed. */
  #leave(): void {
    for (const job of this.#context.active) {
      const asked = new Map<MemberId, string[]>()
      for (const node of job.held) for (const waiter of node.waiters ?? []) asked.set(waiter, [...(asked.get(waiter) ?? []), node.path])
      for (const [waiter, paths] of asked) this.#context.send(waiter, { type: 'unknown', job: job.id, paths })
      // Otherwise this member would count as lost with these.
      for (const node of job.held) if (node.frame !== undefined) this.#execution.drop(job, node)
    }
    this.#reports.flush()
  }

  #turn(): void {
    const { effects, now } = this.#context
    for (;;) {
      for (const part of this.#parts) part.turn()
      const own = this.#own
      if (own.length === 0) break
      this.#own = []
      for (const message of own) this.#receive(this.#context.self, message)
    }
    this.#disregard()
    let due = Infinity
    for (const { nextDue } of this.#parts) due = Math.min(due, nextDue)
    if (due === Infinity || due >= this.#wakeAt) return
    this.#wakeAt = Math.max(due, now)
    effects.push({ type: 'timer', at: this.#wakeAt })
  }
}
