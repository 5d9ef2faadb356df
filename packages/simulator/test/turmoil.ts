import { createRandom, pickOne, type NodeId } from '@jel/protocol'
import { uniformDelay, type JelNode, type NetworkOptions, type Simulation, type SimulationOptions } from '../src/index.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

export interface TurmoilOptions {
  readonly seed: number
  readonly nodes: number
  /** The virtual time of the turmoil, ms. */
  readonly turmoil: number
  /** The virtual time allowed for all to agree again, ms. */
  readonly settle: number
  readonly network?: Partial<NetworkOptions>
  /** Options that replace the simulation's defaults. */
  readonly simulation?: Partial<SimulationOptions<JelNode>>
  /** The share of the nodes that can dial but can't be dialled, 0 to 1. */
  readonly undialable?: number
  /** Whether whole halves may be cut off from each other. */
  readonly partitions?: boolean
}

const election = 'master'

/**
 * Nodes come, go, crash, stop and are cut off at random. Then all disturbances end, and all nodes
 * must agree.
 */
export class Turmoil {
  readonly simulation: Simulation<JelNode>
  /** A log of all actions, for finding the cause of a failure. */
  readonly deeds: string[] = []
  readonly #options: TurmoilOptions
  readonly #random: () => number
  readonly #standing: PoolNode[] = []
  readonly #candidates = new Set<PoolNode>()
  #split = false

  constructor(options: TurmoilOptions) {
    this.#options = options
    this.#random = createRandom(options.seed ^ 0x7a11)
    this.simulation = simulatePool({
      seed: options.seed,
      network: { delay: uniformDelay(0.2, 20), ...options.network },
      ...options.simulation,
    })
  }

  get alive(): PoolNode[] {
    return this.simulation.nodes.filter(({ state }) => state !== 'gone')
  }

  /** Throws if a promise is broken, or if the nodes don't agree in the end. */
  run(): void {
    const first = this.simulation.spawn()
    for (let i = 1; i < this.#options.nodes; i++) this.#spawn([first])
    this.simulation.run(this.#random() * 5_000)
    while (this.simulation.now < this.#options.turmoil) {
      this.#act()
      this.simulation.run(this.#random() ** 3 * 6_000)
    }
    this.#calm()
    this.simulation.runUntil(() => this.disagreement() === undefined, this.#options.settle, 'agreement')
    this.simulation.run(15_000)
    const late = this.disagreement()
    if (late !== undefined) throw new Error(`seed ${this.#options.seed}: they agreed, and then no more: ${late}`)
  }

  /** Returns why the nodes don't agree, or undefined if they agree. */
  disagreement(): string | undefined {
    const { alive } = this
    const lives = (node: PoolNode): string =>
      node.protocol
        .members()
        .map(({ id, incarnation }) => `${id}#${incarnation}`)
        .join()
    const truth = alive
      .map((node) => node.id)
      .sort()
      .join()
    const [first] = alive
    if (first === undefined) return undefined
    for (const node of alive) {
      const members = node.protocol.members()
      const seen = members.map(({ id }) => id).join()
      if (seen !== truth) return `node ${node.index} sees ${members.length} of ${alive.length}`
      if (lives(node) !== lives(first)) return `nodes ${node.index} and ${first.index} see different lives`
    }
    const standing = [...this.#candidates].filter((node) => node.state !== 'gone')
    if (standing.length === 0) return undefined
    const reigns = alive.map((node) => node.protocol.reign(election))
    const winners = new Set(
      reigns.map((reign) => (reign === undefined ? 'nobody' : `${reign.winner.id}#${reign.winner.incarnation} ${reign.epoch}`)),
    )
    if (winners.size > 1) return `${winners.size} winners: ${[...winners].join(', ')}`
    if (!standing.some(({ id }) => id === reigns[0]?.winner.id)) return `${[...winners].join()} is no living candidate`
    return undefined
  }

  #act(): void {
    const { alive } = this
    const running = alive.filter(({ state }) => state === 'running')
    const node = pickOne(this.#random, running)
    if (node === undefined) return
    const { partitions = true, nodes } = this.#options
    const chance = this.#random()
    if (chance < 0.2 || running.length < nodes / 2) this.#spawn([node, ...running.slice(0, 1)])
    else if (chance < 0.35) this.#do('kill', node, () => this.simulation.kill(node))
    else if (chance < 0.5) this.#do('leave', node, () => this.simulation.leave(node))
    else if (chance < 0.6) this.#do('stall', node, () => this.simulation.stall(node, this.#random() * 8_000))
    else if (chance < 0.67) {
      this.#do('stop', node, () => this.simulation.stopProcess(node))
      this.#standing.push(node)
    } else if (chance < 0.74) {
      const woken = this.#standing.shift()
      if (woken !== undefined) this.#do('continue', woken, () => this.simulation.continueProcess(woken))
    } else if (chance < 0.8 && partitions) this.#partition(alive)
    else if (chance < 0.95) {
      this.#candidates.add(node)
      this.#do('elect', node, () => node.command({ type: 'elect', election }))
    } else {
      const other = pickOne(this.#random, running)
      if (other !== undefined) this.#do('suspect', other, () => node.command({ type: 'maybeDead', id: other.id }))
    }
  }

  #spawn(introducers: readonly PoolNode[]): void {
    const { undialable = 0 } = this.#options
    this.#note('spawn', this.simulation.spawn({ introducers, dialable: undialable === 0 || this.#random() >= undialable }))
  }

  #partition(alive: readonly PoolNode[]): void {
    if (this.#split) this.simulation.heal()
    else {
      const share = this.#random()
      const some = alive.filter(() => this.#random() < share)
      this.simulation.partition(
        alive.filter((node) => !some.includes(node)),
        some,
      )
    }
    this.#split = !this.#split
    this.deeds.push(`${this.simulation.now.toFixed(0)} ${this.#split ? 'partition' : 'heal'}`)
  }

  #calm(): void {
    for (const node of this.#standing) this.simulation.continueProcess(node)
    this.simulation.heal()
    this.deeds.push(`${this.simulation.now.toFixed(0)} calm`)
    // Nobody knows a node if all its introducers were away or dying when it entered. Only the local
    // network can find such a node.
    const known = this.#acquaintances()
    const [first, ...others] = this.alive
    for (const node of others) {
      const [address] = node.addresses
      if (first === undefined || address === undefined || known.has(node.id)) continue
      first.inject({ type: 'discovered', introducer: { id: node.id, address } })
      this.#note('discover', node)
    }
  }

  /**
   * Returns the nodes that are connected to the first node by knowledge of members, in either
   * direction and over any number of steps.
   */
  #acquaintances(): Set<NodeId> {
    const nodes = new Map(this.alive.map((node) => [node.id, node]))
    const known = new Set<NodeId>(this.alive.slice(0, 1).map(({ id }) => id))
    // Iteration over a set follows the order of insertion, and includes elements added meanwhile.
    for (const id of known) {
      for (const { notification } of nodes.get(id)?.news ?? []) {
        if (notification.type === 'joined' && nodes.has(notification.member.id)) known.add(notification.member.id)
      }
      for (const node of nodes.values()) {
        if (node.news.some(({ notification }) => notification.type === 'joined' && notification.member.id === id)) known.add(node.id)
      }
    }
    return known
  }

  #do(what: string, node: PoolNode, action: () => void): void {
    this.#note(what, node)
    action()
  }

  #note(what: string, node: PoolNode): void {
    this.deeds.push(`${this.simulation.now.toFixed(0)} ${what} ${node.index}`)
  }
}
