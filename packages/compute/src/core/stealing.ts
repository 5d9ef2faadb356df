import { pickOne } from '@jel/protocol'
import type { Context } from './context.ts'
import type { Execution } from './execution.ts'
import type { Grant, JobId, MemberId, Message, Milliseconds } from './io.ts'
import type { Job } from './job.ts'
import type { PartitionMerge } from './partition-merge.ts'
import type { SpeculativeExecution } from './speculative-execution.ts'
import type { Supervision } from './supervision.ts'
import type { Victims } from './victims.ts'
import type { Queue } from './queue.ts'
import { isNone } from './tries.ts'
import { canRun } from './votes.ts'
import type { Workers } from './workers.ts'

/** Most tasks that one request may bring. A guess. */
const MAX_STOLEN = 64
/**
 * Weight of the latest stolen tasks in the moving average of the time that one keeps this member
 * busy. A guess.
 */
const LATEST = 0.3
/**
 * Most thieves that are notified of new work. A guess: more than share one victim, unless all look
 * for one root.
 */
const MAX_REFUSED = 256
/**
 * This many tasks stay for each one that is given. A guess: more than the deque of a tree holds.
 */
const MANY = 16
/** Most jobs in one request. A guess. */
const MAX_JOBS = 16
/**
 * Most requests whose answers are taken, also after they were given up. A guess: behind a slow line
 * answers take long.
 */
const MAX_OPEN = 64

interface Request {
  readonly number: number
  readonly jobs: readonly Job[]
  readonly victim: MemberId
  readonly sentAt: Milliseconds
  /** With the fraction of a millisecond. */
  readonly exactSentAt: Milliseconds
}

/** Requests to near victims, or to far ones: one at a time. */
interface Lane {
  readonly near: boolean
  request: Request | undefined
  /** Requests in vain since the last success. */
  failures: number
  delay: Milliseconds
  notBefore: Milliseconds
  /**
   * A job is new here, or its root may have moved. The first request goes to the replica that keeps
   * the root.
   */
  fresh: boolean
  /**
   * By job the member that gave a task last and has plenty; it is asked first. Only the holder of a
   * wide task has tasks to give.
   */
  readonly last: Map<JobId, MemberId>
  /**
   * A member that may have plenty, named by a victim that had nothing. It is asked next. Hints lead
   * to the same member again only after a success, or when a job or a member came.
   */
  hint: MemberId | undefined
  readonly followed: Set<MemberId>
}

interface StealingParts {
  readonly execution: Execution
  readonly queue: Queue
  readonly merge: PartitionMerge
  readonly speculation: SpeculativeExecution
  readonly supervision: Supervision
  readonly victims: Victims
  readonly workers: Workers
}

/**
 * Cluster-aware random work stealing (CRS; van Nieuwpoort et al.): a member without work asks
 * random near victims one after the other. At the same time it asks one far victim, whose answer
 * takes long. It gets the oldest task. Simulated, 64 nodes on four sites with 100 ms between them:
 * 97.5 % of the processors at work, against 90.8 % with victims chosen among all, and 58.6 % with
 * Javelin's tree.
 */
export class Stealing {
  readonly #context: Context
  readonly #parts: StealingParts
  readonly #lanes: readonly Lane[]
  /** Time that one stolen task keeps a worker busy, with the tasks that it spawns. */
  #lasted: Milliseconds | undefined
  /** Time since which this member looks for tasks. */
  #hungrySince: Milliseconds | undefined
  /** A worker has nothing to do. */
  #isIdle = false
  /** Time of the first and number of the last stolen tasks. */
  #stolen: { readonly at: Milliseconds; readonly tasks: number } | undefined
  #next = 0
  /**
   * The members that were asked, and for how many tasks, by request. Nobody may give work unasked.
   */
  readonly #open = new Map<number, { readonly of: MemberId; readonly count: number }>()
  /**
   * Thieves that found nothing here since there was something, the latest last, and the jobs that
   * they asked for.
   */
  readonly #refused = new Map<MemberId, readonly JobId[]>()

