/** The distances between the hosts of a scenario, and the gateways of its sites. */
import { networkOf, type Dialable, type DurationRange, type Scenario } from '@jel/simulator'

/** Bandwidth of a link in bits a second; undefined: unlimited. */
interface Width {
  readonly up: number | undefined
  readonly down: number | undefined
}

interface Site {
  readonly name: string
  /** Bandwidth of the link that all hosts of the site share. */
  readonly gateway: Width
  readonly dialable: Dialable
}

export interface Distances {
  readonly sites: readonly Site[]
  /**
   * One-way delays from site to site, ms, by index of the sites. The diagonal holds the delay
   * between two hosts of one site.
   */
  readonly spans: readonly (readonly DurationRange[])[]
}

/** Largest delay for which all hosts are on one wire, ms. */
const NEAR = 1

/** Returns undefined if all hosts are on one wire. */
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
