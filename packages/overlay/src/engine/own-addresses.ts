/**
 * The addresses of this host, as the protocol announces them.
 */
import type { Address } from '@jel/protocol'
import type { Multiaddr } from '@multiformats/multiaddr'
import { introducerOf, isLoopbackAddress } from '../base/addresses.ts'

/**
 * Interval at which a node looks up the addresses of its host, ms. Interfaces come and go without
 * an event. Measured: a look-up takes 40 µs.
 */
export const addressInterval = 5_000

export class OwnAddresses {
  readonly #lookUp: () => readonly Multiaddr[]
  readonly #limit: number
  #announced = ''
  /** The node has only loopback addresses: it is meant for this machine. */
  #isLocal = false

  /** `limit`: the largest number of announced addresses. */
  constructor(lookUp: () => readonly Multiaddr[], limit: number) {
    this.#lookUp = lookUp
    this.#limit = limit
  }

  /** Returns the addresses that the node starts with. */
  first(): Address[] {
    const own = this.#lookUp()
    this.#isLocal = own.every(isLoopbackAddress)
    return this.#announce(own)
  }

  /** Returns the present addresses if they have changed. */
  changed(): Address[] | undefined {
    const own = this.#lookUp()
    const isLocal = own.every(isLoopbackAddress)
    // A host that changes networks has only loopback addresses for a while. They are useless to
    // others.
    if (isLocal && !this.#isLocal) return undefined
    const before = this.#announced
    const addresses = this.#announce(own)
    this.#isLocal = isLocal
    return this.#announced === before ? undefined : addresses
  }

  #announce(own: readonly Multiaddr[]): Address[] {
    const addresses = own.map((address) => introducerOf(address).address).slice(0, this.#limit)
    this.#announced = addresses.join(' ')
    return addresses
  }
}
