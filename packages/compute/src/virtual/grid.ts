import { createRandom, hash52 } from '@jel/protocol'
import type { SchedulerConfig } from '../core/config.ts'
import { entryBytes, type Entry } from '../core/entry.ts'
import type { Effect, Input, JobId, JobSpec, MemberId, Message, Milliseconds } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import type { Tickets } from '../core/queue.ts'
import { Scheduler } from '../core/scheduler.ts'
import type { Signer } from '../core/context.ts'
import { toBytes } from '../schemas.ts'
import { Events } from './events.ts'
import type { VirtualProgram } from './program.ts'
import { lieAbout, VirtualWorker } from './worker.ts'

/** Options of a {@link VirtualGrid}. */
export interface GridOptions {
  readonly seed: number
  readonly program: VirtualProgram
  readonly config?: Partial<SchedulerConfig>
  /** Shares of owners at each member. */
  readonly tickets?: Tickets
  /** One-way latency between members of two sites, ms. */
  readonly latency: (from: string, to: string) => Milliseconds
  /**
   * Time from a death until the other members detect it, from and to, ms. Default: 70 to 190
   * (measured).
   */
  readonly detection?: readonly [Milliseconds, Milliseconds]
  /** Time that a dial takes besides its round trip, ms. Default: 11 (measured). */
  readonly dial?: Milliseconds
  /**
   * Bytes of values that may wait for one stream. If there are more, the stream breaks and loses
   * all of them. Default: no limit.
   */
  readonly streamBytes?: number
  /** Bandwidth of a site's border in each direction, bytes per ms; undefined: no limit. */
  readonly border?: (site: string) => number | undefined
}

/** Options of a {@link GridMember}. */
export interface GridMemberOptions {
  readonly site: string
  readonly workers?: number
  readonly speed?: number
  /** Whether it runs the programs of jobs. Default: true. */
  readonly accepts?: boolean
  /**
   * Whether it gets no inputs of jobs that were submitted before it joined, as if all holders were
   * lost.
   */
  readonly lacksInputs?: boolean
  /** Whether it gives wrong values. */
  readonly lies?: boolean
  /** Whether its containers fail to start. */
  readonly isSick?: boolean
  /**
   * Whether it is a visitor: it runs nothing, keeps nothing, and publishes nothing about itself.
   */
  readonly visits?: boolean
  /** Handles messages in place of a scheduler: the member is hostile. */
  readonly takes?: (from: MemberId, message: Message) => void
}

/**
 * News of a newcomer, and the news for it, arrive in any order within this time, ms. Measured: a
 * record reaches all members within it.
 */
const SPREAD = 200
/** Wait before a broken stream is opened again, ms; the same as for real streams. */
const REDIAL = 1000

/** No member forges the signature of another. */
function signerOf(id: MemberId): Signer {
  const name = (member: MemberId): Uint8Array => new TextEncoder().encode(member)
  return { sign: () => name(id), verify: (_job, _entry, { by, signature }) => new TextDecoder().decode(signature) === by }
}

/** A member of a virtual grid. */
export class GridMember {
  readonly id: MemberId
  readonly site: string
  readonly scheduler: Scheduler
  readonly workers: VirtualWorker[] = []
  readonly speed: number
  readonly accepts: boolean
  readonly lies: boolean
  readonly isSick: boolean
  readonly visits: boolean
  readonly takes: GridMemberOptions['takes']
  readonly joinedAt: Milliseconds
  goneAt: Milliseconds | undefined
  /** Members that this one sees. */
  readonly view = new Set<MemberId>()
  readonly ended = new Map<JobId, Entry | undefined>()
  /** Processor time that its workers computed, ms. */
  worked: Milliseconds = 0
  wakeAt: Milliseconds = Infinity
  /** Members that pronounced it dead, until it learns of that. */
  readonly heldDeadBy = new Set<MemberId>()
  /** Members that this one pronounced dead. It drops their messages. */
  readonly holdsDead = new Set<MemberId>()
  side = 0

