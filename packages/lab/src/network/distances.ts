/** The distances between the hosts of a scenario, and the gateways between them. */
import { networkOf, type Dialable, type DurationRange, type Scenario } from '@jel/simulator'

/** Bits a second; undefined: without limit. */
interface Width {
  readonly up: number | undefined
  readonly down: number | undefined
}

interface Site {
  readonly name: string
  /** Width of the link that all hosts of the site share. */
  readonly gateway: Width
  readonly dialable: Dialable
}

export interface Distances {
  readonly sites: readonly Site[]
  /**
   * One-way delays from site to site, in their order, ms. The diagonal is between two hosts of one
   * site.
   */
  readonly spans: readonly (readonly DurationRange[])[]
}

/** Up to this delay one wire serves as the network, ms. */
const NEAR = 1

/** Returns undefined where all hosts are on one wire. */
export function distancesOf({ network }: Pick<Scenario, 'network'>): Distances | undefined {
  const { topology } = networkOf(network)
  if (topology === undefined) {
    if (network.delay.max <= NEAR) return undefined
    return { sites: [{ name: '', gateway: { up: undefined, down: undefined }, dialable: true }], spans: [[network.delay]] }
  }
  return {
    sites: topology.sites.map(({ name, gateway, dialable = true }) => ({
      name,
      gateway: { up: bits(gateway?.up), down: bits(gateway?.down) },
      dialable,
    })),
    spans: topology.delays.map((row) => row.map((delay) => ({ min: delay, max: delay * (1 + topology.jitter) }))),
  }
}

function bits(megabits: number | undefined): number | undefined {
  return megabits === undefined ? undefined : megabits * 1e6
}
