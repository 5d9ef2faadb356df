import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { Cable, Cables } from './bandwidth.ts'
import type { Endpoint } from './endpoint.ts'
import { gateways, type Topology } from './site.ts'

/**
 * The way of a packet: its node's cable, its machine's, the gateway of its site, the distance, and the same inwards, up to the processor
 * that deals with it. On the way bytes flow through: a cable sends on what has come in so far, so a long message takes as long as the
 * narrowest cable needs, not the sum. Everything is booked when the packet is sent.
 */
export class Path {
  readonly #clock: VirtualClock
  readonly #gateways: readonly Cables[]
  /** Of the packet on its way: when its first byte comes to the next cable, and when its last. */
  #first: Milliseconds = 0
  #last: Milliseconds = 0

  constructor(clock: VirtualClock, topology: Topology | undefined) {
    this.#clock = clock
    this.#gateways = gateways(topology)
  }

  /** When the packet has arrived and was dealt with, at `cost` ms of the receiver's processor. */
  arrival(from: Endpoint, to: Endpoint, bytes: number, delay: Milliseconds, cost: Milliseconds, departure: Milliseconds): Milliseconds {
    this.#first = departure
    this.#last = departure
    this.#pass(from.cables.up, bytes)
    // What stays on a machine uses no cable.
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

  #pass(cable: Cable | undefined, bytes: number): void {
    if (cable === undefined) return
    const end = cable.carry(bytes, this.#first, this.#clock.now)
    this.#first = cable.started
    this.#last = Math.max(this.#last, end)
  }
}
