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

export interface GridOptions {
  readonly seed: number
  readonly program: VirtualProgram
  readonly config?: Partial<SchedulerConfig>
  /** Shares of owners at each member. */
  readonly tickets?: Tickets
  /** Time that a message takes between members of two sites, one way, ms. */
  readonly latency: (from: string, to: string) => Milliseconds
  /** How long a member is dead before others are told, from and to, ms. Measured: 70 to 190. */
  readonly detection?: readonly [Milliseconds, Milliseconds]
  /** Bytes of a stream's first message cost a dial besides: round trips and this time. Measured: 11 ms. */
  readonly dial?: Milliseconds
  /** Bytes of values that may wait for one stream; with more it breaks, and all in it is lost. Default: any number. */
  readonly streamBytes?: number
  /** Bytes a millisecond that pass a site's border, each way; undefined: any number. */
  readonly border?: (site: string) => number | undefined
}

export interface GridMemberOptions {
  readonly site: string
  readonly workers?: number
  readonly speed?: number
  /** Whether it runs the programs of jobs. Default: yes. */
  readonly accepts?: boolean
  /** Inputs of jobs that others submitted do not come to it: nobody has them any more. */
  readonly lacksInputs?: boolean
  /** It gives wrong values. */
  readonly lies?: boolean
  /** Its containers do not start. */
  readonly isSick?: boolean
  /** It is there for a moment: it runs nothing, keeps nothing, and says nothing of itself. */
  readonly visits?: boolean
  /** What it does with messages instead of what a scheduler does: it is hostile. */
  readonly takes?: (from: MemberId, message: Message) => void
}

/** News of a newcomer, and what it is told, come in any order within this time, ms. Measured: a record reaches all within that. */
const SPREAD = 200
/** A stream that broke is opened again after so long, ms. As of real ones. */
const REDIAL = 1000

/** Nobody writes another's name. */
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
  /** Processor time that its workers computed for, ms. */
  worked: Milliseconds = 0
  wakeAt: Milliseconds = Infinity
  /** Members that pronounced it dead, as long as it has not heard of that. */
  readonly heldDeadBy = new Set<MemberId>()
  /** Members whose messages this one does not take, as it pronounced them dead. */
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
 * Schedulers on a virtual clock, with a network of latencies and a membership that learns of joins, deaths and cuts after a time. It is there for what
 * the scheduler does; what membership itself does is the simulator's.
 */
export class VirtualGrid {
  readonly members: GridMember[] = []
  /** Those that are there now. There may be thousands in a day. */
  readonly visitors = new Map<MemberId, GridMember>()
  readonly events = new Events()
  /** How often each task was begun, and what one execution of it costs. */
  readonly runs = new Map<string, { count: number; cost: Milliseconds }>()
  readonly warnings: { readonly code: string; readonly message: string; readonly by: MemberId }[] = []
  messages = 0
  /** Processor time that was spent on a job, ms. */
  readonly worked = new Map<JobId, Milliseconds>()
  /** Called when a member begins a task. */
  onBegin: (member: GridMember, job: JobId, path: Path) => void = () => {}
  /** When a member first knew that a job is done. */
  readonly doneAt = new Map<JobId, Milliseconds>()
  readonly random: () => number
  readonly #options: GridOptions
  readonly #jobs = new Map<JobId, JobSpec>()
  #visits = 0
  readonly #streams = new Map<string, Milliseconds>()
  /** Bytes that are on their way on a stream. */
  readonly #waiting = new Map<string, number>()
  /** When a stream that broke is opened again. */
  readonly #brokenUntil = new Map<string, Milliseconds>()
  /** What a dial takes longer at most, while many are under way. */
  #dialling: Milliseconds = 0
  /** Until when borders are taken, by site and direction. */
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
   * Somebody comes for a moment, as a command does. The others know it once it speaks. It knows the
   * jobs that are submitted while it is there.
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

  /** A job's record made way, or its time is over: all forget the job. */
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

  /** A new version of a job's record, which all hear of that see its submitter. */
  wish(id: JobId, wish: JobSpec['wish'], from: GridMember = this.living[0] as GridMember): void {
    const spec = { ...(this.#jobs.get(id) as JobSpec), wish, fresh: false }
    this.#jobs.set(id, spec)
    for (const member of this.living) {
      const after = this.#delay(from, member) + this.random() * SPREAD
      this.after(after, () => member.lives && this.#handle(member, { type: 'job', spec: { ...spec, accepted: member.accepts } }))
    }
  }

  /** Somebody at this member asks for a job's outcome. */
  watch(member: GridMember, job: JobId): void {
    this.#handle(member, { type: 'watch', job })
  }

  /** As by SIGKILL. */
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

  /** Cuts the members into two sides, which pronounce each other dead after a time. */
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
   * Heals as real members do: each re-enters once it hears that it was pronounced dead, after up to `span` ms. Those that are back see one another; they pronounce dead whom their own half
   * has not got back yet, and take nothing from it. A stream takes up to `dial` ms to open meanwhile. Measured on two busy processors: 10 s, and 3 to 5 s.
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

  /** As a hostile member might. */
  say(from: GridMember, to: MemberId, message: Message): void {
    this.#send(from, to, message)
  }

  /** Runs until this holds. Throws after `limit` ms of virtual time. */
  until(done: () => boolean, limit: Milliseconds): void {
    const end = this.now + limit
    while (!done()) {
      if (!this.events.step() || this.now > end) throw new Error(`it has not happened after ${Math.round(this.now)} ms of virtual time`)
    }
  }

  after(time: Milliseconds, action: () => void): void {
    this.events.at(this.now + time, action)
  }

  /** Until everybody sees everybody. */
  settle(): void {
    this.until(() => this.living.every(({ view }) => view.size === this.living.length - 1), 60_000)
  }

  /** Who came last may not have heard of it yet: then it is not done there. */
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

  /** Undefined: a visitor that is gone. */
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
    // What is said to it later takes another one.
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
        // Real ones come early, too, by the fraction of a millisecond.
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
    // One message does not overtake another.
    const at = Math.max(this.#pass(from, to, message) + way + dialled, opened ?? 0)
    this.#streams.set(stream, at)
    // The other end answers on the same stream.
    if (opened === undefined && !this.#streams.has(`${id} ${from.id}`)) this.#streams.set(`${id} ${from.id}`, at)
    this.events.at(at, () => {
      this.#waiting.set(stream, (this.#waiting.get(stream) ?? 0) - bytes)
      if ((this.#brokenUntil.get(stream) ?? 0) > this.now) return
      if (!to.lives || from.side !== to.side || to.holdsDead.has(from.id)) return
      // Who speaks is there.
      if (from.lives && !to.view.has(from.id)) this.#see(to, from)
      if (to.takes === undefined) this.#handle(to, { type: 'message', from: from.id, message })
      else to.takes(from.id, message)
    })
  }

  /** When a message has passed the borders between two sites. */
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
