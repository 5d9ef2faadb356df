/** The agents of one contender on some hosts, and the deaths that the agents report. */
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
  /**
   * Reported deaths of agents that the experiment did not end, while {@link countsDeaths} is true.
   */
  falseDeaths = 0
  /** False while hosts are cut apart: then a reported death is no mistake. */
  countsDeaths = true
  /** Reported deaths of agents that the experiment did not end, in every state of the network. */
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
   * Starts agents at once, spread over the hosts. All join through the first agent of the cluster.
   * Returns the times of this process's clock at which the agents reported their entry.
   */
  start(count: number): Promise<number[]> {
    const introducer = this.swarm.running[0]?.process.address
    return Promise.all(Array.from({ length: count }, () => this.#startOne(introducer)))
  }

  /**
   * Waits until each running agent sees exactly the running agents. Returns the time at which that
   * holds; Infinity if it does not hold within `timeout` ms.
   */
  async settled(timeout: number): Promise<number> {
    const agents = this.swarm.running
    return (await this.swarm.until(() => this.swarm.agree(agents), timeout, LOOK)) ?? Infinity
  }

  /** Returns the last `count` running agents, never the introducer. */
  some(count: number): ProcessNode[] {
    return this.swarm.running.slice(1).slice(-count)
  }

  /** Ends an agent with a signal. SIGINT makes agents of both contenders leave gracefully. */
  end(agent: ProcessNode, signal: 'SIGKILL' | 'SIGINT'): void {
    this.#gone.add(agent.id)
    agent.send(signal)
  }

  /** Bytes that these hosts have sent so far, headers included. */
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
