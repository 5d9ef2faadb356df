/**
 * Runs node processes on hosts that are network namespaces. It implements the interface that the
 * runner of a scenario also uses for the simulator. It uses the simulator's model of reachability
 * as the ground truth. `refusals.ts` rejects unsupported scenarios in advance.
 */
import { join } from 'node:path'
import { createRandom } from '@jel/protocol'
import {
  EndedLives,
  siteNames,
  type Contact,
  type CutKind,
  type ExpectationType,
  type Place,
  type Scenario,
  type StartOptions,
  type Testbed,
} from '@jel/simulator'
import type { AttackerOptions, AttackName } from '@jel/simulator/internals'
import { inCheckout } from '../base/paths.ts'
import { distancesOf } from '../network/distances.ts'
import type { LabHost } from '../network/host.ts'
import { LabNetwork } from '../network/network.ts'
import { runId } from '../network/namespaces.ts'
import { UnableError } from '../network/tools.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm, type ProcessStart, type ProcessSwarmOptions } from '../swarm/process-swarm.ts'
import { Identities } from './identities.ts'
import { attackersOf, joinsOf, sitesOfMachines } from './joins.ts'
import { RealNode, type RealNodeFields } from './real-node.ts'
import { RealPaths } from './real-paths.ts'
import { RealReports, type Listener } from './real-reports.ts'
import { UNABLE } from './refusals.ts'

/** Expectations that real nodes can't check, because nodes do not report these values. */
export const unseen: readonly ExpectationType[] = ['linksPerNode', 'dialsPerSecond']

/** The program of an attacker. */
const HOSTILE = inCheckout('packages/lab/src/scenario/hostile-node.ts')
export class RealTestbed implements Testbed<RealNode> {
  readonly seed: number
  readonly random: () => number
  readonly nodes: RealNode[] = []
  readonly endedLives: EndedLives
  readonly network: LabNetwork
  readonly swarm: ProcessSwarm
  readonly paths: RealPaths
  readonly #scenario: Scenario
  /** The index of the first host for attackers. */
  readonly #firstAttacker: number
  /** The number of attackers so far. */
  #attackers = 0
  readonly #reports: RealReports
  readonly #byProcess = new Map<ProcessNode, RealNode>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #folder: string
  readonly #identities: Identities
  readonly #failed = Promise.withResolvers<never>()
  #start = Date.now()

  /** `folder`: the folder for keys and caches. */
  constructor(
    scenario: Scenario,
    seed: number,
    { folder, ...options }: Pick<ProcessSwarmOptions, 'bin' | 'out'> & { readonly folder: string },
  ) {
    this.#scenario = scenario
    this.#folder = folder
    this.#identities = new Identities(folder)
    this.seed = seed
    this.random = createRandom(seed)
    const sites = sitesOfMachines(scenario)
    this.#firstAttacker = sites.length
    this.network = new LabNetwork(sites.length + attackersOf(scenario), distancesOf(scenario), { sites, seed })
    const { bandwidth, loss } = scenario.network
    this.paths = new RealPaths({ nodes: this.nodes, network: this.network, loss, now: () => this.now })
    this.endedLives = new EndedLives(this.nodes, this.contact, this.paths.reachability)
    this.#reports = new RealReports(this.endedLives)
    const bits = bandwidth.machine ?? bandwidth.up ?? bandwidth.down
    if (bits !== undefined) for (const host of this.network.hosts) this.network.narrow(host, bits)
    this.swarm = new ProcessSwarm({
      ...options,
      name: `lab-${runId()}`,
      command: scenario.jobs.length > 0 ? 'work' : 'join',
      network: this.network,
      told: (report) => this.#reports.take(report, this.now),
      lost: (process) => this.#lost(process),
    })
    // The promise may reject before anything waits for it.
    this.#failed.promise.catch(() => {})
  }

  /** Prepares identities and network. Resolves at the start of the scenario. */
  async prepare(): Promise<void> {
    const scenario = this.#scenario
    await this.#identities.prepare(scenario.nodes + joinsOf(scenario).length, attackersOf(scenario))
    await this.network.ready
    if (scenario.network.loss > 0) this.paths.changed()
    this.#start = Date.now()
  }

