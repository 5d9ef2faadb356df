/** Carries out a scenario on real hosts: places the nodes, starts them, and does what each step says. */
import { createRandom } from '@jel/protocol'
import { Placement, siteNames, type Action, type Place, type Scenario, type Targets } from '@jel/simulator'
import { distancesOf } from './distances.ts'
import { Fate, type Disturbance } from './fate.ts'
import type { LabHost } from './host.ts'
import { endedLives } from './lives.ts'
import { LabNetwork, type Cause } from './network.ts'
import { LabPool, type LabNode, type PoolOptions } from './pool.ts'
import { UNABLE } from './refusals.ts'
import { select } from './select.ts'
import { timelineOf, type Step } from './timeline.ts'
import { UnableError } from './tools.ts'

export class Stage {
  readonly scenario: Scenario
  readonly network: LabNetwork
  readonly pool: LabPool
  readonly fates = new Map<LabNode, Fate>()
  readonly #places: Place[] = []
  readonly #placement: Placement
  readonly random: () => number
  readonly #undo = new Map<string, () => void>()

  constructor(scenario: Scenario, seed: number, options: PoolOptions) {
    this.scenario = scenario
    this.#placement = new Placement(scenario)
    this.random = createRandom(seed)
    const places = planned(scenario)
    const sites = places.map(({ site }) => (site === undefined ? 0 : siteNames(scenario).indexOf(site)))
    this.network = new LabNetwork(places.length, distancesOf(scenario), { sites, seed })
    this.pool = new LabPool(this.network, options)
    const { loss, bandwidth } = scenario.network
    if (loss > 0) this.network.lose('network', this.network.hosts, this.network.hosts, loss)
    const bits = bandwidth.machine ?? bandwidth.up ?? bandwidth.down
    if (bits !== undefined) for (const host of this.network.hosts) this.network.narrow(host, bits)
  }

