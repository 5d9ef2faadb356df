/**
 * A pool of separate `jel join --json` processes, as a user starts them. They run on this machine's
 * loopback, or on hosts that are network namespaces. The swarm records their output.
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, type WriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realTime, type Swarm, type SwarmSpawnOptions } from '@jel/conformance'
import { end } from '../base/child.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'
import { until } from '../base/wait.ts'
import { within, type LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import { ProcessNode, type Reign } from './process-node.ts'
import { Sightings } from './sightings.ts'
import { startNode, type Line, type StartNode } from './start-node.ts'

/** A node's report about another node or about itself. */
export interface Report {
  /** Time at which the swarm read the report, Unix ms. */
  readonly time: number
  readonly by: ProcessNode
  readonly event: string
  readonly about: string
  readonly incarnation: number
  readonly election?: string
  readonly epoch?: number
}

/** The network of a swarm: it can cut hosts from each other. */
export type SwarmNetwork = Pick<LabNetwork, 'part' | 'heal' | 'plug' | 'mayDial'> & { readonly hosts: readonly LabHost[] }

export interface ProcessSwarmOptions {
  readonly bin: string
  /** Default: `join`. */
  readonly command?: 'join' | 'work'
  /** The name of the pool. Must be different for each pool. */
  readonly name: string
  /** Flags of Node, such as `--cpu-prof`. */
  readonly flags?: readonly string[]
  /** The network of the hosts. Default: all nodes are on loopback. */
  readonly network?: SwarmNetwork
  /** Folder for each node's output. */
  readonly out?: string | undefined
  readonly env?: (host: LabHost | undefined) => Readonly<Record<string, string>>
  readonly told?: (report: Report) => void
  /** Starts one node. Default: with the command line of `jel`. */
  readonly start?: StartNode
  /** Called when a node has ended by itself. */
  readonly lost?: (node: ProcessNode) => void
}

export interface ProcessStart {
  readonly host?: LabHost
  /** Address of the introducer; undefined: the node founds a pool. */
  readonly introducer?: string | undefined
  /** Further arguments of `jel join`. */
  readonly args?: readonly string[]
  /** Additional variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A program to run instead of that of the swarm. It must take the same arguments. */
  readonly bin?: string
  /** Default: the command of the swarm. */
  readonly command?: 'join' | 'work'
  readonly identity?: string
  readonly control?: string
}

const LOOPBACK = ['--listen', '/ip4/127.0.0.1/tcp/0']

export class ProcessSwarm implements Swarm<ProcessNode> {
  readonly nodes: ProcessNode[] = []
  readonly reports: Report[] = []
  /**
   * Lines that the processes wrote to standard error, their `error` events, and their unexpected
   * ends.
   */
  readonly complaints: string[] = []
  /** Number of nodes that ended by themselves. */
  lost = 0
  readonly #options: ProcessSwarmOptions
  readonly #byId = new Map<string, ProcessNode>()
  readonly #logs: WriteStream[] = []
  readonly #sightings = new Sightings()
  readonly #silent = new Set<LabHost>()
  /** Folder of the files of spawned nodes. */
  #folder: string | undefined
  #started = 0

  constructor(options: ProcessSwarmOptions) {
    this.#options = options
    if (options.out !== undefined) mkdirSync(options.out, { recursive: true })
  }

  get running(): ProcessNode[] {
    return this.nodes.filter(({ running }) => running)
  }

  /** The ids of the running nodes. */
  get ids(): string[] {
    return this.running.map(({ process }) => process.id)
  }

  node(id: string): ProcessNode | undefined {
    return this.#byId.get(id)
  }

