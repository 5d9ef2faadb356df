import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import { processAddress, processOf, type AddressChange } from './network/address.ts'
import type { Contact } from './network/contact.ts'
import type { Network } from './network/network.ts'
import { PathFaults } from './network/path-faults.ts'
import type { SimulatedNode } from './protocol/node.ts'

/** A link that fails and works again, several times. */
export interface Flapping {
  /** The length of each cut, ms. */
  readonly down: Milliseconds
  /** The length of each interval between cuts, ms. */
  readonly up: Milliseconds
  /** The flapping ends after this time, ms. */
  readonly duration: Milliseconds
  /** True to cut only the way from the first node to the second. Default: both ways. */
  readonly oneWay?: boolean
}

/** The faults of the simulated network. `Simulation` describes each fault. */
export class NetworkFaults extends PathFaults<SimulatedNode> {
  readonly #clock: VirtualClock
  readonly #network: Network

  constructor(clock: VirtualClock, network: Network, nodes: readonly SimulatedNode[], contact: Contact) {
    super(nodes, contact, network.reachability, () => clock.now)
    this.#clock = clock
    this.#network = network
  }

  protected override changed(mends: boolean): void {
    if (mends) this.#network.mended()
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
}
