/** The agents of one contender on some hosts, and the deaths that they report. */
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm, type Report } from '../swarm/process-swarm.ts'
import type { Contender } from './contender.ts'
import { Endings } from './endings.ts'

/** Interval between checks of all views, ms. */
const LOOK = 5

export class Cluster {
  readonly swarm: ProcessSwarm
  /** Deaths reported of agents that were not ended, while {@link countsDeaths}. */
  falseDeaths = 0
  /** False where a death is no mistake: while hosts are cut apart. */
  countsDeaths = true
  /** Reported deaths of agents that were not ended, in every state of the network. */
  readonly endings = new Endings()
  readonly #contender: Contender
  readonly #network: LabNetwork
  readonly #hosts: readonly LabHost[]
  readonly #gone = new Set<string>()
  #started = 0

  constructor(contender: Contender, network: LabNetwork, hosts: readonly LabHost[], group: string) {
    const { bin, start } = contender
    this.swarm = new ProcessSwarm({ bin, name: group, network, ...(start && { start }), told: (report) => this.#hear(report) })
    this.#contender = contender
    this.#network = network
    this.#hosts = hosts
  }

  /**
   * Starts agents at once, spread over the hosts. All join through the first of the cluster.
   * Returns the times at which they reported that they had entered, by this process's clock.
   */
  start(count: number): Promise<number[]> {
    const introducer = this.swarm.running[0]?.process.address
    return Promise.all(Array.from({ length: count }, () => this.#startOne(introducer)))
  }

  /** Waits until the present agents see exactly each other. Returns that time, or Infinity. */
  async settled(timeout: number): Promise<number> {
    const agents = this.swarm.running
    return (await this.swarm.until(() => this.swarm.agree(agents), timeout, LOOK)) ?? Infinity
  }

  /** Returns `count` agents that are not the introducer. */
  some(count: number): ProcessNode[] {
    return this.swarm.running.slice(1).slice(-count)
  }

  /** Ends an agent by a signal. SIGINT makes both contenders leave gracefully. */
  end(agent: ProcessNode, signal: 'SIGKILL' | 'SIGINT'): void {
    this.#gone.add(agent.id)
    agent.signal(signal)
  }

  /** Bytes that hosts sent so far, headers included. */
  bytes(hosts = this.#hosts): number {
    return hosts.reduce((sum, host) => sum + this.#network.bytes(host), 0)
  }

  async #startOne(introducer: string | undefined): Promise<number> {
    const number = this.#started++
    const host = this.#hosts[number % this.#hosts.length]
    if (host === undefined) throw new Error('no host')
    await this.swarm.startOne({ host, introducer, args: this.#contender.args(host, number) })
    return Date.now()
  }

  #hear({ by, event, about }: Report): void {
    if (event !== 'died' || this.#gone.has(about)) return
    this.endings.note(by, about)
    if (this.countsDeaths) this.falseDeaths++
  }
}
