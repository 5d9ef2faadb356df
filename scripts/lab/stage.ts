/** Carries out a scenario on real hosts: places the nodes, starts them, and does what each step says. */
import { createRandom } from '@jel/protocol'
import { Placement, siteNames, type Action, type Place, type Scenario, type Targets } from '@jel/simulator'
import { distancesOf } from './distances.ts'
import { UnableError } from './tools.ts'
import type { LabHost } from './host.ts'
import { LabNetwork, type Cause } from './network.ts'
import { LabPool, type LabNode, type PoolOptions } from './pool.ts'
import { select } from './select.ts'
import { timelineOf, type Step } from './timeline.ts'

/** What is known of a node besides what it says itself. */
export interface Fate {
  /** Unix milliseconds; undefined: it was not killed. */
  killed: number | undefined
  /** Was ever stopped, cut off, or made to lose packets: its death would be no mistake. */
  disturbed: boolean
}

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
    this.fates.set(node, { killed: undefined, disturbed: false })
    return node
  }

  fate(node: LabNode): Fate {
    const fate = this.fates.get(node)
    if (fate === undefined) throw new Error(`node ${node.index} is not of this stage`)
    return fate
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
          pool.signal(node, 'SIGKILL')
        }
        return undefined
      case 'leave':
        for (const node of this.#select(action.targets)) pool.signal(node, 'SIGTERM')
        return undefined
      case 'stop':
      // To everybody else, a process that is busy and one that is stopped are the same.
      case 'stall': {
        const nodes = this.#disturb(this.#select(action.targets))
        for (const node of nodes) pool.signal(node, 'SIGSTOP')
        return () => {
          for (const node of nodes) if (node.running) pool.signal(node, 'SIGCONT')
        }
      }
      case 'continue':
        for (const node of this.#select(action.targets)) pool.signal(node, 'SIGCONT')
        return undefined
      case 'silence':
        return this.#partFromOthers('silence', action.targets)
      case 'flap':
        return this.#partFromOthers('flap', action.targets)
      case 'restore':
        network.heal(['silence', 'loss'], this.#hosts(action.targets))
        return undefined
      case 'partition': {
        const sides = action.sides.map((side) => this.#hosts(side))
        const rest = network.hosts.filter((host) => !sides.flat().includes(host))
        this.#disturb(pool.running)
        return network.part('partition', ...sides, rest)
      }
      case 'heal':
        network.heal(['partition', 'cut', 'flap'])
        return undefined
      case 'cut': {
        this.#disturb([...this.#select(action.from), ...this.#select(action.to)])
        return network.lose('cut', this.#hosts(action.from), this.#hosts(action.to), 1)
      }
      case 'loss': {
        const hosts = this.#hosts(action.targets)
        this.#disturb(pool.nodes.filter(({ host }) => hosts.includes(host)))
        const mend = [
          network.lose('loss', hosts, network.hosts, action.loss),
          network.lose(
            'loss',
            network.hosts.filter((host) => !hosts.includes(host)),
            hosts,
            action.loss,
          ),
        ]
        return () => {
          for (const each of mend) each()
        }
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
      case 'withdraw':
        throw new UnableError('withdraw: is no command of jel join')
    }
  }

  #partFromOthers(cause: Cause, targets: Targets): () => void {
    const hosts = this.#hosts(targets)
    const rest = this.network.hosts.filter((host) => !hosts.includes(host))
    // One host cut from the rest blames the hosts that it can't reach, and they are blameless as it is.
    this.#disturb(this.pool.nodes.filter(({ host }) => hosts.includes(host)))
    return this.network.part(cause, hosts, rest)
  }

  #disturb(nodes: readonly LabNode[]): readonly LabNode[] {
    for (const node of nodes) this.fate(node).disturbed = true
    return nodes
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

/** The places of a scenario's machines, by their numbers; those of nodes that come later included. */
function planned(scenario: Scenario): Place[] {
  const placement = new Placement(scenario)
  const places: Place[] = []
  const note = (place: Place): void => void (places[place.machine] = place)
  for (let node = 0; node < scenario.nodes; node++) note(placement.next())
  for (const { action } of timelineOf(scenario)) if (action.type === 'join') note(placement.next(action.site))
  return places
}
