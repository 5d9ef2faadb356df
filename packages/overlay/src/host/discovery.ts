/**
 * Finds other nodes of the pool on the local network by multicast DNS.
 */
import type { Introducer } from '@jel/protocol'
import type { PeerDiscovery, Startable } from '@libp2p/interface'
import { mdns, type MulticastDNSComponents } from './mdns.ts'
import type { Multiaddr } from '@multiformats/multiaddr'
import { introducerOf, isLoopbackAddress } from '../base/addresses.ts'

/**
 * Everybody answers every question, so a network of N nodes that all keep asking carries N² packets an interval. A node therefore asks
 * when it starts and then hardly ever (in case the network was split), unless it is alone: then it asks again and again. ms, guesses.
 */
const companyInterval = 600_000
export const aloneInterval = 10_000

/** Nobody on another machine could reach a node that listens on loopback only, so it stays out of their network. */
export function wantsDiscovery(wanted: boolean | undefined, listen: readonly Multiaddr[]): boolean {
  return (wanted ?? true) && listen.some((address) => !isLoopbackAddress(address))
}

export class Discovery {
  readonly #service: string
  readonly #onFound: (introducer: Introducer) => void
  #mdns: (PeerDiscovery & Startable) | undefined

  constructor(service: string, onFound: (introducer: Introducer) => void) {
    this.#service = service
    this.#onFound = onFound
  }

  /** The libp2p service. Started and stopped by the host. */
  create(components: MulticastDNSComponents): PeerDiscovery {
    const created = mdns({ serviceTag: this.#service, interval: companyInterval })(components) as PeerDiscovery & Startable
    created.addEventListener('peer', ({ detail: { id, multiaddrs } }) => {
      // The addresses of one host come together; each is a way in.
      for (const address of multiaddrs) this.#onFound(introducerOf(address, id.toString()))
    })
    this.#mdns = created
    return created
  }

  /** Asks the network now: @libp2p/mdns asks whenever it starts. */
  async ask(): Promise<void> {
    await this.#mdns?.stop()
    await this.#mdns?.start()
  }
}