  /** Starts the next node. */
  async start(site?: string): Promise<LabNode> {
    const place = this.#placement.next(site)
    this.#places.push(place)
    const host = this.network.hosts[place.machine]
    if (host === undefined) throw new UnableError(`no host is left for one more node`)
    if (place.site !== undefined) this.network.locate(host, siteNames(this.scenario).indexOf(place.site))
    if (this.random() < this.scenario.network.nat && this.#places.length > 1) this.network.hide(host)
    const elections = Object.entries(this.scenario.elections).flatMap(([name, share]) => (this.random() < share ? ['--elect', name] : []))
    const [node] = await this.pool.start(host, 1, elections)
    if (node === undefined) throw new Error('no node was started')
    this.fates.set(node, new Fate())
    return node
  }

  fate(node: LabNode): Fate {
    const fate = this.fates.get(node)
    if (fate === undefined) throw new Error(`node ${node.index} is not of this stage`)
    return fate
  }

  /** Lives of running members that ended, whatever was done to the network. */
  endedLives(): string[] {
    return endedLives(this.pool.reports, (id) => {
      const node = this.pool.node(id)
      return node === undefined ? Infinity : this.fate(node).halted
    })
  }

  async perform({ action, key, phase }: Step): Promise<void> {
    if (phase === 'end') {
      this.#undo.get(key)?.()
      this.#undo.delete(key)
      return
    }
    const undo = await this.#begin(action)
    if (undo !== undefined) this.#undo.set(key, undo)
  }

  async #begin(action: Action): Promise<(() => void) | undefined> {
    const { network, pool } = this
    switch (action.type) {
      case 'kill':
        for (const node of this.#select(action.targets)) {
          this.fate(node).killed = Date.now()
          this.fate(node).halt(Date.now())
          pool.signal(node, 'SIGKILL')
        }
        return undefined
      case 'leave':
        for (const node of this.#select(action.targets)) {
          this.fate(node).halt(Date.now())
          pool.signal(node, 'SIGTERM')
        }
        return undefined
      case 'stop':
      // To everybody else, a process that is busy and one that is stopped are the same.
      case 'stall': {
        const nodes = this.#select(action.targets)
        const over = this.#disturb(action.type, nodes)
        for (const node of nodes) {
          this.fate(node).halt(Date.now())
          pool.signal(node, 'SIGSTOP')
        }
        return () => {
          for (const node of nodes) if (node.running) pool.signal(node, 'SIGCONT')
          over()
        }
      }
      case 'continue':
        for (const node of this.#select(action.targets)) pool.signal(node, 'SIGCONT')
        this.#settle(['stop', 'stall'], this.#select(action.targets))
        return undefined
      case 'silence':
        return this.#partFromOthers('silence', action.targets)
      case 'flap':
        return this.#partFromOthers('flap', action.targets)
      case 'restore':
        network.heal(['silence', 'loss'], this.#hosts(action.targets))
        this.#settle(['silence', 'loss'], this.#select(action.targets))
        return undefined
      case 'partition': {
        const sides = action.sides.map((side) => this.#hosts(side))
        const rest = network.hosts.filter((host) => !sides.flat().includes(host))
        return inTurn(network.part('partition', ...sides, rest), this.#disturb('partition', pool.running))
      }
      case 'heal':
        network.heal(['partition', 'cut', 'flap'])
        this.#settle(['partition', 'cut', 'flap'], pool.nodes)
        return undefined
      case 'cut':
        return this.#cut(action, this.#hosts(action.from), this.#hosts(action.to))
      case 'loss': {
        const hosts = this.#hosts(action.targets)
        const mend = [
          this.#disturb('loss', this.#on(hosts)),
          network.lose('loss', hosts, network.hosts, action.loss),
          network.lose(
            'loss',
            network.hosts.filter((host) => !hosts.includes(host)),
            hosts,
            action.loss,
          ),
        ]
        return inTurn(...mend)
      }
      case 'elect':
        for (const node of this.#select(action.targets)) pool.command(node, { command: 'elect', election: action.election })
        return undefined
      case 'maybeDead':
        for (const suspect of this.#select(action.targets)) {
          for (const node of this.#select(action.by)) pool.command(node, { command: 'maybeDead', node: suspect.process.id })
        }
        return undefined
      case 'join':
        await this.start(action.site)
        return undefined
      case 'hostile':
        throw new UnableError('hostile: the attacks of pnpm bench:attacks are the nearest')
      case 'withdraw':
      case 'sleep':
      case 'address':
        throw new UnableError(UNABLE[action.type])
    }
  }

  #cut({ ways, how }: Extract<Action, { readonly type: 'cut' }>, from: readonly LabHost[], to: readonly LabHost[]): () => void {
    const { network } = this
    const cutOff = (some: readonly LabHost[], others: readonly LabHost[]): (() => void) =>
      how === 'reject' ? network.refuse('cut', some, others) : network.lose('cut', some, others, 1)
    const mend = [cutOff(from, to), ...(ways === 'both' ? [cutOff(to, from)] : [])]
    // Who is reached through a third host is a member, and its death a mistake.
    const isBridged = this.pool.running.some(({ host }) => !from.includes(host) && !to.includes(host))
    return inTurn(...mend, ...(isBridged ? [] : [this.#disturb('cut', this.#on([...from, ...to]))]))
  }

  #partFromOthers(cause: Cause & Disturbance, targets: Targets): () => void {
    const hosts = this.#hosts(targets)
    const rest = this.network.hosts.filter((host) => !hosts.includes(host))
    // One host cut from the rest blames the hosts that it can't reach, and they are blameless as it is.
    return inTurn(this.network.part(cause, hosts, rest), this.#disturb(cause, this.#on(hosts)))
  }

  #on(hosts: readonly LabHost[]): LabNode[] {
    return this.pool.nodes.filter(({ host }) => hosts.includes(host))
  }

  /** Returns what says that it is over. */
  #disturb(cause: Disturbance, nodes: readonly LabNode[]): () => void {
    const over = nodes.map((node) => this.fate(node).disturb(cause, Date.now()))
    return () => {
      for (const each of over) each(Date.now())
    }
  }

  #settle(causes: readonly Disturbance[], nodes: readonly LabNode[]): void {
    for (const node of nodes) this.fate(node).settle(causes, Date.now())
  }

  /** Those of the running nodes that a scenario means. */
  chosen(targets: Targets): LabNode[] {
    return this.#select(targets)
  }

  #select(targets: Targets): LabNode[] {
    return select(targets, {
      nodes: this.pool.nodes,
      places: this.#places,
      winner: (election) => this.#winner(election),
      random: this.random,
    })
  }

  #hosts(targets: Targets): LabHost[] {
    const nodes = this.#select(targets)
    const hosts = [...new Set(nodes.map(({ host }) => host))]
    const others = this.pool.running.filter((node) => hosts.includes(node.host) && !nodes.includes(node))
    if (others.length > 0) throw new UnableError('the nodes of one host share its link')
    return hosts
  }

  #winner(election: string): LabNode | undefined {
    const votes = new Map<string, number>()
    for (const { reigns } of this.pool.running) {
      const winner = reigns.get(election)?.winner
      if (winner !== undefined) votes.set(winner, (votes.get(winner) ?? 0) + 1)
    }
    const [first] = [...votes].toSorted(([, a], [, b]) => b - a)
    return first === undefined ? undefined : this.pool.node(first[0])
  }
}

function inTurn(...steps: (() => void)[]): () => void {
  return () => {
    for (const each of steps) each()
  }
}

/** The places of a scenario's machines, by their numbers; those of nodes that come later included. */
function planned(scenario: Scenario): Place[] {
  const placement = new Placement(scenario)
  const places: Place[] = []
  const note = (place: Place): void => void (places[place.machine] = place)
  for (let node = 0; node < scenario.nodes; node++) note(placement.next())
  for (const { action } of timelineOf(scenario)) if (action.type === 'join') note(placement.next(action.site))
  return places
}
