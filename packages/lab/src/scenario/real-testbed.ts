/**
 * Node processes on hosts that are network namespaces, behind the same interface for the runner of
 * a scenario as the simulator, with the same ground truth of reachability. `refusals.ts` rejects
 * unsupported scenarios beforehand.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateIdentity } from '@jel/overlay'
import type { AttackerOptions, AttackName } from '@jel/simulator/internals'
import { inCheckout } from '../base/paths.ts'
import { createRandom, type Command, type Notification } from '@jel/protocol'
import {
  Contact,
  EndedLives,
  Placement,
  Reachability,
  siteNames,
  type CutKind,
  type ExpectationType,
  type Place,
  type Scenario,
  type Testbed,
  type TestbedSpawn,
} from '@jel/simulator'
import type { LabHost } from '../network/host.ts'
import { LabNetwork, type Path } from '../network/network.ts'
import { runId } from '../network/namespaces.ts'
import { UnableError } from '../network/tools.ts'
import type { Line } from '../swarm/node-process.ts'
import { ProcessSwarm, type ProcessNode, type ProcessStart, type ProcessSwarmOptions, type Report } from '../swarm/process-swarm.ts'
import { distancesOf } from '../network/distances.ts'
import { attackersOf, joinsOf } from './joins.ts'
import { memberOf, RealNode, type RealNodeFields } from './real-node.ts'
import { UNABLE } from './refusals.ts'

/** Expectations about values that a node does not report. */
export const unseen: readonly ExpectationType[] = ['linksPerNode', 'dialsPerSecond']

/** Loss of a node's own packets above which it counts as cut off, as in the simulator. */
const USELESS_LOSS = 0.5

/** The program of an attacker. */
const HOSTILE = inCheckout('packages/lab/src/scenario/hostile-node.ts')
/** Keys of which an attacker takes the lowest. */
const HOSTILE_KEYS = 32

type Listener = Parameters<Testbed<RealNode>['subscribe']>[0]

export class RealTestbed implements Testbed<RealNode> {
  readonly seed: number
  readonly random: () => number
  readonly contact = new Contact()
  readonly nodes: RealNode[] = []
  readonly endedLives: EndedLives
  readonly network: LabNetwork
  readonly swarm: ProcessSwarm
  readonly #scenario: Scenario
  /** Index of the first host of attackers, and the number of attackers so far. */
  readonly #firstAttacker: number
  #attackers = 0
  readonly #reachability = new Reachability()
  readonly #byId = new Map<string, RealNode>()
  readonly #byProcess = new Map<ProcessNode, RealNode>()
  readonly #listeners: Listener[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  /** For identity files, as a node's id must be known before it starts. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'jel-scenario-'))
  readonly #identities: { readonly id: string; readonly file: string }[] = []
  readonly #failed = Promise.withResolvers<never>()
  /** The partitions so far. Times are Unix ms. */
  readonly partitions: { readonly from: number; to: number | undefined; readonly groups: readonly (readonly RealNode[])[] }[] = []
  #start = Date.now()
  #isShaping = false

