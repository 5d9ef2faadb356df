/**
 * Finds other nodes of the pool on the local network by multicast DNS.
 */
import type { Introducer } from '@jel/protocol'
import type { PeerDiscovery, Startable } from '@libp2p/interface'
import { mdns, type MulticastDNSComponents } from './libp2p-mdns.ts'
import type { Multiaddr } from '@multiformats/multiaddr'
import { endpointOf, introducerOf, isLoopbackAddress } from '../base/addresses.ts'

/**
 * Interval at which a node with links asks the network, ms. Guess. Every node answers every
 * question. If N nodes of a network all kept asking, there would be N² packets an interval. So a
 * node asks when it starts, and then hardly ever, in case the network was split. Only a node that
 * is alone asks often.
 */
const companyInterval = 600_000

/**
 * Other machines can't reach a node that listens on loopback only. So such a node neither asks nor
 * answers.
 */
export function wantsDiscovery(wanted: boolean | undefined, listen: readonly Multiaddr[]): boolean {
  return (wanted ?? true) && listen.some((address) => !isLoopbackAddress(address))
}

type Service = PeerDiscovery & Startable

/**
 * Asks and answers under several names. While a pool changes its key, others find its nodes under
 * the old name and the new one.
 */
export class MdnsDiscovery implements Startable {
  readonly #onFound: (introducer: Introducer) => void
  readonly #services = new Map<string, Service | undefined>()
  readonly #make: typeof mdns
  #components: MulticastDNSComponents | undefined
  #isStarted = false

  /** `make`: tests replace it, and so send nothing to the network. */
  constructor(services: readonly string[], onFound: (introducer: Introducer) => void, make = mdns) {
    this.#make = make
    for (const service of services) this.#services.set(service, undefined)
    this.#onFound = onFound
  }

  /** Creates the services for libp2p. libp2p starts and stops this object. */
  create(components: MulticastDNSComponents): this {
    this.#components = components
    for (const name of this.#services.keys()) this.#services.set(name, this.#create(name, components))
    return this
  }

  async start(): Promise<void> {
    this.#isStarted = true
    for (const service of this.#services.values()) await service?.start()
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    for (const service of this.#services.values()) await service?.stop()
  }

  /**
   * Asks the network now. @libp2p/mdns asks whenever it starts, so this method restarts each
   * service.
   */
  async ask(): Promise<void> {
    if (!this.#isStarted) return
    for (const service of this.#services.values()) {
      await service?.stop()
      if (this.#isStarted) await service?.start()
    }
  }

  /** Asks and answers under one more name. */
  async add(name: string): Promise<void> {
    if (this.#services.has(name) || this.#components === undefined) return
    const service = this.#create(name, this.#components)
    this.#services.set(name, service)
    if (this.#isStarted) await service.start()
  }

  async remove(name: string): Promise<void> {
    const service = this.#services.get(name)
    this.#services.delete(name)
    await service?.stop()
  }

  #create(name: string, components: MulticastDNSComponents): Service {
    const created = this.#make({ serviceTag: name, interval: companyInterval })(components) as Service
    created.addEventListener('peer', ({ detail: { id, multiaddrs } }) => {
      // The addresses of one host come together. This node may reach only one of them.
      for (const address of multiaddrs) {
        const introducer = introducerAt(address, id.toString())
        if (introducer !== undefined) this.#onFound(introducer)
      }
    })
    return created
  }
}

/**
 * Returns undefined for an address that is no TCP address. Anybody on the network may send any text
 * as an address. Reading the bytes of some throws, and this listener must not throw.
 */
function introducerAt(address: Multiaddr, id: string): Introducer | undefined {
  try {
    return endpointOf(address) && introducerOf(address, id)
  } catch {
    return undefined
  }
}