  /** Waits for `ms`. Rejects if an action has failed, before this call or during that time. */
  async pass(ms: number): Promise<void> {
    await Promise.race([new Promise<void>((resolve) => this.after(ms, resolve)), this.#failed.promise])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await this.swarm.stop()
  }

  get contact(): Contact {
    return this.paths.contact
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
    this.#reports.subscribe(listener)
  }

  start({ place, nat, introducer, location, onStarted }: StartOptions<RealNode>): RealNode {
    const host = this.network.hosts[place.machine]
    if (host === undefined) throw new UnableError('no host is left for one more node')
    const identity = this.#identities.take()
    const { site } = place
    if (site !== undefined) this.network.locate(host, siteNames(this.#scenario).indexOf(site))
    if (nat) this.network.hide(host)
    const node = this.#add({ id: identity.id, host, place })
    // The first node makes the owner's key, and the others find that key.
    const works = this.#scenario.jobs.length > 0 ? ['--workers', String(this.workersAt(site)), '--owner', join(this.#folder, 'owner')] : []
    const args = ['--location', location, '--identity', identity.file, ...works]
    this.#launch(node, introducer, { args }).then(onStarted, (error: unknown) => this.#failed.reject(error))
    return node
  }

  /** Starts an attacker on a host of its own. */
  startAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: RealNode | undefined): RealNode {
    const host = this.network.hosts[this.#firstAttacker + this.#attackers++]
    if (host === undefined) throw new UnableError('no host is left for one more attacker')
    const identity = this.#identities.take({ hostile: true })
    const place: Place = { machine: host.number - 1, rack: 0, site: undefined }
    const node = this.#add({ id: identity.id, host, place, honest: false })
    const args = ['--identity', identity.file, '--attack', JSON.stringify({ ...options, name })]
    this.#launch(node, introducer, { args, bin: HOSTILE }).catch((error: unknown) => this.#failed.reject(error))
    return node
  }

  #add(fields: Pick<RealNodeFields, 'id' | 'host' | 'place' | 'honest'>): RealNode {
    const { host } = fields
    const dialable = this.network.dialable(host)
    const node = new RealNode({ ...fields, index: this.nodes.length, dialable, startedAt: this.now, bytes: () => this.#bytes(host) })
    this.nodes.push(node)
    this.#reports.add(node)
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
    node.process?.send('SIGSTOP')
    this.paths.noteWorks(node)
  }

  continueProcess(node: RealNode): void {
    if (node.state !== 'standing') return
    node.state = 'running'
    node.process?.send('SIGCONT')
    this.paths.noteWorks(node)
  }

  /**
   * Stops the process for `ms`. Other nodes can't distinguish a stopped process from a busy one.
   */
  stall(node: RealNode, ms: number): void {
    this.stopProcess(node)
    this.after(ms, () => this.continueProcess(node))
  }

  sleep(): never {
    throw new UnableError(UNABLE.sleep)
  }

  changeAddress(): never {
    throw new UnableError(UNABLE.address)
  }

  readonly silence = (node: RealNode, silent: boolean): void => this.paths.silence(node, silent)
  readonly impair = (node: RealNode, line: { readonly loss: number }): void => this.paths.impair(node, line)
  readonly cut = (from: RealNode, to: RealNode, kind: CutKind): void => this.paths.cut(from, to, kind)
  readonly mend = (from: RealNode, to: RealNode, kind: CutKind): void => this.paths.mend(from, to, kind)
  readonly partition = (...groups: readonly (readonly RealNode[])[]): void => this.paths.partition(groups)
  readonly heal = (): void => this.paths.heal()

  /** Returns the number of tasks that a node of the site runs at once. */
  workersAt(site: string | undefined): number {
    const { workers } = this.#scenario.compute
    return typeof workers === 'number' ? workers : ((site === undefined ? undefined : workers[site]) ?? 1)
  }

  async #launch(node: RealNode, introducer: RealNode | undefined, start: Pick<ProcessStart, 'args' | 'bin'>): Promise<void> {
    await introducer?.isUp
    const env = { XDG_CACHE_HOME: this.#folder }
    const process = await this.swarm.startOne({ ...start, host: node.host, introducer: introducer?.process?.process.address, env })
    this.#byProcess.set(process, node)
    // An action may have ended or stopped the node before its process had started.
    if (node.state === 'gone') process.send(node.leaves ? 'SIGTERM' : 'SIGKILL')
    else if (node.state === 'standing') process.send('SIGSTOP')
    node.started(process)
  }

  #end(node: RealNode, signal: 'SIGKILL' | 'SIGTERM'): void {
    node.state = 'gone'
    node.process?.send(signal)
  }

  #lost(process: ProcessNode): void {
    const node = this.#byProcess.get(process)
    if (node !== undefined) node.state = 'gone'
  }

  /**
   * Returns the bytes on a host's interfaces, divided by the number of its nodes, because the
   * counters are per host.
   */
  #bytes(host: LabHost): number {
    return this.network.bytes(host) / this.nodes.filter((node) => node.host === host).length
  }
}
