import type { Effect, JobId, JobSpec, MemberId, Path } from '@jel/compute/internals'
import { createRandom, hash52, type Milliseconds } from '@jel/protocol'
import type { ComputeNode, JobObserver } from '../jobs/compute-node.ts'
import { MembershipOracle, SPREAD } from '../protocol/membership-oracle.ts'
import { OracleNode } from '../protocol/oracle-node.ts'
import type { Site } from '../network/site.ts'
import { Simulation } from '../simulation.ts'
import { GridMember, tagOf } from './grid-member.ts'
import type { GridMemberOptions, GridOptions } from './grid-options.ts'

const SITES: readonly Site[] = ['s', 's0', 's1', 's2', 's3'].map((name) => ({ name }))

/**
 * A simulation for tests of schedulers. An oracle announces the members, without the protocol.
 * Other simulations test the membership itself.
 */
export class VirtualGrid implements JobObserver {
  readonly members: GridMember[] = []
  /** The present clients. Clients that are gone are not kept, since thousands may come in a day. */
  readonly clients = new Map<MemberId, GridMember>()
  /** The number of executions of each task, and the cost of the first one, ms. */
  readonly runs = new Map<string, { count: number; cost: Milliseconds }>()
  readonly warnings: { readonly code: string; readonly message: string; readonly by: MemberId }[] = []
  messages = 0
  /** Processor time spent on each job, ms. */
  readonly worked = new Map<JobId, Milliseconds>()
  /** Called when a member begins a task. */
  onBegin: (member: GridMember, job: JobId, path: Path) => void = () => {}
  /** For each job, the time when the first member knew its end. */
  readonly doneAt = new Map<JobId, Milliseconds>()
  readonly random: () => number
  readonly options: GridOptions
  readonly #simulation: Simulation<OracleNode>
  readonly #membership: MembershipOracle
  readonly #jobs = new Map<JobId, JobSpec>()
  #clientCount = 0