  constructor(scenario: Scenario, seed: number, options: Pick<ProcessSwarmOptions, 'bin' | 'out'>) {
    this.#scenario = scenario
    this.seed = seed
    this.random = createRandom(seed)
    this.endedLives = new EndedLives(this.nodes, this.contact, this.#reachability)
    const sites = sitesOfMachines(scenario)
    this.#firstAttacker = sites.length
    this.network = new LabNetwork(sites.length + attackersOf(scenario), distancesOf(scenario), { sites, seed })
    const { bandwidth } = scenario.network
    const bits = bandwidth.machine ?? bandwidth.up ?? bandwidth.down
    if (bits !== undefined) for (const host of this.network.hosts) this.network.narrow(host, bits)
    this.swarm = new ProcessSwarm({
      ...options,
      name: `lab-${runId()}`,
      command: scenario.jobs.length > 0 ? 'work' : 'join',
      network: this.network,
      told: (report) => this.#told(report),
      lost: (process) => this.#lost(process),
    })
    // It may fail before anything waits for it.
    this.#failed.promise.catch(() => {})
  }

  /** Prepares the start. Resolves at the start of the scenario. */
  async prepare(): Promise<void> {
    const honest = this.#scenario.nodes + joinsOf(this.#scenario).length
    const all = honest + attackersOf(this.#scenario) * HOSTILE_KEYS
    for (let i = 0; i < all; i++) {
      const file = join(this.#folder, `${i}.json`)
      this.#identities.push({ file, id: await generateIdentity(file) })
    }
    // Attackers take the last ones, and the lowest of these.
    const theirs = this.#identities.splice(honest).sort((a, b) => (a.id < b.id ? 1 : -1))
    this.#identities.push(...theirs)
    await this.network.ready
    if (this.#scenario.network.loss > 0) this.#shape()
    this.#start = Date.now()
  }

  /** Lets time pass. Rejects with an error that occurs during that time. */
  async pass(ms: number): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.after(ms, resolve)), this.#failed.promise])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await this.swarm.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get now(): number {
    return Date.now() - this.#start
  }

  after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      try {
        action()
      } catch (error) {
        this.#failed.reject(error)
      }
    }, ms)
    this.#timers.add(timer)
  }

  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
  }

  spawn({ place, nat, introducer, location, onStarted }: TestbedSpawn<RealNode>): RealNode {
    const host = this.network.hosts[place.machine]
    const identity = this.#identities.shift()
    if (host === undefined || identity === undefined) throw new UnableError('no host is left for one more node')
    const { site } = place
    if (site !== undefined) this.network.locate(host, siteNames(this.#scenario).indexOf(site))
    if (nat) this.network.hide(host)
    const node = this.#add({ id: identity.id, host, place })
    // The first node makes the owner's key, and the others find it.
    const works = this.#scenario.jobs.length > 0 ? ['--workers', String(this.workersAt(site)), '--owner', join(this.#folder, 'owner')] : []
    const args = ['--location', location, '--identity', identity.file, ...works]
    this.#launch(node, introducer, { args }).then(onStarted, (error: unknown) => this.#failed.reject(error))
    return node
  }

  /**
   * The attacker has a host of its own. Its id is the lowest of all, so that it matters in
   * elections.
   */
  spawnAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: RealNode | undefined): RealNode {
    const host = this.network.hosts[this.#firstAttacker + this.#attackers++]
    const identity = this.#identities.pop()
    if (host === undefined || identity === undefined) throw new UnableError('no host is left for one more attacker')
    const place: Place = { machine: host.number - 1, rack: 0, site: undefined }
    const node = this.#add({ id: identity.id, host, place, honest: false })
    const args = ['--identity', identity.file, '--attack', JSON.stringify({ ...options, name })]
    this.#launch(node, introducer, { args, bin: HOSTILE }).catch((error: unknown) => this.#failed.reject(error))
    return node
  }

  #add(fields: Pick<RealNodeFields, 'id' | 'host' | 'place' | 'honest'>): RealNode {
    const { host } = fields
    const dialable = this.network.dialable(host)
    const node = new RealNode(
      { ...fields, index: this.nodes.length, dialable, startedAt: this.now, bytes: () => this.#bytes(host) },
      (process, command) => this.#carryOut(process, command),
    )
    this.nodes.push(node)
    this.#byId.set(node.id, node)
    return node
  }

  kill(node: RealNode): void {
    this.#end(node, 'SIGKILL')
  }

  leave(node: RealNode): void {
    node.leaves = true
    this.#end(node, 'SIGTERM')
  }

  stopProcess(node: RealNode): void {
    node.state = 'standing'
    this.#signal(node, 'SIGSTOP')
    this.#noteWorks(node)
  }

  continueProcess(node: RealNode): void {
    if (node.state !== 'standing') return
    node.state = 'running'
    this.#signal(node, 'SIGCONT')
    this.#noteWorks(node)
  }

  /** To all other nodes, a busy process looks like a stopped one. */
  stall(node: RealNode, ms: number): void {
    this.stopProcess(node)
    this.after(ms, () => this.continueProcess(node))
  }

  sleep(): never {
    throw new UnableError(UNABLE.sleep)
  }

  silence(node: RealNode, silent: boolean): void {
    node.endpoint.silent = silent
    this.#noteWorks(node)
    this.#shape()
  }

  changeAddress(): never {
    throw new UnableError(UNABLE.address)
  }

  impair(node: RealNode, { loss }: { readonly loss: number }): void {
    node.endpoint.loss = loss
    this.#noteWorks(node)
    this.#shape()
  }

  cut(from: RealNode, to: RealNode, kind: CutKind): void {
    this.#reachability.cut(from.endpoint, to.endpoint, kind)
    this.contact.path(from.endpoint, to.endpoint, false, this.now)
    this.#shape()
  }

  mend(from: RealNode, to: RealNode, kind: CutKind): void {
    this.#reachability.mend(from.endpoint, to.endpoint, kind)
    if (!this.#reachability.isCut(from.endpoint, to.endpoint)) this.contact.path(from.endpoint, to.endpoint, true, this.now)
    this.#shape()
  }

  partition(...groups: readonly (readonly RealNode[])[]): void {
    for (const node of this.nodes) node.endpoint.side = 0
    for (const [side, group] of groups.entries()) for (const node of group) node.endpoint.side = side
    for (const partition of this.partitions) partition.to ??= Date.now()
    if (groups.length > 1) this.partitions.push({ from: Date.now(), to: undefined, groups })
    this.#noteSides()
    this.#shape()
  }

  heal(): void {
    for (const partition of this.partitions) partition.to ??= Date.now()
    for (const node of this.nodes) node.endpoint.side = 0
    this.#noteSides()
    this.contact.mended(this.now)
    this.#reachability.mendAll()
    this.#shape()
  }

  /** Returns the first answer of the node; undefined if it gives none in this time, or ends. */
  async submit(node: RealNode, job: Readonly<Record<string, unknown>>, within: number): Promise<Line | undefined> {
    return node.process && (await this.swarm.ask(node.process, { command: 'submit', ...job }, within))
  }

  /** The same for the outcome of a job. */
  async resultOf(node: RealNode, job: string, within: number): Promise<Line | undefined> {
    return node.process && (await this.swarm.ask(node.process, { command: 'job', job, until: 'result' }, within))
  }

  /** Tasks that a node of the site runs at once. */
  workersAt(site: string | undefined): number {
    const { workers } = this.#scenario.compute
    return typeof workers === 'number' ? workers : ((site === undefined ? undefined : workers[site]) ?? 1)
  }

  /** The time of the node's last `joined` after this time, otherwise this time. Unix ms. */
  lastSaw(node: RealNode, after: number): number {
    const joins = this.swarm.reports.filter(({ by, event, time }) => by === node.process && event === 'joined' && time > after)
    return joins.at(-1)?.time ?? after
  }

  async #launch(node: RealNode, introducer: RealNode | undefined, start: Pick<ProcessStart, 'args' | 'bin'>): Promise<void> {
    await introducer?.isUp
    const env = { XDG_CACHE_HOME: this.#folder }
    const process = await this.swarm.startOne({ ...start, host: node.host, introducer: introducer?.process?.process.address, env })
    this.#byProcess.set(process, node)
    // An action may have ended or stopped it before its process was there.
    if (node.state === 'gone') this.swarm.signal(process, node.leaves ? 'SIGTERM' : 'SIGKILL')
    else if (node.state === 'standing') this.swarm.signal(process, 'SIGSTOP')
    node.started(process)
  }

  #end(node: RealNode, signal: 'SIGKILL' | 'SIGTERM'): void {
    node.state = 'gone'
    this.#signal(node, signal)
  }

  #signal({ process }: RealNode, signal: Parameters<ProcessSwarm['signal']>[1]): void {
    if (process !== undefined) this.swarm.signal(process, signal)
  }

  #lost(process: ProcessNode): void {
    const node = this.#byProcess.get(process)
    if (node !== undefined) node.state = 'gone'
  }

  #carryOut(process: ProcessNode, command: Command): void {
    if (!process.running) return
    if (command.type === 'elect') this.swarm.command(process, { command: 'elect', election: command.election })
    else if (command.type === 'withdraw') this.swarm.command(process, { command: 'withdraw', election: command.election })
    else if (command.type === 'maybeDead') this.swarm.command(process, { command: 'maybeDead', node: command.id })
    else throw new Error(`no scenario has ${command.type}`)
  }

  /** Handles a node's report about another one, or about itself. */
  #told({ by, event, about, incarnation, election, epoch }: Report): void {
    const { now } = this
    const observer = this.#byId.get(by.process.id)
    if (observer === undefined) return
    const member = memberOf(about, incarnation)
    if (event === 'joined') {
      const subject = this.#byId.get(about)
      if (subject === observer) observer.entered(incarnation)
      // The join of a later life also reports the end of the life before.
      else if (incarnation > 1) this.endedLives.told(observer, subject, memberOf(about, incarnation - 1), now)
    }
    if (event === 'died') this.endedLives.told(observer, this.#byId.get(about), member, now)
    const notification = notificationOf(event, member, election, epoch)
    if (notification !== undefined) for (const listener of this.#listeners) listener(observer, notification, now)
  }

  #noteWorks(node: RealNode): void {
    const { state, endpoint } = node
    this.contact.node(endpoint, state === 'running' && !endpoint.silent && endpoint.loss <= USELESS_LOSS, this.now)
  }

  #noteSides(): void {
    this.contact.split(
      this.nodes.map(({ endpoint }) => endpoint),
      this.now,
    )
  }

  /** Updates the hosts' firewalls after all events of this moment. */
  #shape(): void {
    if (this.#isShaping) return
    this.#isShaping = true
    queueMicrotask(() => {
      this.#isShaping = false
      const living = new Map(this.nodes.filter(({ state }) => state !== 'gone').map((node) => [node.host, node]))
      this.network.shape((from, to) => this.#pathOf(living.get(from), living.get(to), from === to))
    })
  }

  #pathOf(from: RealNode | undefined, to: RealNode | undefined, isWithin: boolean): Path {
    const kept = [this.#scenario.network.loss, from?.endpoint.loss ?? 0, isWithin ? 0 : (to?.endpoint.loss ?? 0)].reduce(
      (share, loss) => share * (1 - loss),
      1,
    )
    const isCut = from !== undefined && to !== undefined && !isWithin && !this.#reachability.reaches(from.endpoint, to.endpoint)
    return isCut ? { loss: 1, isRefused: this.#reachability.rejects(from.endpoint, to.endpoint) } : { loss: 1 - kept, isRefused: false }
  }

  /**
   * Bytes on a host's interfaces, divided by the number of its nodes: the counters are those of
   * hosts.
   */
  #bytes(host: LabHost): number {
    return this.network.bytes(host) / this.nodes.filter((node) => node.host === host).length
  }
}

function notificationOf(
  event: string,
  member: ReturnType<typeof memberOf>,
  election: string | undefined,
  epoch = 0,
): Notification | undefined {
  if (event === 'joined' || event === 'left' || event === 'died') return { type: event, member }
  return event === 'elected' && election !== undefined ? { type: 'elected', reign: { election, epoch, winner: member } } : undefined
}

/** The numbers of the sites of a scenario's machines, those of nodes that come later included. */
function sitesOfMachines(scenario: Scenario): number[] {
  const placement = new Placement(scenario)
  const sites: number[] = []
  const joins: { readonly site?: string }[] = [...Array.from({ length: scenario.nodes }, () => ({})), ...joinsOf(scenario)]
  for (const { site } of joins) {
    const place = placement.next(site)
    sites[place.machine] = place.site === undefined ? 0 : siteNames(scenario).indexOf(place.site)
  }
  return sites
}
