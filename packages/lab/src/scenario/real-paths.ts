/**
 * The paths between the nodes of a scenario. Each fault of a path updates the firewalls of the
 * hosts.
 */
import { Contact, Reachability } from '@jel/simulator'
import { PathFaults } from '@jel/simulator/internals'
import type { Path } from '../network/firewall.ts'
import type { LabNetwork } from '../network/network.ts'
import type { RealNode } from './real-node.ts'

/** A partition of the network. Times are Unix ms. */
export interface Partition {
  readonly from: number
  to: number | undefined
  readonly groups: readonly (readonly RealNode[])[]
}

interface Parts {
  readonly nodes: readonly RealNode[]
  readonly network: LabNetwork
  /** Share of all packets that get lost. */
  readonly loss: number
  /** Time since the start of the scenario, ms. */
  readonly now: () => number
}

export class RealPaths extends PathFaults<RealNode> {
  /** All partitions so far. */
  readonly partitions: Partition[] = []
  readonly #parts: Parts
  #isShaping = false

  constructor(parts: Parts) {
    super(parts.nodes, new Contact(), new Reachability(), parts.now)
    this.#parts = parts
  }

  /** Cuts the groups apart. With one group or none it unites the network. */
  override partition(groups: readonly (readonly RealNode[])[]): void {
    this.#endPartition()
    if (groups.length > 1) this.partitions.push({ from: Date.now(), to: undefined, groups })
    super.partition(groups)
  }

  override heal(): void {
    this.#endPartition()
    super.heal()
  }

  #endPartition(): void {
    for (const partition of this.partitions) partition.to ??= Date.now()
  }

  /** Updates the hosts' firewalls after all changes of this moment. */
  override changed(): void {
    if (this.#isShaping) return
    this.#isShaping = true
    queueMicrotask(() => {
      this.#isShaping = false
      const { nodes, network } = this.#parts
      const living = new Map(nodes.filter(({ state }) => state !== 'gone').map((node) => [node.host, node]))
      network.shape((from, to) => this.#pathOf(living.get(from), living.get(to), from === to))
    })
  }

  #pathOf(from: RealNode | undefined, to: RealNode | undefined, isWithin: boolean): Path {
    const losses = [this.#parts.loss, from?.endpoint.loss ?? 0, isWithin ? 0 : (to?.endpoint.loss ?? 0)]
    const isCut = from !== undefined && to !== undefined && !isWithin && !this.reachability.reaches(from.endpoint, to.endpoint)
    if (isCut) return { loss: 1, isRefused: this.reachability.rejects(from.endpoint, to.endpoint) }
    return { loss: 1 - losses.reduce((share, loss) => share * (1 - loss), 1), isRefused: false }
  }
}
