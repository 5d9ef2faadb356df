import type { Milliseconds, NodeId } from '@jel/protocol'
import type { Identity, JelNode, Simulation } from '../src/index.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

const election = 'master'

/** One notification of a reign, with its time. */
export interface Told {
  readonly epoch: number
  readonly winner: NodeId
  readonly incarnation: number
  readonly at: Milliseconds
}

/** A pool in which elections are watched. Its nodes have ids in rising order. */
export class Electorate {
  readonly simulation: Simulation<JelNode>
  readonly nodes: PoolNode[] = []
  readonly told = new Map<NodeId, Told[]>()
  readonly #identities: Identity[]

  constructor(options: Parameters<typeof simulatePool>[0], size: number) {
    this.simulation = simulatePool(options)
    this.simulation.subscribe((node, notification, at) => {
      if (notification.type !== 'elected') return
      const { epoch, winner } = notification.reign
      this.told.set(node.id, [...this.toldTo(node), { epoch, winner: winner.id, incarnation: winner.incarnation, at }])
    })
    const identities = Array.from({ length: size }, () => this.simulation.createIdentity())
    this.#identities = identities.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  identity(index: number): Identity {
    return this.#identities[index] as Identity
  }

  /** Starts the nodes from number `from` on, and waits until they know each other. */
  gather(from = 0): void {
    const size = this.#identities.length - from
    for (let i = from; i < this.#identities.length; i++) {
      const introducers = this.nodes.slice(0, 1)
      this.nodes.push(this.simulation.spawn({ identity: this.identity(i), introducers }))
      if (introducers.length === 0) this.simulation.run(100)
    }
    this.simulation.runUntil(() => this.nodes.every(({ protocol }) => protocol.members().length === size), 60_000, 'a pool')
    this.simulation.run(5_000)
  }

  toldTo({ id }: PoolNode): readonly Told[] {
    return this.told.get(id) ?? []
  }

  elect(node: PoolNode): void {
    node.command({ type: 'elect', election })
  }

  withdraw(node: PoolNode): void {
    node.command({ type: 'withdraw', election })
  }

  /**
   * Returns the reign on which all of these nodes agree, as `epoch winner#incarnation`; undefined
   * if they disagree or there is no reign.
   */
  agreed(nodes: readonly PoolNode[] = this.nodes): string | undefined {
    const reigns = new Set(nodes.map((node) => this.reign(node)))
    const [first] = reigns
    return reigns.size === 1 ? first : undefined
  }

  reign(node: PoolNode): string | undefined {
    const reign = node.protocol.reign(election)
    return reign === undefined ? undefined : `${reign.epoch} ${reign.winner.id}#${reign.winner.incarnation}`
  }

  /** The fencing tokens of which some node was notified twice. */
  get repeated(): string[] {
    return [...this.told.values()].flatMap((list) => {
      const tokens = list.map(({ epoch, winner }) => `${epoch} ${winner}`)
      return tokens.filter((token, i) => tokens.indexOf(token) < i)
    })
  }
}
