import { blobsIn, openSavedJobs } from '#platform/saved'
import { openBlobStore } from '#platform/blobs'
import type { Pool } from '@jel/jel'
import type { Entry } from '../core/entry.ts'
import { NOTHING_EXPLAINED } from '../core/explanation.ts'
import type { Input, JobId } from '../core/io.ts'
import type { JobExplanation } from '../core/messages.ts'
import { countsOf, meets } from './requirements.ts'
import { ticketsOf, type ComputeOptions } from '../options.ts'
import { acceptanceOf, placeOf } from './acceptance.ts'
import { Administration } from './administration.ts'
import { BlobExchange } from './blob-exchange.ts'
import type { BlobStore } from './blob-store.ts'
import { Endings } from './endings.ts'
import { JobConfirmations } from './job-confirmations.ts'
import { JobFiles } from './job-files.ts'
import { JobHolders } from './job-holders.ts'
import { JOB_PREFIX, readJob, type JobRecord, type PublishedJob } from './job-record.ts'
import { LargeResults } from './large-results.ts'
import { MemberList } from './member-list.ts'
import { MetRequirements } from './met-requirements.ts'
import { OutputExchange } from './output-exchange.ts'
import type { TaskOutput } from './output-log.ts'
import { Participation } from './participation.ts'
import { PeerBudget } from './peer-budget.ts'
import { PeerStreams } from './peer-streams.ts'
import { PublishedJobs, type PublishedJobsEvents } from './published-jobs.ts'
import { Replies } from './replies.ts'
import { Runner } from './runner.ts'
import type { SavedJobs } from './saved-jobs.ts'
import { Shifts, type EndedShift, type Shift } from './shifts.ts'
import { VoteSigner } from './vote-signer.ts'
import { waitingReason } from './waiting-reason.ts'

/** Events of an {@link Engine}. */
export interface EngineEvents {
  onWorking(shift: Shift): void
  onWorked(shift: EndedShift): void
  onRan(took: number): void
  onOutput(job: JobId, output: TaskOutput): void
  onWarning(code: string, message: string, job: JobId | undefined): void
}

/** Runs the scheduler on a pool, with the members, the files and the records of jobs. */
export class Engine {
  readonly store: BlobStore
  readonly blobs: BlobExchange
  readonly runner: Runner
  readonly jobs: PublishedJobs
  readonly holders: JobHolders
  readonly confirmations: JobConfirmations
  readonly output: OutputExchange
  readonly endings = new Endings()
  readonly explanations = new Replies<JobExplanation>(NOTHING_EXPLAINED)
  readonly outcomes = new Replies<readonly Entry[]>([])
  readonly #streams: PeerStreams
  readonly #members: MemberList
  readonly #signer: VoteSigner
  readonly #files: JobFiles
  readonly #results: LargeResults
  readonly #participation: Participation
  readonly #met: MetRequirements
  readonly #administration: Administration
  readonly #shifts: Shifts
  /** Undefined: this member keeps no jobs on disk. */
  readonly #saved: SavedJobs | undefined
  readonly #pool: Pool
  readonly #isClient: boolean
  /** Resolves once everything is closed. */
  #closing: Promise<void> | undefined