  constructor(options: GridOptions) {
    this.options = options
    this.random = createRandom(options.seed)
    const { seed, latency, sites = SITES } = options
    const delays = sites.map(({ name }) => sites.map((other) => latency(name, other.name)))
    this.#simulation = new Simulation({
      seed,
      createProtocol: (parts) => new OracleNode(parts),
      network: { topology: { name: 'grid', sites, delays, jitter: 0 }, setupDelays: 2 },
      keepNews: false,
      checkPromises: false,
    })
    const delay = (from: MemberId, to: MemberId): Milliseconds =>
      this.#delay(this.#named(from) as GridMember, this.#named(to) as GridMember)
    this.#membership = new MembershipOracle(this.#simulation, this.random, delay)
  }

  get now(): Milliseconds {
    return this.#simulation.now
  }

  get living(): GridMember[] {
    return this.members.filter((member) => member.lives)
  }

  join(options: GridMemberOptions): GridMember {
    const number = this.members.length
    const id = `m${String(number).padStart(4, '0')}`
    const member = this.#enter(id, options, this.options.seed * 100_003 + number)
    this.members.push(member)
    this.#membership.joined(member.node)
    for (const { id: job } of this.#jobs.values()) {
      this.after(this.random() * SPREAD, () => {
        const spec = this.#jobs.get(job) as JobSpec
        const accepted = member.accepts && options.lacksInputs !== true
        const input = options.lacksInputs === true ? undefined : spec.input
        if (member.lives) member.feed({ type: 'job', spec: { ...spec, input, fresh: false, accepted } })
      })
    }
    return member
  }

  /**
   * Adds a client, such as a command. Members know the client once it sends a message. The client
   * knows the jobs that members submit while the client is present.
   */
  enterClient(site: string): GridMember {
    const id = `v${this.#clientCount++}`
    const options = { site, workers: 0, accepts: false, isClient: true }
    const client = this.#enter(id, options, hash52(id, this.options.seed) % 2 ** 32)
    this.clients.set(id, client)
    this.#membership.clientEntered(client.node)
    return client
  }

  submit(spec: Partial<JobSpec> & Pick<JobSpec, 'id' | 'input'>, from: GridMember = this.living[0] as GridMember): void {
    const job: JobSpec = {
      owner: 'owner',
      fn: 'tree',
      submitted: this.now,
      desired: 'run',
      trusted: false,
      accepted: true,
      fresh: true,
      ...spec,
    }
    this.#jobs.set(job.id, job)
    for (const member of [...this.living, ...this.clients.values()])
      this.after(this.#delay(from, member), () => member.feed({ type: 'job', spec: { ...job, accepted: member.accepts } }))
  }

  /** Publishes a new version of a job's record to all living members. */
  setDesired(id: JobId, desired: JobSpec['desired'], from: GridMember = this.living[0] as GridMember): void {
    const spec = { ...(this.#jobs.get(id) as JobSpec), desired, fresh: false }
    this.#jobs.set(id, spec)
    for (const member of this.living) {
      const after = this.#delay(from, member) + this.random() * SPREAD
      this.after(after, () => member.lives && member.feed({ type: 'job', spec: { ...spec, accepted: member.accepts } }))
    }
  }

  /** Expires or evicts the record of a job: all members forget the job. */
  expire(job: JobId): void {
    if (!this.#jobs.delete(job)) return
    for (const member of [...this.living, ...this.clients.values()])
      this.after(this.random() * SPREAD, () => member.lives && member.feed({ type: 'expired', job }))
  }

  /** Requests a job's outcome at this member. */
  watch(member: GridMember, job: JobId): void {
    member.feed({ type: 'watch', job })
  }

  /** Ends a member without notice, as SIGKILL does. */
  kill(member: GridMember): void {
    member.goneAt = this.now
    this.#simulation.kill(member.node)
    this.#membership.died(member.node)
  }

  leave(member: GridMember): void {
    member.saveAll()
    member.feed({ type: 'leave' })
    member.goneAt = this.now + 1
    this.#simulation.leave(member.node)
    this.#membership.left(member.node, 1)
    this.clients.delete(member.id)
  }

  /**
   * Cuts the members into two sides. Members of different sides pronounce each other dead after a
   * time.
   */
  cut(isOther: (member: GridMember) => boolean): void {
    this.#membership.cut(this.members.filter(isOther).map(({ node }) => node))
  }

  heal(): void {
    this.#membership.heal()
  }

  /**
   * Heals the cut as real members do, see {@link MembershipOracle.healInWaves}. Meanwhile each end
   * of a connection delays each packet by up to `lag` ms. So streams open slowly.
   */
  healInWaves(span: Milliseconds, lag: Milliseconds): void {
    const impair = (ms: Milliseconds): void => {
      for (const { node } of this.living) this.#simulation.impair(node, { lag: this.random() * ms })
    }
    impair(lag)
    this.after(2 * span, () => impair(0))
    this.#membership.healInWaves(span)
  }

  passes(from: MemberId, to: GridMember): boolean {
    const sender = this.#named(from)
    return sender === undefined || this.#membership.passes(sender.node, to.node)
  }

  /** Runs until `done` holds. Throws after `limit` ms of virtual time. */
  until(done: () => boolean, limit: Milliseconds): void {
    this.#simulation.runUntil(done, limit)
  }

  run(time: Milliseconds): void {
    this.#simulation.run(time)
  }

  after(time: Milliseconds, action: () => void): void {
    this.#simulation.after(time, action)
  }

  /** Runs until every member sees every other. */
  settle(): void {
    this.until(() => this.living.every(({ view }) => view.size === this.living.length - 1), 60_000)
  }

  /**
   * Returns true if every living member knows the end of the job. A hostile member counts as
   * knowing. A newcomer that does not know the job yet makes the result false.
   */
  isDoneEverywhere(job: JobId): boolean {
    return this.living.every(({ ended, takes }) => takes !== undefined || ended.has(job))
  }

  /** Returns undefined for a client that is gone. */
  #named(id: MemberId): GridMember | undefined {
    return id.startsWith('v') ? this.clients.get(id) : this.members[Number(id.slice(1))]
  }

  took(): void {}

  did(member: ComputeNode, effect: Effect): void {
    if (effect.type === 'send') this.messages++
    if (effect.type === 'run') this.onBegin(member as GridMember, effect.job, effect.task.path)
    if (effect.type === 'ended' && effect.entry !== undefined && !this.doneAt.has(effect.job)) this.doneAt.set(effect.job, this.now)
    if (effect.type === 'warning') this.warnings.push({ ...effect, by: member.id })
  }

  ran(_member: ComputeNode, job: JobId, path: Path, cost: Milliseconds): void {
    this.worked.set(job, (this.worked.get(job) ?? 0) + cost)
    const key = `${job} ${path}`
    const run = this.runs.get(key)
    if (run === undefined) this.runs.set(key, { count: 1, cost })
    else run.count++
  }

  #delay(from: GridMember, to: GridMember): Milliseconds {
    return this.options.latency(from.site, to.site)
  }

  #enter(id: MemberId, options: GridMemberOptions, seed: number): GridMember {
    const identity = { id, sign: () => new Uint8Array() }
    const node = this.#simulation.spawn({ identity, location: `${id}@${options.site}`, site: options.site, tag: tagOf(options) })
    return new GridMember(this, node, options, createRandom(seed))
  }
}