  constructor(id: MemberId, options: GridMemberOptions, scheduler: Scheduler, joinedAt: Milliseconds) {
    this.id = id
    this.site = options.site
    this.speed = options.speed ?? 1
    this.accepts = options.accepts ?? true
    this.lies = options.lies ?? false
    this.isSick = options.isSick ?? false
    this.visits = options.visits ?? false
    this.takes = options.takes
    this.scheduler = scheduler
    this.joinedAt = joinedAt
  }

  get lives(): boolean {
    return this.goneAt === undefined
  }
}

/**
 * Schedulers on a virtual clock, with a network of latencies and a membership that detects joins,
 * deaths and partitions after a delay. It tests the behaviour of schedulers; the simulator tests
 * the membership itself.
 */
export class VirtualGrid {
  readonly members: GridMember[] = []
  /** The present visitors. There may be thousands in a day. */
  readonly visitors = new Map<MemberId, GridMember>()
  readonly events = new Events()
  /** How often each task was begun, and the cost of one execution, ms. */
  readonly runs = new Map<string, { count: number; cost: Milliseconds }>()
  readonly warnings: { readonly code: string; readonly message: string; readonly by: MemberId }[] = []
  messages = 0
  /** Processor time spent on each job, ms. */
  readonly worked = new Map<JobId, Milliseconds>()
  /** Called when a member begins a task. */
  onBegin: (member: GridMember, job: JobId, path: Path) => void = () => {}
  /** The time when the first member knew that a job is done. */
  readonly doneAt = new Map<JobId, Milliseconds>()
  readonly random: () => number
  readonly #options: GridOptions
  readonly #jobs = new Map<JobId, JobSpec>()
  #visits = 0
  readonly #streams = new Map<string, Milliseconds>()
  /** Bytes in transit per stream. */
  readonly #waiting = new Map<string, number>()
  /** The time when a broken stream is opened again. */
  readonly #brokenUntil = new Map<string, Milliseconds>()
  /** The longest extra time of a dial while many are under way, ms. */
  #dialling: Milliseconds = 0
  /** The time until which a border is busy, by site and direction. */
  readonly #borders = new Map<string, Milliseconds>()

  constructor(options: GridOptions) {
    this.#options = options
    this.random = createRandom(options.seed)
  }

  get now(): Milliseconds {
    return this.events.now
  }

  get living(): GridMember[] {
    return this.members.filter((member) => member.lives)
  }

