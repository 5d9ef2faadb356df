import type { Milliseconds } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import { loopback, type Delay } from './delay.ts'
import type { Dialable } from './endpoint.ts'

/** Where machines stand: a cluster, a region of a cloud, a town. */
export interface Site {
  readonly name: string
  /** The one cable by which everything enters and leaves the site. Left out: it is never full. */
  readonly gateway?: Bandwidth
  /** Who can dial its nodes, where nothing else is said of one. Default: everybody. */
  readonly dialable?: Dialable
  /** How many nodes stood there, where the topology is that of an experiment. */
  readonly nodes?: number
}

/** Sites and how far they are from each other. */
export interface Topology {
  readonly name: string
  readonly sites: readonly Site[]
  /** One-way delay from site to site, ms, in the order of {@link sites}; the diagonal is between two machines of one site. */
  readonly delays: readonly (readonly Milliseconds[])[]
  /** Each packet takes up to this share of the delay longer. */
  readonly jitter: number
}

/** Delay by the matrix; two processes of one machine are as far apart as {@link loopback}. */
export function topologyDelay({ delays, jitter }: Topology): Delay {
  return (from, to, random) => {
    if (from.machine === to.machine) return loopback(from, to, random)
    const base = delays[from.machine.site]?.[to.machine.site] ?? 0
    return base * (1 + jitter * random())
  }
}

/** The gateways of the sites, in their order. */
export function gateways(topology: Topology | undefined): Cables[] {
  return (topology?.sites ?? []).map(({ gateway }) => cables(gateway))
}

/** The number of the site of this name. Throws RangeError that names those there are. */
export function siteNumber(topology: Topology | undefined, name: string): number {
  const at = topology?.sites.findIndex((site) => site.name === name) ?? -1
  if (at >= 0) return at
  const names = topology?.sites.map((site) => JSON.stringify(site.name)).join(', ') ?? 'none: the network has no topology'
  throw new RangeError(`there is no site ${JSON.stringify(name)}; there are ${names}`)
}
