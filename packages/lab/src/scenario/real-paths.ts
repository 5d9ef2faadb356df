/**
 * The paths between the nodes of a scenario: cuts, partitions, pulled cables and lossy
 * lines. It updates the hosts' firewalls, and the record of possible contact.
 */
import { Contact, Reachability, type CutKind } from '@jel/simulator'
import type { Path } from '../network/firewall.ts'
import type { LabNetwork } from '../network/network.ts'
import type { RealNode } from './real-node.ts'

/** Loss of a node's own packets above which it counts as cut off, as in the simulator. */
const USELESS_LOSS = 0.5

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
  /** ms from the start of the scenario. */
  readonly now: () => number
}

export class RealPaths {
  readonly contact = new Contact()
  readonly reachability = new Reachability()
  /** All partitions so far. */
  readonly partitions: Partition[] = []
  readonly #parts: Parts
  #isShaping = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call it when a node has stopped, or goes on. */
  works(node: RealNode): void {
    const { state, endpoint } = node
    this.contact.node(endpoint, state === 'running' && !endpoint.silent && endpoint.loss <= USELESS_LOSS, this.#parts.now())
  }

  silence(node: RealNode, silent: boolean): void {
    node.endpoint.silent = silent
    this.works(node)
    this.shape()
  }

  impair(node: RealNode, loss: number): void {
    node.endpoint.loss = loss
    this.works(node)
    this.shape()
  }

  cut(from: RealNode, to: RealNode, kind: CutKind): void {
    this.reachability.cut(from.endpoint, to.endpoint, kind)
    this.contact.path(from.endpoint, to.endpoint, false, this.#parts.now())
    this.shape()
  }

  mend(from: RealNode, to: RealNode, kind: CutKind): void {
    const { reachability, contact } = this
    reachability.mend(from.endpoint, to.endpoint, kind)
    if (!reachability.isCut(from.endpoint, to.endpoint)) contact.path(from.endpoint, to.endpoint, true, this.#parts.now())
    this.shape()
  }

  /** Splits the network. One group or none: unites it. */
  partition(groups: readonly (readonly RealNode[])[]): void {
    const { nodes, now } = this.#parts
    for (const node of nodes) node.endpoint.side = 0
    for (const [side, group] of groups.entries()) for (const node of group) node.endpoint.side = side
    for (const partition of this.partitions) partition.to ??= Date.now()
    if (groups.length > 1) this.partitions.push({ from: Date.now(), to: undefined, groups })
    this.contact.split(
      nodes.map(({ endpoint }) => endpoint),
      now(),
    )
    this.shape()
  }

  heal(): void {
    this.partition([])
    this.contact.mended(this.#parts.now())
    this.reachability.mendAll()
  }

  /** Updates the hosts' firewalls after all events of this moment. */
  shape(): void {
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