  join(options: GridMemberOptions): GridMember {
    const number = this.members.length
    const id = `m${String(number).padStart(4, '0')}`
    const { workers = 1 } = options
    const member = this.#member(id, options, createRandom(this.#options.seed * 100_003 + number))
    for (let slot = 0; slot < workers; slot++) member.workers.push(this.#worker(member, slot))
    this.members.push(member)
    for (const other of this.living) {
      if (other === member) continue
      this.#sees(other, member, this.#delay(member, other) + this.random() * SPREAD)
      this.#sees(member, other, this.random() * SPREAD)
    }
    for (const { id: job } of this.#jobs.values()) {
      this.after(this.random() * SPREAD, () => {
        const spec = this.#jobs.get(job) as JobSpec
        const accepted = member.accepts && options.lacksInputs !== true
        const input = options.lacksInputs === true ? undefined : spec.input
        if (member.lives) this.#handle(member, { type: 'job', spec: { ...spec, input, fresh: false, accepted } })
      })
    }
    return member
  }

  /**
   * Adds a visitor, as a command is one. Members know it once it sends a message. It knows the jobs
   * that are submitted while it is present.
   */
  visit(site: string): GridMember {
    const id = `v${this.#visits++}`
    const visitor = this.#member(
      id,
      { site, workers: 0, accepts: false, visits: true },
      createRandom(hash52(id, this.#options.seed) % 2 ** 32),
    )
    this.visitors.set(id, visitor)
    for (const other of this.living) this.#sees(visitor, other, this.random() * SPREAD)
    return visitor
  }

  /** Expires or evicts the record of a job: all members forget the job. */
  expire(job: JobId): void {
    if (!this.#jobs.delete(job)) return
    for (const member of [...this.living, ...this.visitors.values()])
      this.after(this.random() * SPREAD, () => member.lives && this.#handle(member, { type: 'expired', job }))
  }

  submit(spec: Partial<JobSpec> & Pick<JobSpec, 'id' | 'input'>, from: GridMember = this.living[0] as GridMember): void {
    const job: JobSpec = { owner: 'owner', fn: 'tree', submitted: this.now, wish: 'run', accepted: true, fresh: true, ...spec }
    this.#jobs.set(job.id, job)
    for (const member of [...this.living, ...this.visitors.values()])
      this.events.at(this.now + this.#delay(from, member), () =>
        this.#handle(member, { type: 'job', spec: { ...job, accepted: member.accepts } }),
      )
  }

  /** Publishes a new version of a job's record, which reaches all living members. */
  wish(id: JobId, wish: JobSpec['wish'], from: GridMember = this.living[0] as GridMember): void {
    const spec = { ...(this.#jobs.get(id) as JobSpec), wish, fresh: false }
    this.#jobs.set(id, spec)
    for (const member of this.living) {
      const after = this.#delay(from, member) + this.random() * SPREAD
      this.after(after, () => member.lives && this.#handle(member, { type: 'job', spec: { ...spec, accepted: member.accepts } }))
    }
  }

  /** Requests a job's outcome at this member. */
  watch(member: GridMember, job: JobId): void {
    this.#handle(member, { type: 'watch', job })
  }

  /** Ends a member without notice, as SIGKILL does. */
  kill(member: GridMember): void {
    member.goneAt = this.now
    const [least, most] = this.#options.detection ?? [70, 190]
    for (const other of this.living) {
      const after = least + this.random() * (most - least) + this.#delay(member, other)
      this.events.at(this.now + after, () => this.#loses(other, member.id))
    }
  }

  leave(member: GridMember): void {
    this.#handle(member, { type: 'leave' })
    member.goneAt = this.now + 1
    this.visitors.delete(member.id)
    for (const other of this.living) this.events.at(this.now + 1 + this.#delay(member, other), () => this.#loses(other, member.id))
  }

  /** Cuts the members into two sides. They pronounce each other dead after a time. */
  cut(isOther: (member: GridMember) => boolean): void {
    for (const member of this.members) member.side = isOther(member) ? 1 : 0
    for (const [a, b] of this.#pairs()) {
      if (a.side !== b.side) this.events.at(this.now + 1000 + this.random() * 1000, () => a.side !== b.side && this.#loses(a, b.id))
    }
  }

  heal(): void {
    const pairs = this.#pairs().filter(([a, b]) => a.side !== b.side)
    for (const member of this.members) member.side = 0
    for (const [a, b] of pairs) this.events.at(this.now + 1000 + this.random() * 3000, () => this.#sees(a, b, 0))
  }

  /**
   * Heals as real members do. Each member re-enters once it learns that it was pronounced dead,
   * after up to `span` ms. Members that are back see one another. They pronounce dead the members
   * of their own half that are not back, and drop their messages. Meanwhile a stream takes up to
   * `dial` ms longer to open. Measured on two busy processors: `span` 10 s, `dial` 3 to 5 s.
   */
  healInWaves(span: Milliseconds, dial: Milliseconds): void {
    for (const member of this.members) member.side = 0
    for (const [a, b] of this.#pairs()) if (!a.view.has(b.id)) a.holdsDead.add(b.id)
    this.#dialling = dial
    this.after(2 * span, () => (this.#dialling = 0))
    const back = new Set<GridMember>()
    const lose = (member: GridMember, other: GridMember): void => {
      if (back.has(other)) return
      member.holdsDead.add(other.id)
      this.#loses(member, other.id)
    }
    const reenter = (member: GridMember): void => {
      member.heldDeadBy.clear()
      this.#handle(member, { type: 'reentered' })
      for (const other of back) {
        this.#sees(member, other, this.random() * SPREAD)
        this.#sees(other, member, this.random() * SPREAD)
      }
      back.add(member)
      for (const other of this.living) if (!back.has(other)) this.after((this.random() * span) / 4, () => lose(member, other))
    }
    for (const member of this.living) this.after(this.random() * span, () => member.lives && reenter(member))
  }

  /** Sends a message of a hostile member. */
  say(from: GridMember, to: MemberId, message: Message): void {
    this.#send(from, to, message)
  }

  /** Runs until `done` holds. Throws after `limit` ms of virtual time. */
  until(done: () => boolean, limit: Milliseconds): void {
    const end = this.now + limit
    while (!done()) {
      if (!this.events.step() || this.now > end) throw new Error(`it has not happened after ${Math.round(this.now)} ms of virtual time`)
    }
  }

  after(time: Milliseconds, action: () => void): void {
    this.events.at(this.now + time, action)
  }

  /** Runs until every member sees every other. */
  settle(): void {
    this.until(() => this.living.every(({ view }) => view.size === this.living.length - 1), 60_000)
  }

  /** False also if the latest member has not learned of the job. */
  isDoneEverywhere(job: JobId): boolean {
    return this.living.every(({ ended, takes }) => takes !== undefined || ended.has(job))
  }

  #pairs(): [GridMember, GridMember][] {
    return this.living.flatMap((a) => this.living.filter((b) => b !== a).map((b): [GridMember, GridMember] => [a, b]))
  }

  #member(id: MemberId, options: GridMemberOptions, random: () => number): GridMember {
    const { workers = 1, visits = false } = options
    const self = { id, location: `${id}@${options.site}`, visits, computes: workers > 0 }
    const { config = {}, tickets } = this.#options
    const scheduler = new Scheduler({ self, workers, random, config, signer: signerOf(id), ...(tickets && { tickets }) })
    return new GridMember(id, options, scheduler, this.now)
  }

  /** Undefined for a visitor that is gone. */
  #named(id: MemberId): GridMember | undefined {
    return id.startsWith('v') ? this.visitors.get(id) : this.members[Number(id.slice(1))]
  }

  #worker(member: GridMember, slot: number): VirtualWorker {
    return new VirtualWorker({
      slot,
      speed: member.speed,
      program: this.#options.program,
      later: (after, action) => this.events.at(this.now + after, () => member.lives && action()),
      tell: (input) => member.lives && this.#handle(member, input),
      says: (said) => (member.lies ? lieAbout(said, this.random) : said),
      isFit: () => !member.isSick,
      die: () => this.kill(member),
      random: this.random,
      ran: (job, path, cost) => {
        member.worked += cost
        this.worked.set(job, (this.worked.get(job) ?? 0) + cost)
        this.#count(job, path, cost)
      },
    })
  }

  #count(job: JobId, path: Path, cost: Milliseconds): void {
    const key = `${job} ${path}`
    const run = this.runs.get(key)
    if (run === undefined) this.runs.set(key, { count: 1, cost })
    else run.count++
  }

  #sees(member: GridMember, other: GridMember, after: Milliseconds): void {
    this.events.at(this.now + after, () => {
      if (member.lives && other.lives && member.side === other.side && !member.view.has(other.id)) this.#see(member, other)
    })
  }

  #see(member: GridMember, other: GridMember): void {
    member.view.add(other.id)
    member.holdsDead.delete(other.id)
    if (member.heldDeadBy.has(other.id)) {
      member.heldDeadBy.clear()
      this.#handle(member, { type: 'reentered' })
    }
    const computes = other.workers.length > 0
    this.#handle(member, {
      type: 'joined',
      member: { id: other.id, location: `${other.id}@${other.site}`, visits: other.visits, computes },
    })
  }

  #loses(member: GridMember, other: MemberId): void {
    if (!member.lives || !member.view.delete(other)) return
    this.#named(other)?.heldDeadBy.add(member.id)
    // Later messages need a new stream.
    this.#streams.delete(`${member.id} ${other}`)
    this.#streams.delete(`${other} ${member.id}`)
    this.#handle(member, { type: 'gone', id: other })
  }

  #delay(from: GridMember, to: GridMember): Milliseconds {
    return this.#options.latency(from.site, to.site)
  }

  #handle(member: GridMember, input: Input): void {
    if (member.takes !== undefined) return
    for (const effect of member.scheduler.handle(input, this.now)) this.#carryOut(member, effect)
  }

  #carryOut(member: GridMember, effect: Effect): void {
    switch (effect.type) {
      case 'send':
        this.#send(member, effect.to, effect.message)
        return
      case 'run':
      case 'deliver':
        if (effect.type === 'run') this.onBegin(member, effect.job, effect.task.path)
        // A worker never answers within the call that gives it work.
        this.events.at(this.now, () => member.lives && (member.workers[effect.slot] as VirtualWorker).take(effect))
        return
      case 'forget':
        ;(member.workers[effect.slot] as VirtualWorker).forget(effect.job, effect.path)
        return
      case 'timer':
        member.wakeAt = effect.at
        // Real timers also fire early, by a fraction of a millisecond.
        this.events.at(effect.at - this.now > 1 ? effect.at - this.random() / 2 : effect.at, () => {
          if (!member.lives || member.wakeAt !== effect.at) return
          member.wakeAt = Infinity
          this.#handle(member, { type: 'timer' })
        })
        return
      case 'ended':
        member.ended.set(effect.job, effect.entry)
        if (effect.entry !== undefined && !this.doneAt.has(effect.job)) this.doneAt.set(effect.job, this.now)
        return
      case 'warning':
        this.warnings.push({ ...effect, by: member.id })
        return
      case 'explained':
      case 'shared':
    }
  }

  #send(from: GridMember, id: MemberId, message: Message): void {
    this.messages++
    const to = this.#named(id)
    if (to === undefined) return
    const stream = `${from.id} ${id}`
    const bytes = 'entries' in message ? message.entries.reduce((sum, entry) => sum + entryBytes(entry), 0) : 0
    const waiting = (this.#waiting.get(stream) ?? 0) + bytes
    if (waiting > (this.#options.streamBytes ?? Infinity)) this.#brokenUntil.set(stream, this.now + REDIAL)
    if ((this.#brokenUntil.get(stream) ?? 0) > this.now) {
      this.events.at(this.now, () => from.lives && this.#handle(from, { type: 'unreached', id }))
      return
    }
    this.#waiting.set(stream, waiting)
    const way = this.#delay(from, to)
    const opened = this.#streams.get(stream)
    const dial = (this.#options.dial ?? 11) + (this.#dialling > 0 ? this.random() * this.#dialling : 0)
    const dialled = opened === undefined ? dial + 2 * way : 0
    // A message does not overtake an earlier one.
    const at = Math.max(this.#pass(from, to, message) + way + dialled, opened ?? 0)
    this.#streams.set(stream, at)
    // The other end answers on the same stream.
    if (opened === undefined && !this.#streams.has(`${id} ${from.id}`)) this.#streams.set(`${id} ${from.id}`, at)
    this.events.at(at, () => {
      this.#waiting.set(stream, (this.#waiting.get(stream) ?? 0) - bytes)
      if ((this.#brokenUntil.get(stream) ?? 0) > this.now) return
      if (!to.lives || from.side !== to.side || to.holdsDead.has(from.id)) return
      // The sender of a message is present.
      if (from.lives && !to.view.has(from.id)) this.#see(to, from)
      if (to.takes === undefined) this.#handle(to, { type: 'message', from: from.id, message })
      else to.takes(from.id, message)
    })
  }

  /** The time when a message has passed the borders of two sites. */
  #pass(from: GridMember, to: GridMember, message: Message): Milliseconds {
    const { border } = this.#options
    if (border === undefined || from.site === to.site) return this.now
    let at = this.now
    for (const [site, direction] of [
      [from.site, 'out'],
      [to.site, 'in'],
    ] as const) {
      const rate = border(site)
      if (rate === undefined) continue
      const key = `${site} ${direction}`
      at = Math.max(at, this.#borders.get(key) ?? 0) + toBytes(message).length / rate
      this.#borders.set(key, at)
    }
    return at
  }
}