  /**
   * Starts a node with an identity file and a control socket of its own. With a network, nodes go
   * to its hosts in turn. A node with the identity of another node runs on that node's host.
   */
  async spawn({
    introducers = [],
    identityOf,
    location,
    tag,
    computes = false,
  }: SwarmSpawnOptions<ProcessNode> = {}): Promise<ProcessNode> {
    const folder = (this.#folder ??= mkdtempSync(join(tmpdir(), 'jel-swarm-')))
    const number = this.#started
    const hosts = this.#options.network?.hosts ?? []
    const host = identityOf?.place.host ?? hosts[number % hosts.length]
    return await this.startOne({
      ...(host && { host }),
      ...(computes && { command: 'work' }),
      identity: identityOf?.place.identity ?? join(folder, `${number}`),
      control: join(folder, `${number}.sock`),
      args: [
        ...introducers.flatMap((node) => ['--bootstrap', this.#introducer(node, host).process.address]),
        ...(location === undefined ? [] : ['--location', location]),
        ...(tag === undefined ? [] : ['--tag', new TextDecoder('utf-8', { fatal: true }).decode(tag)]),
        // The first node that computes makes the owner's key, and the others find that key.
        ...(computes ? ['--workers', '1', '--owner', join(folder, 'owner')] : []),
      ],
    })
  }

  /**
   * Returns the node through which a host enters: the given node if the host can dial it. If not,
   * it is the first running node that the host can dial. If there is none, it is the given node
   * again.
   */
  #introducer(node: ProcessNode, host: LabHost | undefined): ProcessNode {
    const mayDial = ({ place }: ProcessNode): boolean =>
      host === undefined || place.host === undefined || this.#options.network?.mayDial(host, place.host) !== false
    return mayDial(node) ? node : (this.running.find(mayDial) ?? node)
  }

  readonly within = realTime.within
  readonly pass = realTime.pass

  async partition(groups: readonly (readonly ProcessNode[])[]): Promise<void> {
    this.#network.part(...groups.map((group) => group.flatMap(({ place }) => place.host ?? [])))
  }

  async heal(): Promise<void> {
    this.#network.heal()
  }

  introduce(): Promise<void> {
    return Promise.reject(new Error("a swarm of processes can't introduce nodes to each other"))
  }

  async #silence(host: LabHost | undefined): Promise<void> {
    if (host === undefined) throw new Error("a swarm on loopback can't silence a node: that needs a network")
    this.#network.plug(host, 'down')
    this.#silent.add(host)
  }

  get #network(): SwarmNetwork {
    const { network } = this.#options
    if (network === undefined) throw new Error('a swarm on loopback has no network that it could cut')
    return network
  }

  /** Starts nodes at the same time. All join through the first running node that they can dial. */
  start(count: number, { host, args }: Omit<ProcessStart, 'introducer'> = {}): Promise<ProcessNode[]> {
    const { network } = this.#options
    const mayDial = (to: LabHost | undefined): boolean => host === undefined || to === undefined || network?.mayDial(host, to) !== false
    const introducer = this.running.find((node) => mayDial(node.place.host))?.process.address
    return Promise.all(Array.from({ length: count }, () => this.startOne({ ...(host && { host }), introducer, ...(args && { args }) })))
  }

