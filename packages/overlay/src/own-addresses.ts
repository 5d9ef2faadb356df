/**
 * Where this host can be reached, as the protocol announces it.
 */
import type { Address } from '@jel/protocol'
import type { Multiaddr } from '@multiformats/multiaddr'
import { introducerOf, isLoopbackAddress } from './base/addresses.ts'

/** Interfaces come and go without an event; this is how often the host's own addresses are looked up, ms. Measured: 40 µs each time. */
export const addressInterval = 5_000

export class OwnAddresses {
  readonly #lookUp: () => readonly Multiaddr[]
  readonly #limit: number
  #announced = ''
  /** It has no address but loopback, and is meant for this machine. */
  #isLocal = false

  /** `limit`: how many are announced. */
  constructor(lookUp: () => readonly Multiaddr[], limit: number) {
    this.#lookUp = lookUp
    this.#limit = limit
  }

  /** Those that the node starts with. */
  first(): Address[] {
    const own = this.#lookUp()
    this.#isLocal = own.every(isLoopbackAddress)
    return this.#announce(own)
  }

  /** Those of now, if they are others than before. */
  changed(): Address[] | undefined {
    const own = this.#lookUp()
    const isLocal = own.every(isLoopbackAddress)
    // Between two networks a host has loopback only, which nobody else could use.
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
