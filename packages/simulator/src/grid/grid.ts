import type { JobId, JobSpec, MemberId, Message, Path, SchedulerConfig, Tickets } from '@jel/compute/internals'
import { createRandom, hash52, type Milliseconds } from '@jel/protocol'
import { VirtualClock } from '../engine/clock.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { GridMember, type GridMemberOptions, type GridWorld } from './grid-member.ts'
import { GridNetwork, type GridNetworkOptions } from './grid-network.ts'
import { MembershipOracle, SPREAD } from './membership-oracle.ts'

/** Options of a {@link VirtualGrid}. */
export interface GridOptions extends GridNetworkOptions {
  readonly seed: number
  readonly program: VirtualProgram
  readonly config?: Partial<SchedulerConfig>
  /** Shares of owners at each member. */
  readonly tickets?: Tickets
  /**
   * Time from a death until the other members detect it, from and to, ms. Default: 70 to 190
   * (measured).
   */
  readonly detection?: readonly [Milliseconds, Milliseconds]
}

/**
 * Schedulers on a virtual clock, whose membership an oracle knows. It tests the behaviour of
 * schedulers; a `Simulation` tests the membership itself.
 */
export class VirtualGrid {
  readonly members: GridMember[] = []
  /** The present visitors. There may be thousands in a day. */
  readonly visitors = new Map<MemberId, GridMember>()
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
  readonly #clock = new VirtualClock()
  readonly #options: GridOptions
  readonly #network: GridNetwork
  readonly #membership: MembershipOracle
  readonly #world: GridWorld
  readonly #jobs = new Map<JobId, JobSpec>()
  #visits = 0

