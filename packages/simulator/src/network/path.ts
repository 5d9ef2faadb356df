import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import type { Cable, Cables } from './bandwidth.ts'
import type { Endpoint } from './endpoint.ts'
import { gateways, type Topology } from './site.ts'

/**
 * The path of a packet: the cable of the sending node, the cable of its machine, the gateway of its
 * site, and the distance. Then come the same cables of the receiver in reverse order, and its
 * processor. A cable forwards bytes as they come in. So the narrowest cable, not the sum of all
 * cables, decides the time of a long message. A packet reserves everything at the time of sending.
 */
export class Path {
  readonly #clock: VirtualClock
  readonly #gateways: readonly Cables[]
  /** The times when the present packet's first and last byte reach the next cable. */
  #first: Milliseconds = 0
  #last: Milliseconds = 0

  constructor(clock: VirtualClock, topology: Topology | undefined) {
    this.#clock = clock
    this.#gateways = gateways(topology)
  }

  /**
   * Returns the time when the receiver has processed the packet. The work costs `cost` ms of the
   * receiver's processor.
   */
  arrival(from: Endpoint, to: Endpoint, bytes: number, delay: Milliseconds, cost: Milliseconds, departure: Milliseconds): Milliseconds {
    this.#first = departure
    this.#last = departure
    this.#pass(from.cables.up, bytes)
    // Data within a machine uses no cable.
    if (from.machine !== to.machine) {
      const leaves = from.machine.site !== to.machine.site
      this.#pass(from.machine.cables.up, bytes)
      if (leaves) this.#pass(this.#gateways[from.machine.site]?.up, bytes)
      this.#first += delay
      this.#last += delay
      if (leaves) this.#pass(this.#gateways[to.machine.site]?.down, bytes)
      this.#pass(to.machine.cables.down, bytes)
    } else {
      this.#first += delay
      this.#last += delay
    }
    this.#pass(to.cables.down, bytes)
    return to.machine.compute(to.process, cost, this.#last, this.#clock.now)
  }

  /** Returns how long a packet to this process would wait now for the fullest cable on its side. */
  backlogTo({ machine, cables }: Endpoint): Milliseconds {
    const { now } = this.#clock
    const downlinks = [this.#gateways[machine.site]?.down, machine.cables.down, cables.down]
    return Math.max(...downlinks.map((cable) => cable?.backlog(now) ?? 0))
  }

  #pass(cable: Cable | undefined, bytes: number): void {
    if (cable === undefined) return
    const end = cable.carry(bytes, this.#first, this.#clock.now)
    this.#first = cable.started
    this.#last = Math.max(this.#last, end)
  }
}
