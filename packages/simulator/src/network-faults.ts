import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from './engine/clock.ts'
import { processAddress, processOf, type AddressChange } from './network/address.ts'
import type { Contact } from './network/contact.ts'
import type { Network } from './network/network.ts'
import type { CutKind } from './network/reachability.ts'
import type { SimulatedNode } from './protocol/node.ts'

/** The faults of one node's own line. An omitted field ends that fault. */
export interface Impairment {
  /** The share of its packets that are lost, both ways, 0 to below 1. */
  readonly loss?: number
  /** The additional delay of each of its packets, both ways, ms. */
  readonly lag?: Milliseconds
}

/** A link that comes and goes. */
export interface Flapping {
  /** The times of each cut and of each interval between cuts, ms. */
  readonly down: Milliseconds
  readonly up: Milliseconds
  /** After this the link works for good, ms. */
  readonly duration: Milliseconds
  /** Only the way from the first node to the second. Default: both ways. */
  readonly oneWay?: boolean
}

/**
 * The loss and lag above which a node counts as cut off, because TCP waits ever longer. A guess.
 */
const uselessLoss = 0.5
const uselessLag: Milliseconds = 1_000

/**
 * The faults of lines and paths, with a record of the nodes that could communicate. `Simulation`
 * describes each.
 */
export class NetworkFaults {
  readonly #clock: VirtualClock
  readonly #network: Network
  readonly #nodes: readonly SimulatedNode[]
  readonly #contact: Contact

  constructor(clock: VirtualClock, network: Network, nodes: readonly SimulatedNode[], contact: Contact) {
    this.#clock = clock
    this.#network = network
    this.#nodes = nodes
    this.#contact = contact
  }

  silence(node: SimulatedNode, silent: boolean): void {
    node.endpoint.silent = silent
    this.noteWorks(node)
    if (!silent) this.#network.mended()
  }

  cut(from: SimulatedNode, to: SimulatedNode, kind: CutKind): void {
    this.#network.reachability.cut(from.endpoint, to.endpoint, kind)
    this.#contact.path(from.endpoint, to.endpoint, false, this.#clock.now)
    if (kind === 'reject') this.#network.mended()
  }

  mend(from: SimulatedNode, to: SimulatedNode, kind: CutKind): void {
    const { reachability } = this.#network
    reachability.mend(from.endpoint, to.endpoint, kind)
    if (!reachability.isCut(from.endpoint, to.endpoint)) this.#contact.path(from.endpoint, to.endpoint, true, this.#clock.now)
    this.#network.mended()
  }

  changeAddress(node: SimulatedNode, change: AddressChange): () => void {
    const { endpoint } = node
    const process = endpoint.machine.nextProcess()
    const address = processAddress(endpoint.machine.number, process)
    this.#network.listen(endpoint, process)
    if (change === 'replace') {
      for (const old of node.addresses) this.#network.listen(endpoint, processOf(old), false)
      this.#network.abandon(endpoint)
    }
    node.move(change === 'add' ? [...node.addresses, address] : [address])
    return () => {
      if (node.state === 'gone') return
      this.#network.listen(endpoint, process, false)
      node.move(node.addresses.filter((each) => each !== address))
    }
  }

  impair(node: SimulatedNode, { loss = 0, lag = 0 }: Impairment): void {
    if (!(loss >= 0 && loss < 1) || !(lag >= 0))
      throw new RangeError(`a line loses from 0 to less than 1 and lags by 0 ms or more, not ${loss} and ${lag}`)
    node.endpoint.loss = loss
    node.endpoint.lag = lag
    this.noteWorks(node)
  }

  flap(a: SimulatedNode, b: SimulatedNode, { down, up, duration, oneWay = false }: Flapping): void {
    if (!(down > 0) || !(up > 0)) throw new RangeError(`a flapping link is down and up for more than 0 ms each, not ${down} and ${up}`)
    const end = this.#clock.now + duration
    const cut = (): void => {
      if (this.#clock.now >= end) return
      this.cut(a, b, 'drop')
      if (!oneWay) this.cut(b, a, 'drop')
      this.#clock.at(Math.min(this.#clock.now + down, end), mend)
    }
    const mend = (): void => {
      this.mend(a, b, 'drop')
      if (!oneWay) this.mend(b, a, 'drop')
      this.#clock.after(up, cut)
    }
    cut()
  }

  partition(groups: readonly (readonly SimulatedNode[])[]): void {
    const sides = new Map<SimulatedNode, number>()
    for (const [side, group] of groups.entries()) for (const node of group) if (!sides.has(node)) sides.set(node, side)
    for (const node of this.#nodes) node.endpoint.side = sides.get(node) ?? 0
    this.#noteSides()
    this.#network.mended()
  }

  heal(): void {
    for (const node of this.#nodes) node.endpoint.side = 0
    this.#noteSides()
    this.#contact.mended(this.#clock.now)
    this.#network.reachability.mendAll()
    this.#network.mended()
  }

  /** Call it after any change that makes a node stand still or takes its network away. */
  noteWorks({ state, endpoint }: SimulatedNode): void {
    this.#contact.node(
      endpoint,
      state === 'running' && !endpoint.silent && endpoint.loss <= uselessLoss && endpoint.lag < uselessLag,
      this.#clock.now,
    )
  }

  #noteSides(): void {
    this.#contact.split(
      this.#nodes.map(({ endpoint }) => endpoint),
      this.#clock.now,
    )
  }
}