  constructor(options: GridOptions) {
    this.#options = options
    this.random = createRandom(options.seed)
    this.#network = new GridNetwork(this.#clock, this.random, options, (from, to, message) => this.#deliver(from, to, message))
    this.#membership = new MembershipOracle(this.#clock, this.random, this.#network, {
      members: () => this.members,
      named: (id) => this.#named(id),
    })
    this.#world = {
      clock: this.#clock,
      random: this.random,
      program: options.program,
      config: options.config ?? {},
      tickets: options.tickets,
      send: (from, to, message) => this.say(from, to, message),
      kill: (member) => this.kill(member),
      begins: (member, job, path) => this.onBegin(member, job, path),
      ran: (_member, job, path, cost) => this.#count(job, path, cost),
      ended: (job, entry) => void (entry !== undefined && !this.doneAt.has(job) && this.doneAt.set(job, this.now)),
      warned: (member, warning) => this.warnings.push({ ...warning, by: member.id }),
    }
  }

  get now(): Milliseconds {
    return this.#clock.now
  }

  get living(): GridMember[] {
    return this.members.filter((member) => member.lives)
  }

  join(options: GridMemberOptions): GridMember {
    const number = this.members.length
    const id = `m${String(number).padStart(4, '0')}`
    const member = new GridMember(this.#world, id, options, createRandom(this.#options.seed * 100_003 + number))
    this.members.push(member)
    this.#membership.joined(member)
    for (const { id: job } of this.#jobs.values()) {
      this.after(this.random() * SPREAD, () => {
        const spec = this.#jobs.get(job) as JobSpec
        const accepted = member.accepts && options.lacksInputs !== true
        const input = options.lacksInputs === true ? undefined : spec.input
        if (member.lives) member.handle({ type: 'job', spec: { ...spec, input, fresh: false, accepted } })
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
    const options = { site, workers: 0, accepts: false, visits: true }
    const visitor = new GridMember(this.#world, id, options, createRandom(hash52(id, this.#options.seed) % 2 ** 32))
    this.visitors.set(id, visitor)
    this.#membership.visited(visitor)
    return visitor
  }

  submit(spec: Partial<JobSpec> & Pick<JobSpec, 'id' | 'input'>, from: GridMember = this.living[0] as GridMember): void {
    const job: JobSpec = { owner: 'owner', fn: 'tree', submitted: this.now, wish: 'run', accepted: true, fresh: true, ...spec }
    this.#jobs.set(job.id, job)
    for (const member of [...this.living, ...this.visitors.values()])
      this.after(this.#network.delay(from, member), () => member.handle({ type: 'job', spec: { ...job, accepted: member.accepts } }))
  }

  /** Publishes a new version of a job's record, which reaches all living members. */
  wish(id: JobId, wish: JobSpec['wish'], from: GridMember = this.living[0] as GridMember): void {
    const spec = { ...(this.#jobs.get(id) as JobSpec), wish, fresh: false }
    this.#jobs.set(id, spec)
    for (const member of this.living) {
      const after = this.#network.delay(from, member) + this.random() * SPREAD
      this.after(after, () => member.lives && member.handle({ type: 'job', spec: { ...spec, accepted: member.accepts } }))
    }
  }

  /** Expires or evicts the record of a job: all members forget the job. */
  expire(job: JobId): void {
    if (!this.#jobs.delete(job)) return
    for (const member of [...this.living, ...this.visitors.values()])
      this.after(this.random() * SPREAD, () => member.lives && member.handle({ type: 'expired', job }))
  }

  /** Requests a job's outcome at this member. */
  watch(member: GridMember, job: JobId): void {
    member.handle({ type: 'watch', job })
  }

  /** Ends a member without notice, as SIGKILL does. */
  kill(member: GridMember): void {
    member.goneAt = this.now
    this.#membership.died(member, this.#options.detection ?? [70, 190])
  }

  leave(member: GridMember): void {
    member.handle({ type: 'leave' })
    member.goneAt = this.now + 1
    this.visitors.delete(member.id)
    this.#membership.left(member, 1)
  }

  /** Cuts the members into two sides. They pronounce each other dead after a time. */
  cut(isOther: (member: GridMember) => boolean): void {
    this.#membership.cut(isOther)
  }

  heal(): void {
    this.#membership.heal()
  }

  /** Heals in the way of real members, see {@link MembershipOracle.healInWaves}. */
  healInWaves(span: Milliseconds, dial: Milliseconds): void {
    this.#membership.healInWaves(span, dial)
  }

  /** Sends a message. A visitor that is gone gets none. */
  say(from: GridMember, id: MemberId, message: Message): void {
    this.messages++
    const to = this.#named(id)
    if (to !== undefined) this.#network.send(from, to, message)
  }

  /** Runs until `done` holds. Throws after `limit` ms of virtual time. */
  until(done: () => boolean, limit: Milliseconds): void {
    const end = this.now + limit
    while (!done()) {
      if (!this.#clock.step(end)) throw new Error(`it has not happened after ${Math.round(this.now)} ms of virtual time`)
    }
  }

  /** Runs until nothing more is planned. */
  exhaust(): void {
    for (let next = this.#clock.nextTime; next !== undefined; next = this.#clock.nextTime) this.#clock.step(next)
  }

  after(time: Milliseconds, action: () => void): void {
    this.#clock.after(time, action)
  }

  /** Runs until every member sees every other. */
  settle(): void {
    this.until(() => this.living.every(({ view }) => view.size === this.living.length - 1), 60_000)
  }

  /** False also if the latest member has not learned of the job. */
  isDoneEverywhere(job: JobId): boolean {
    return this.living.every(({ ended, takes }) => takes !== undefined || ended.has(job))
  }

  /** Undefined for a visitor that is gone. */
  #named(id: MemberId): GridMember | undefined {
    return id.startsWith('v') ? this.visitors.get(id) : this.members[Number(id.slice(1))]
  }

  #count(job: JobId, path: Path, cost: Milliseconds): void {
    this.worked.set(job, (this.worked.get(job) ?? 0) + cost)
    const key = `${job} ${path}`
    const run = this.runs.get(key)
    if (run === undefined) this.runs.set(key, { count: 1, cost })
    else run.count++
  }

  #deliver(from: GridMember, to: GridMember, message: Message): void {
    if (!to.lives || from.side !== to.side || to.holdsDead.has(from.id)) return
    // The sender of a message is present.
    this.#membership.heard(to, from)
    to.receive(from.id, message)
  }
}
