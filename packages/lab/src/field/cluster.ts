/**
 * The agents of one contender, and the times at which their views change. Times are the benchmark's
 * own, when it read the news.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import type { Agent, Contender, News } from './contender.ts'
import { Endings } from './endings.ts'

interface Watched extends Agent {
  readonly host: LabHost
  /** The agents that it believes to be in the group. */
  readonly view: Set<string>
}

/** Interval between checks of all views, ms. */
const LOOK = 5

export class Cluster {
  readonly agents = new Map<string, Watched>()
  /** Deaths reported of agents that were not killed, since {@link countDeaths}. */
  falseDeaths = 0
  /** Reported deaths of agents that were not ended, in every state of the network. */
  readonly endings = new Endings()
  readonly #contender: Contender
  readonly #network: LabNetwork
  readonly #hosts: readonly LabHost[]
  readonly #group: string
  readonly #gone = new Set<string>()
  #countsDeaths = true
  #started = 0

  constructor(contender: Contender, network: LabNetwork, hosts: readonly LabHost[], group: string) {
    this.#contender = contender
    this.#network = network
    this.#hosts = hosts
    this.#group = group
  }

  /** Starts agents at once, spread over the hosts. All join through the first of the cluster. */
  start(count: number): Promise<Agent[]> {
    const introducer = [...this.agents.values()][0]?.address
    return Promise.all(Array.from({ length: count }, () => this.#startOne(introducer)))
  }

  /** Waits until all running agents see exactly each other. Returns that time, or Infinity. */
  async settled(timeout: number, agents = [...this.agents.values()]): Promise<number> {
    const deadline = Date.now() + timeout
    const names = agents.map(({ name }) => name)
    while (!agents.every(({ view }) => view.size === names.length && names.every((name) => view.has(name)))) {
      if (Date.now() > deadline) return Infinity
      await sleep(LOOK)
    }
    return Date.now()
  }

  on(host: LabHost): Watched[] {
    return [...this.agents.values()].filter((agent) => agent.host === host)
  }

  /** Returns `count` agents that are not the introducer. */
  some(count: number): Watched[] {
    return [...this.agents.values()].slice(1).slice(-count)
  }

  /** Ends an agent by a signal. SIGINT makes both contenders leave gracefully. */
  end(agent: Agent, signal: 'SIGKILL' | 'SIGINT'): void {
    this.#gone.add(agent.name)
    this.agents.delete(agent.name)
    agent.child.kill(signal)
  }

  /** Switches the counting of false deaths: a death is no mistake while hosts are cut apart. */
  countDeaths(counts: boolean): void {
    this.#countsDeaths = counts
  }

  usage(): Usage {
    return usageOfAll([...this.agents.values()].flatMap(({ child }) => child.pid ?? []))
  }

  /** Bytes that hosts sent so far, headers included. */
  bytes(hosts = this.#hosts): number {
    return hosts.reduce((sum, host) => sum + this.#network.bytes(host), 0)
  }

  async stop(): Promise<void> {
    const children = [...this.agents.values()].map(({ child }) => child)
    this.agents.clear()
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map((child) => end(child, 1_000)))
  }

  async #startOne(introducer: string | undefined): Promise<Agent> {
    const number = this.#started++
    const host = this.#hosts[number % this.#hosts.length]
    if (host === undefined) throw new Error('no host')
    const view = new Set<string>()
    const place = { network: this.#network, host, number, group: this.#group }
    const agent = await this.#contender.start(place, introducer, (news) => this.#hear(view, news))
    const watched = { ...agent, host, view }
    this.agents.set(agent.name, watched)
    return agent
  }

  #hear(view: Set<string>, { type, about }: News): void {
    if (type === 'joined') view.add(about)
    else view.delete(about)
    if (type !== 'died' || this.#gone.has(about)) return
    this.endings.note(view, about)
    if (this.#countsDeaths) this.falseDeaths++
  }
}
