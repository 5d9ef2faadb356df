/** Partitions and silent hosts of a network, together. */
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'

export class HostFaults {
  readonly #network: LabNetwork
  readonly #silent = new Set<LabHost>()
  #groups: readonly (readonly LabHost[])[] = []

  constructor(network: LabNetwork) {
    this.#network = network
  }

  /**
   * Splits the network: hosts of different groups don't reach each other. Hosts in no group are on
   * the side of the first group.
   */
  partition(groups: readonly (readonly LabHost[])[]): void {
    this.#groups = groups
    this.#shape()
  }

  /** Takes the host off the network. */
  silence(host: LabHost): void {
    this.#silent.add(host)
    this.#shape()
  }

  /** Ends all faults. */
  end(): void {
    this.#silent.clear()
    this.partition([])
  }

  #shape(): void {
    const sideOf = (host: LabHost): number =>
      Math.max(
        0,
        this.#groups.findIndex((group) => group.includes(host)),
      )
    this.#network.shape((from, to) => {
      if (from === to) return undefined
      const isCut = this.#silent.has(from) || this.#silent.has(to) || sideOf(from) !== sideOf(to)
      return isCut ? { loss: 1, isRefused: false } : undefined
    })
  }
}
