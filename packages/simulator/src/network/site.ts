import type { Milliseconds } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import { loopback, type Delay } from './delay.ts'
import type { Dialable } from './endpoint.ts'

/** A location of machines: a cluster, a region of a cloud, a town. */
export interface Site {
  readonly name: string
  /** The cable that carries everything into and out of the site. Default: unlimited. */
  readonly gateway?: Bandwidth
  /** The default for `dialable` of its nodes. Default: all nodes can dial them. */
  readonly dialable?: Dialable
  /** The number of its nodes in the experiment that the topology is from. */
  readonly nodes?: number
}

/** Sites and the delays between them. */
export interface Topology {
  readonly name: string
  readonly sites: readonly Site[]
  /**
   * One-way delays between sites, ms, in the order of {@link sites}. The diagonal has the delays
   * between two machines of one site.
   */
  readonly delays: readonly (readonly Milliseconds[])[]
  /** A packet takes up to this share longer than the delay. */
  readonly jitter: number
}

/**
 * Returns the delay by the matrix. Two processes of one machine have the delay of {@link loopback}.
 */
export function topologyDelay({ delays, jitter }: Topology): Delay {
  return (from, to, random) => {
    if (from.machine === to.machine) return loopback(from, to, random)
    const base = delays[from.machine.site]?.[to.machine.site] ?? 0
    return base * (1 + jitter * random())
  }
}

/** Returns the gateways of the sites, in their order. */
export function gateways(topology: Topology | undefined): Cables[] {
  return (topology?.sites ?? []).map(({ gateway }) => cables(gateway))
}

/** Returns the number of the site of this name. Throws RangeError that lists the existing names. */
export function siteNumber(topology: Topology | undefined, name: string): number {
  const at = topology?.sites.findIndex((site) => site.name === name) ?? -1
  if (at >= 0) return at
  const names = topology?.sites.map((site) => JSON.stringify(site.name)).join(', ') ?? 'none: the network has no topology'
  throw new RangeError(`there is no site ${JSON.stringify(name)}; there are ${names}`)
}