  constructor(pool: Pool, options: ComputeOptions, events: EngineEvents) {
    const { visits: isClient = false, workers = 0 } = options
    const state = isClient ? undefined : options.state
    this.#pool = pool
    const computes = workers > 0
    const budget = new PeerBudget()
    // While the engine starts, nobody listens yet.
    const warnLater: EngineEvents['onWarning'] = (...warning) => void setTimeout(() => events.onWarning(...warning))
    this.#isClient = isClient
    // The folder of the state belongs to this member alone.
    const isShared = options.cache !== undefined || state === undefined
    this.store = openBlobStore(options.cache ?? (state && blobsIn(state)), options.limits?.disk, isShared)
    this.blobs = new BlobExchange(pool, this.store, budget, (...made) => this.#files.pinMade(...made))
    this.#signer = new VoteSigner(pool)
    this.#shifts = new Shifts({
      shiftOf: (id) => {
        const job = this.jobs.get(id)
        return job && { job: id, name: job.name, owner: job.owner }
      },
      onBegun: (shift) => events.onWorking(shift),
      onEnded: (shift) => events.onWorked(shift),
    })
    this.#streams = new PeerStreams(pool, budget, {
      onMessage: (from, message) => {
        this.#members.heard(from)
        this.runner.feed({ type: 'message', from, message })
      },
      onUnreached: (id) => this.runner.feed({ type: 'unreached', id }),
      onNonsense: (from, reason) => events.onWarning('PEER_MISBEHAVED', `${from}: ${reason}`, undefined),
    })
    const published: PublishedJobsEvents = {
      onPublished: (job, fresh) => {
        this.#met.published(job)
        void this.#participation.begin(job, fresh)
        // All members may have restarted. After `restored` the scheduler begins nothing until they
        // are back.
        if (this.#saved?.restore(job.id) === true) this.runner.feed({ type: 'restored' })
      },
      onForgotten: (id) => {
        this.#files.ended(id)
        this.#results.forget(id)
        this.output.forget(id)
        this.#saved?.forget(id)
        this.#met.forget(id)
        this.runner.feed({ type: 'expired', job: id })
        this.endings.end(id)
      },
      onUnknown: (name, owner, fields) => {
        const message = `this release does not know the fields ${JSON.stringify(fields)} of the job ${JSON.stringify(name)} of ${owner}: this member leaves the job to members of later releases`
        warnLater('JOB_OF_LATER_RELEASE', message, undefined)
      },
    }
    const returnedAt = (): number => Date.now() - (performance.now() - this.runner.scheduler.returnedAt)
    this.jobs = new PublishedJobs(pool, options.owner, published, returnedAt)
    this.#met = new MetRequirements(
      pool,
      () => this.jobs,
      (job) => {
        if (this.runner.scheduler.ended(job.id) === undefined) void this.#participation.begin(job, false)
      },
    )
    const accepts = computes
      ? { ...acceptanceOf(options.accept, this.jobs.owner), meets: (requirements: string) => meets(pool.self, requirements) }
      : undefined
    this.runner = new Runner({
      self: { id: pool.self.id, location: pool.self.location, isClient, computes, accepts },
      workers,
      ...(options.limits && { limits: options.limits }),
      ...(options.tickets && { tickets: ticketsOf(options.tickets, this.jobs.owner) }),
      signer: this.#signer,
      ...(state !== undefined && { onFed: () => this.#saved?.changed() }),
      programOf: (job) => this.#files.placed(job),
      send: (to, message) => this.#streams.send(to, message),
      onOutput: (job, printed) => this.output.printed(job, printed),
      onRan: (took) => events.onRan(took),
      onRun: ({ job }) => this.#shifts.ran(job, performance.now()),
      onEnded: ({ job, entry }) => {
        this.#files.ended(job)
        this.#results.ended(job, entry)
        if (entry === undefined) this.#saved?.forget(job)
        this.endings.end(job)
        this.jobs.keepEnded(job)
        this.#shifts.ended(job, entry, performance.now())
      },
      onExplained: ({ job, tasks, functions, members }) => this.explanations.answered(job, { tasks, functions, members }),
      onOutcomes: ({ job, entries }) => this.outcomes.answered(job, entries),
      onWarning: ({ code, message, job }) => events.onWarning(code, message, job),
    })
    const { scheduler } = this.runner
    this.#saved = openSavedJobs(state, {
      pool,
      limit: this.store.limit,
      scheduler,
      feed: (message) => this.runner.feed({ type: 'message', from: pool.self.id, message }),
      ownerOf: (job) => this.jobs.get(job)?.owner,
      warn: warnLater,
    })
    this.#members = new MemberList(pool, { isClient, accepts }, (inputs) => this.#membersChanged(inputs))
    this.holders = new JobHolders(pool, scheduler, this.#members)
    this.confirmations = new JobConfirmations(pool, {
      keeps: async (job) => await this.#files.keeps(job),
      desiredOf: (job) => this.jobs.get(job)?.desired ?? 'forget',
    })
    this.output = new OutputExchange(pool, {
      budget,
      replicas: (job) => scheduler.replicas(job),
      isKnown: (job) => this.jobs.has(job),
      computing: () => scheduler.computing(),
      onOutput: (job, output) => events.onOutput(job, output),
    })
    const common = {
      store: this.store,
      jobs: this.jobs,
      holders: this.holders,
      placeOf: (job: PublishedJob) =>
        job.requirements === undefined || meets(pool.self, job.requirements) ? placeOf(job, options, this.jobs.owner) : undefined,
      warn: (code: string, message: string, job: JobId) => events.onWarning(code, message, job),
    }
    this.#files = new JobFiles({ ...common, exchange: this.blobs, scheduler })
    this.#results = new LargeResults({
      exchange: this.blobs,
      holders: this.holders,
      pin: (hash, id, holder) => this.#files.pin(hash, id, { holder, isSpare: true }),
      unpin: (holder) => this.store.unpin(holder),
      warn: common.warn,
    })
    this.store.onEvicted = (holder) => {
      this.#files.evicted(holder)
      this.#results.evicted(holder)
    }
    this.#participation = new Participation({ ...common, files: this.#files, runner: this.runner, endings: this.endings })
    this.#administration = new Administration(pool, options.admins ?? [], (policy) => this.runner.feed({ type: 'shares', policy }))
  }

  async start(): Promise<void> {
    await this.blobs.start()
    await this.confirmations.start()
    await this.output.start()
    await this.#streams.start()
    if (!this.#isClient) await this.#signer.start()
    await this.#members.start()
    this.#met.start()
    await this.#saved?.start(this.#pool.records(JOB_PREFIX).flatMap((record) => readJob(record)?.id ?? []))
    this.#administration.start()
    this.jobs.start()
  }

  get closed(): boolean {
    return this.#closing !== undefined
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#met.close()
    this.#administration.close()
    this.#participation.close()
    this.#files.close()
    this.#results.close()
    this.jobs.close()
    await this.runner.close()
    await this.#saved?.close()
    await this.#members.close()
    await this.#streams.close()
    await this.blobs.close()
    await this.confirmations.close()
    await this.output.close()
    this.store.close()
    this.endings.endAll()
    this.explanations.close()
    this.outcomes.close()
  }

  /**
   * Resolves once the first two members that may keep the job know its desired state, or after 3 s.
   */
  async untilKnown(id: JobId, desired: JobRecord['desired'] | 'forget'): Promise<void> {
    await this.confirmations.untilKnown(this.holders.participants(id), id, desired)
  }

  /**
   * Returns the reason why a job does not begin or does not go on, as far as this member knows.
   * Empty for a job that has begun, if there are members that may run its tasks.
   */
  whyWaiting(id: JobId, hasBegun: boolean): string {
    const job = this.jobs.get(id)
    const { scheduler } = this.runner
    const isHere = job !== undefined && scheduler.job(id) !== undefined
    return waitingReason({
      job: isHere ? job : undefined,
      hasBegun,
      computing: scheduler.computing(),
      accepting: scheduler.computing(job),
      withVotes: scheduler.computing(job && { ...job, votes: 2 }),
      ...(job?.requirements !== undefined && {
        suitable: scheduler.computing({ ...job, requirements: undefined }),
        conditions: countsOf(
          this.#pool.members().filter(({ id }) => this.#members.computes(id)),
          job.requirements,
        ),
      }),
      isKept: scheduler.isOpenElsewhere(id) || this.holders.isReplica(id),
      after: (job?.after ?? []).flatMap((each) => (scheduler.ended(each) === undefined ? (this.jobs.get(each)?.name ?? []) : [])),
      earlier: job === undefined || hasBegun ? 0 : this.jobs.earlierThan(job, (each) => scheduler.ended(each) === undefined),
    })
  }

  watch(id: JobId): void {
    this.runner.feed({ type: 'watch', job: id })
  }

  #membersChanged(inputs: readonly Input[]): void {
    for (const input of inputs) if (input.type === 'gone') this.#streams.forget(input.id)
    this.runner.feed(...inputs)
    this.output.membersChanged()
    // Members do not report ends of jobs to a client unless it asks.
    if (this.#isClient && inputs.some(({ type }) => type === 'joined')) for (const job of this.endings.jobs()) this.watch(job)
    this.#files.keepAll()
    this.#results.keepAll()
  }
}
