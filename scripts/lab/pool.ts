/** The nodes of one pool on the laboratory's hosts, and what each of them believes. */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../driver/child.ts'
import { startNode, type Line, type NodeProcess } from '../driver/node-process.ts'
import type { LabHost } from './host.ts'
import type { LabNetwork } from './network.ts'
import { runId } from './namespaces.ts'

export interface Reign {
  readonly winner: string
  readonly epoch: number
}

/** A node as the laboratory sees it. */
export interface LabNode {
  /** From 0, in order of start. */
  readonly index: number
  readonly host: LabHost
  readonly process: NodeProcess
  /** Those that it reports to be in the pool: ids, and where they can be reached. */
  readonly view: Map<string, readonly string[]>
  readonly reigns: Map<string, Reign>
  running: boolean
}

/** Something a node said about another one. */
export interface Report {
  /** By the laboratory's clock, Unix milliseconds. */
  readonly time: number
  readonly by: LabNode
  readonly event: string
  readonly about: string
  readonly incarnation: number
  readonly election?: string
  readonly epoch?: number
}

export interface PoolOptions {
  readonly bin: string
  /** Folder for what each node says. */
  readonly out: string | undefined
  readonly env?: (host: LabHost) => Readonly<Record<string, string>>
}

export class LabPool {
  readonly nodes: LabNode[] = []
  readonly reports: Report[] = []
  readonly complaints: string[] = []
  /** Nodes that ended although nobody asked them to. */
  lost = 0
  readonly #network: LabNetwork
  readonly #options: PoolOptions
  readonly #name = `lab-${runId()}`
  readonly #byId = new Map<string, LabNode>()
  readonly #early = new Map<string, Line[]>()
  readonly #logs: WriteStream[] = []
  #started = 0

  constructor(network: LabNetwork, options: PoolOptions) {
    this.#network = network
    this.#options = options
    if (options.out !== undefined) mkdirSync(options.out, { recursive: true })
  }

  get running(): LabNode[] {
    return this.nodes.filter(({ running }) => running)
  }

  node(id: string): LabNode | undefined {
    return this.#byId.get(id)
  }

  /** Starts nodes on a host at once; all know the first node that they can dial, and wait for nobody else. */
  start(host: LabHost, count: number, args: readonly string[] = []): Promise<LabNode[]> {
    const introducer = this.running.find((node) => this.#network.mayDial(host, node.host))?.process.address
    return Promise.all(Array.from({ length: count }, () => this.#startOne(host, introducer, args)))
  }

  /** Waits until a condition of the whole pool holds; the time at which it did, or undefined. Looks `every` milliseconds. */
  async until(condition: () => boolean, timeout: number, every = 50): Promise<number | undefined> {
    const deadline = Date.now() + timeout
    while (!condition()) {
      if (Date.now() > deadline) return undefined
      await sleep(every)
    }
    return Date.now()
  }

  /** All of these see all of them and nobody else. */
  agree(nodes: readonly LabNode[] = this.running): boolean {
    return nodes.every(({ view }) => view.size === nodes.length && nodes.every(({ process }) => view.has(process.id)))
  }

  /** The winner that all of these name, and who is one of them. */
  winner(election: string, nodes: readonly LabNode[] = this.running): Reign | undefined {
    const first = nodes[0]?.reigns.get(election)
    const one = nodes.every(({ reigns }) => {
      const reign = reigns.get(election)
      return reign?.winner === first?.winner && reign?.epoch === first?.epoch
    })
    return one && nodes.some(({ process }) => process.id === first?.winner) ? first : undefined
  }

  signal(node: LabNode, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM'): void {
    if (signal === 'SIGKILL' || signal === 'SIGTERM') node.running = false
    node.process.child.kill(signal)
  }

  command(node: LabNode, command: Readonly<Record<string, unknown>>): void {
    node.process.child.stdin.write(`${JSON.stringify(command)}\n`)
  }

  async stop(): Promise<void> {
    const running = this.running
    for (const node of running) node.running = false
    await Promise.all(running.map(({ process }) => end(process.child, 5_000)))
    for (const log of this.#logs) log.end()
  }

  async #startOne(host: LabHost, introducer: string | undefined, args: readonly string[]): Promise<LabNode> {
    const { bin, out, env } = this.#options
    const index = this.#started++
    const log = out === undefined ? undefined : createWriteStream(join(out, `node-${index}.jsonl`))
    if (log !== undefined) this.#logs.push(log)
    const process = await startNode(
      {
        bin,
        pool: this.#name,
        args: ['--location', `node${index}@host${host.number}`, ...(introducer === undefined ? [] : ['--bootstrap', introducer]), ...args],
        within: this.#network.within(host),
        ...(env && { env: env(host) }),
      },
      {
        line: (id, line) => {
          log?.write(`${JSON.stringify(line)}\n`)
          this.#take(id, line)
        },
        complaint: (_, text) => this.complaints.push(`node ${index}: ${text}`),
        ended: (id, how) => {
          const node = this.#byId.get(id)
          if (node?.running !== true) return
          node.running = false
          this.lost++
          this.complaints.push(`node ${index} ended by itself with ${how}`)
        },
      },
    )
    const node: LabNode = { index, host, process, view: new Map(), reigns: new Map(), running: true }
    this.#byId.set(process.id, node)
    this.nodes.push(node)
    for (const line of this.#early.get(process.id) ?? []) this.#note(node, line)
    this.#early.delete(process.id)
    return node
  }

  #take(id: string, line: Line): void {
    const node = this.#byId.get(id)
    if (node !== undefined) this.#note(node, line)
    // Between "started" and the moment in which whoever waits for it goes on.
    else this.#early.set(id, [...(this.#early.get(id) ?? []), line])
  }

  #note(node: LabNode, line: Line): void {
    if (line.event === 'error') this.complaints.push(`node ${node.index}: ${line.message ?? 'error'}`)
    if (line.node === undefined || line.event === 'started') return
    const about = line.node.id
    if (line.event === 'joined') node.view.set(about, line.node.addresses)
    else if (line.event === 'left' || line.event === 'died') node.view.delete(about)
    else if (line.event === 'elected' && line.election !== undefined) {
      node.reigns.set(line.election, { winner: about, epoch: line.epoch ?? 0 })
    }
    const { event, election, epoch } = line
    this.reports.push({
      time: Date.now(),
      by: node,
      event,
      about,
      incarnation: line.node.incarnation,
      ...(election !== undefined && { election, epoch: epoch ?? 0 }),
    })
  }
}