  /** Starts one node. Resolves when it has entered. */
  async startOne({ host, introducer, args = [], env: own, identity, control, ...start }: ProcessStart): Promise<ProcessNode> {
    const { bin, command, name, flags, out, env, start: startThis = startNode } = this.#options
    const index = this.#started++
    const log = out === undefined ? undefined : createWriteStream(join(out, `node-${index}.jsonl`))
    if (log !== undefined) this.#logs.push(log)
    let node: ProcessNode | undefined = undefined
    /** Lines that came before the node's process was known. */
    const early: Line[] = []
    const process = await startThis(
      {
        bin,
        pool: name,
        ...(command && { command }),
        ...start,
        introducer,
        args: [
          ...(host === undefined ? LOOPBACK : []),
          ...(identity === undefined ? [] : ['--identity', identity]),
          ...(control === undefined ? [] : ['--control', control]),
          ...args,
        ],
        ...(flags && { flags }),
        ...(host && { within: within(host) }),
        env: { ...env?.(host), ...own },
      },
      {
        line: (_, line) => {
          log?.write(`${JSON.stringify(line)}\n`)
          if (node === undefined) early.push(line)
          else this.#note(node, line)
        },
        complaint: (text) => this.complaints.push(`node ${index}: ${text}`),
        ended: (_, how) => this.#exited(node, how),
      },
    )
    node = new ProcessNode(index, { host, identity, control, silence: () => this.#silence(host) }, process)
    this.#byId.set(process.id, node)
    this.nodes.push(node)
    for (const line of early) this.#note(node, line)
    return node
  }

  /**
   * Waits until a condition of the whole pool holds. Returns the time at which it held; undefined
   * if it does not hold within `timeout` ms. Checks it every `every` ms.
   */
  async until(condition: () => boolean, timeout: number, every = 50): Promise<number | undefined> {
    return (await until(condition, timeout, every)) ? Date.now() : undefined
  }

  /**
   * Returns the latest time at which a running node reported this event about one of `subjects`, by
   * the nodes' own clocks. Returns Infinity if a report is missing after `timeout` ms.
   */
  async knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number> {
    const answer = await this.#sightings.until({ observers: this.ids, type, subjects }, timeout)
    return Math.max(...answer.values())
  }

  /** Returns true if each of these nodes sees exactly these nodes. */
  agree(nodes: readonly ProcessNode[] = this.running): boolean {
    return nodes.every(({ view }) => view.size === nodes.length && nodes.every(({ process }) => view.has(process.id)))
  }

  /**
   * Returns the reign on which all running nodes agree. Its `time` is the time of the latest
   * report. Returns undefined if the nodes report different reigns, or if the winner does not run.
   */
  winner(election: string): Reign | undefined {
    const reigns = this.running.map((node) => node.reigns.get(election))
    const [first] = reigns
    const isOne = reigns.every((reign) => reign?.winner === first?.winner && reign?.epoch === first?.epoch)
    if (first === undefined || !isOne || this.node(first.winner)?.running !== true) return undefined
    return { ...first, time: Math.max(...reigns.map((reign) => reign?.time ?? 0)) }
  }

  /**
   * Counts wrong notifications: `deaths` of nodes that did not crash, and `repeats` of earlier
   * ones.
   */
  async wrongs(): Promise<{ readonly deaths: number; readonly repeats: number }> {
    const dead = new Set(this.nodes.flatMap(({ id, isDead }) => (isDead ? [id] : [])))
    return { deaths: this.#sightings.unexpected('died', dead), repeats: this.#sightings.repeats }
  }

  usage(): Usage {
    return usageOfAll(this.running.flatMap(({ process }) => process.child.pid ?? []))
  }

  async stop(): Promise<void> {
    const { running } = this
    for (const node of running) node.ends()
    await Promise.all(running.map(({ process }) => end(process.child, 10_000)))
    for (const log of this.#logs) log.end()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** Kills all processes, and ends all faults of the network. */
  async close(): Promise<void> {
    await Promise.all(this.running.map((node) => node.kill()))
    this.#options.network?.heal()
    for (const host of this.#silent) this.#network.plug(host, 'up')
    await this.stop()
  }

  #exited(node: ProcessNode | undefined, how: number | NodeJS.Signals | null): void {
    if (node?.running !== true) return
    node.ends()
    node.isDead = true
    this.lost++
    this.complaints.push(`node ${node.index} ended by itself with ${how}`)
    this.#options.lost?.(node)
  }

  #note(node: ProcessNode, line: Line): void {
    const { event, node: subject, election, epoch, time, message, re } = line
    if (event === 'error' && re === undefined) this.complaints.push(`node ${node.index}: ${message ?? 'error'}`)
    node.note(line)
    if (subject === undefined || event === 'started') return
    const { id: about, incarnation } = subject
    if (event !== 'updated' && event !== 'elected') this.#sightings.record(node.id, event, about, time)
    const report: Report = {
      time: Date.now(),
      by: node,
      event,
      about,
      incarnation,
      ...(election !== undefined && { election, epoch: epoch ?? 0 }),
    }
    this.reports.push(report)
    this.#options.told?.(report)
  }
}