  constructor(context: Context, parts: StealingParts) {
    this.#context = context
    this.#parts = parts
    const lane = {
      request: undefined,
      failures: 0,
      delay: 0,
      notBefore: 0,
      fresh: true,
      hint: undefined,
    }
    this.#lanes = [
      { ...lane, near: true, last: new Map(), followed: new Set() },
      { ...lane, near: false, last: new Map(), followed: new Set() },
    ]
  }

  get nextDue(): Milliseconds {
    if (this.#hungrySince === undefined || this.#parts.merge.isOpen) return Infinity
    const { config, now } = this.#context
    let due = this.#parts.speculation.dueAt(this.#hungrySince)
    for (const { request, notBefore, near } of this.#lanes) {
      if (request !== undefined) due = Math.min(due, request.sentAt + config.requestTimeout)
      else if ((near ? this.#parts.victims.near() : this.#parts.victims.far()).length > 0) due = Math.min(due, Math.max(notBefore, now))
    }
    return due
  }

  /** A job or a member came: ends all backoff delays. */
  wake(): void {
    for (const lane of this.#lanes) {
      lane.delay = 0
      lane.notBefore = 0
      lane.fresh = true
      lane.followed.clear()
    }
  }

  /** Fills the workers with tasks of this member, and looks for others. */
  turn(): void {
    if (this.#parts.merge.isOpen) return
    this.#parts.workers.fill()
    const { now, config } = this.#context
    this.#tellRefused()
    const jobs = this.#jobs()
    const isIdle = jobs.length > 0 && this.#parts.workers.idle > 0
    if (isIdle && !this.#isIdle) this.#measureStolen()
    this.#isIdle = isIdle
    if (jobs.length === 0) {
      this.#hungrySince = undefined
      return
    }
    if (this.#hungrySince === undefined) {
      this.#hungrySince = now
      this.#parts.speculation.begin()
    }
    for (const lane of this.#lanes) {
      if (lane.request !== undefined && now - lane.request.sentAt >= config.requestTimeout) this.#failed(lane)
      if (lane.request === undefined && lane.notBefore <= now) this.#ask(lane, jobs)
    }
    const replica = now >= this.#parts.speculation.dueAt(this.#hungrySince) ? this.#parts.speculation.seek(jobs) : undefined
    if (replica !== undefined)
      this.#context.send(replica, { type: 'idle', request: this.#request(replica, 1), jobs: jobs.map(({ id }) => id) })
  }

  /** A thief asks for tasks. It is refused while nothing may begin. */
  asked(from: MemberId, { request, jobs: ids, count }: Extract<Message, { type: 'steal' }>): void {
    const mayGive = !this.#parts.merge.isOpen
    const tasks: Grant[] = []
    const ended: JobId[] = []
    let left = 0
    for (const id of ids) {
      const job = this.#context.jobs.get(id)
      if (job === undefined) continue
      if (job.ended !== undefined) ended.push(id)
      else if (mayGive && tasks.length === 0 && job.runs && isFor(from, job)) {
        // Of a tree, gives one task, since two of the oldest may be most of it. Where hundreds
        // wait, they are about as short as the round trip.
        const most = Math.max(1, Math.min(count, MAX_STOLEN, Math.floor(job.ready.size / MANY)))
        tasks.push(...this.#parts.execution.give(job, from, most))
        left = job.ready.size
      }
    }
    const hint = tasks.length === 0 ? this.#hint(ids) : undefined
    this.#context.send(from, { type: 'work', request, tasks, left, ended, ...(hint !== undefined && hint !== from && { hint }) })
    this.#refused.delete(from)
    if (tasks.length > 0 || ended.length === ids.length) return
    this.#refused.set(from, ids)
    if (this.#refused.size > MAX_REFUSED) this.#refused.delete(this.#refused.keys().next().value as MemberId)
  }

  /** A victim that refused this member has work again. */
  surplus(from: MemberId): void {
    const lane = this.#lanes.find(({ near }) => near === this.#context.members.isNear(from))
    if (lane === undefined || this.#hungrySince === undefined) return
    lane.hint = from
    lane.notBefore = 0
  }

  /** A victim, or a replica, answers. */
  answered(from: MemberId, { request, tasks, left, ended, hint }: Extract<Message, { type: 'work' }>): void {
    const { exactNow, jobs } = this.#context
    const open = this.#open.get(request)
    if (open?.of !== from) return
    this.#open.delete(request)
    const lane = this.#lanes.find((each) => each.request?.number === request && each.request.victim === from)
    const second = lane === undefined
    for (const { job: id, replay, tries: _, crashes = [], holders = [], ...task } of tasks.slice(0, open.count)) {
      const job = jobs.get(id)
      if (job?.runs !== true) continue
      const covering = job.tree.covering(task.path)
      if (covering !== undefined) {
        this.#context.send(from, { type: 'result', job: id, entries: [covering] })
        continue
      }
      const node = job.tree.ensure(task.path)
      if (!second) {
        node.waiters ??= new Set()
        node.waiters.add(from)
      }
      const tries = this.#context.quota.tries(job, from, { crashes, holders })
      if (!isNone(tries)) job.tell(node, tries)
      // If the job is voted on, a loss is only one member's statement. It does not count, but the
      // member that begins such a task still announces it first.
      const careful = holders.length > 0
      if (node.frame === undefined) this.#parts.execution.open(job, node, task, { claimed: true, from, second, replay, careful })
      else {
        // A lookup of its holder was under way. The grant shows that nobody else holds it.
        node.frame.from = from
        if (!replay) this.#parts.execution.lookedUp(job, node)
      }
    }
    for (const id of ended) {
      const job = jobs.get(id)
      // Only replicas are asked for the outcome.
      if (job !== undefined && job.ended === undefined) this.#parts.supervision.ask(job)
    }
    if (lane === undefined) return
    this.#context.members.measured(from, this.#context.exactNow - (lane.request as Request).exactSentAt)
    if (tasks.length === 0) {
      // Two members that name each other would be asked in turn for ever, and nobody else.
      lane.hint = hint === undefined || lane.followed.has(hint) ? undefined : hint
      this.#failed(lane)
      return
    }
    lane.request = undefined
    lane.failures = 0
    lane.delay = 0
    const { job } = tasks[0] as Grant
    if (left >= MANY) lane.last.set(job, from)
    else lane.last.delete(job)
    lane.followed.clear()
    if (this.#stolen === undefined) this.#stolen = { at: exactNow, tasks: tasks.length }
    else this.#stolen = { at: this.#stolen.at, tasks: this.#stolen.tasks + tasks.length }
  }

  /** No answer will come. */
  unreached(member: MemberId): void {
    for (const lane of this.#lanes) if (lane.request?.victim === member) this.#failed(lane)
  }

  gone(member: MemberId): void {
    for (const lane of this.#lanes) {
      lane.fresh = true
      if (lane.request?.victim === member) this.#failed(lane)
    }
  }

  /** Jobs of which this member could use a task, in the order of service. */
  #jobs(): readonly Job[] {
    return this.#parts.queue.wanted(this.#parts.workers.idle > 0).slice(0, MAX_JOBS)
  }

  /**
   * Returns a member that may have work: one that gave some and had plenty, or the holder of the
   * root.
   */
  #hint(jobs: readonly JobId[]): MemberId | undefined {
    for (const id of jobs) {
      for (const { last } of this.#lanes) if (last.has(id)) return last.get(id)
      const root = this.#context.jobs.get(id)?.tree.root
      const holder = root?.holder ?? root?.claims?.keys().next().value
      if (holder !== undefined) return holder
    }
    return undefined
  }

  #ask(lane: Lane, jobs: readonly Job[]): void {
    const { random, members, keepers, self } = this.#context
    const { hint } = lane
    lane.hint = undefined
    if (hint !== undefined && hint !== self && members.has(hint)) {
      lane.followed.add(hint)
      this.#send(lane, hint, jobs)
      return
    }
    const candidates = [...(lane.near ? this.#parts.victims.near() : this.#parts.victims.far())]
    const [keeper] = keepers(jobs.at(-1) as Job)
    const isHere = keeper !== undefined && keeper !== self && members.isNear(keeper) === lane.near
    if (isHere && !candidates.includes(keeper)) candidates.push(keeper)
    const last = jobs.map(({ id }) => lane.last.get(id)).find((id) => id !== undefined && members.has(id))
    const victim = isHere && lane.fresh ? keeper : (last ?? pickOne(random, candidates))
    if (victim === undefined) return
    this.#send(lane, victim, jobs)
  }

  #send(lane: Lane, victim: MemberId, jobs: readonly Job[]): void {
    const { now, members } = this.#context
    lane.fresh = false
    const count = this.#count(members.roundTrip(victim) ?? 0)
    lane.request = { number: this.#request(victim, count), jobs, victim, sentAt: now, exactSentAt: this.#context.exactNow }
    this.#context.send(victim, { type: 'steal', request: lane.request.number, jobs: jobs.map(({ id }) => id), count })
  }

  #request(of: MemberId, count: number): number {
    const number = this.#next++
    this.#open.set(number, { of, count })
    if (this.#open.size > MAX_OPEN) this.#open.delete(this.#open.keys().next().value as number)
    return number
  }

  /**
   * Notifies refused thieves of new work, as many as there are tasks (after the lifelines of GLB).
   */
  #tellRefused(): void {
    if (this.#refused.size === 0) return
    const jobs = new Map<JobId, Job>()
    for (const job of this.#context.attended) if (job.runs && job.ready.size > 0) jobs.set(job.id, job)
    let tasks = 0
    for (const { ready } of jobs.values()) tasks += ready.size
    for (const [thief, ids] of this.#refused) {
      if (tasks <= 0) return
      if (!ids.some((id) => isFor(thief, jobs.get(id)))) continue
      tasks--
      this.#refused.delete(thief)
      this.#context.send(thief, { type: 'surplus' })
    }
  }

  /**
   * Returns how many tasks to ask for. They should last twice the round trip: one task, unless
   * tasks are as short as the round trip.
   */
  #count(roundTrip: Milliseconds): number {
    const idle = Math.max(1, this.#parts.workers.idle)
    if (this.#lasted === undefined || roundTrip === 0) return idle
    return Math.min(MAX_STOLEN, idle * Math.max(1, Math.ceil((2 * roundTrip) / Math.max(this.#lasted, 0.1))))
  }

  #failed(lane: Lane): void {
    const { now, config } = this.#context
    const { victim, jobs = [] } = lane.request ?? {}
    lane.request = undefined
    for (const { id } of jobs) if (lane.last.get(id) === victim) lane.last.delete(id)
    lane.failures++
    const round = (lane.near ? this.#parts.victims.near() : this.#parts.victims.far()).length
    if (victim !== undefined && lane.failures % Math.max(round, 1) === 0) this.#parts.victims.exchange(victim, lane.near)
    // A hint delays the backoff, but only for two rounds, as two members may name each other.
    if (lane.failures < round || (lane.hint !== undefined && lane.failures < 2 * round)) return
    this.#parts.queue.foundNone(jobs)
    lane.delay = Math.min(config.backoffMost, Math.max(config.backoffLeast, lane.delay * 2))
    lane.notBefore = now + Math.ceil(lane.delay * (0.5 + this.#context.random()))
  }

  /** Measures how long the last stolen tasks lasted, per task. */
  #measureStolen(): void {
    if (this.#stolen === undefined) return
    const { at, tasks } = this.#stolen
    this.#stolen = undefined
    const lasted = ((this.#context.exactNow - at) * this.#parts.workers.count) / tasks
    this.#lasted = this.#lasted === undefined ? lasted : this.#lasted + LATEST * (lasted - this.#lasted)
  }
}

/** Whether there is a task for this thief. */
function isFor(thief: MemberId, job: Job | undefined): boolean {
  return job !== undefined && job.credit.mayHold(thief) && canRun(job, thief)
}
