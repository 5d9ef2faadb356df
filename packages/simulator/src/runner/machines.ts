import { uniformDelay } from '../network/delay.ts'
import type { Machine } from '../network/machine.ts'
import type { NetworkOptions } from '../network/network-options.ts'
import { measuredCosts, noCosts } from '../network/processing.ts'
import type { Topology } from '../network/site.ts'
import { topologies } from '../network/topologies/shipped.ts'
import type { Bandwidth } from '../network/bandwidth.ts'
import type { Protocol } from '../protocol/protocol.ts'
import type { ScenarioNetwork, SiteBandwidth, SiteFields, Sites } from '../scenario/network.ts'
import type { Place } from '../scenario/placement.ts'
import type { Simulation } from '../simulation.ts'
import type { SpawnOptions } from '../simulation-options.ts'

/** The machines of a scenario. The start of the first node of a machine creates the machine. */
export class Machines {
  readonly #simulation: Simulation<Protocol>
  readonly #network: ScenarioNetwork
  readonly #machines: Machine[] = []

  constructor(simulation: Simulation<Protocol>, network: ScenarioNetwork) {
    this.#simulation = simulation
    this.#network = network
  }

  /**
   * Returns the spawn options of the server of another implementation. The server has a machine of
   * its own.
   */
  service(): Pick<SpawnOptions, 'machine'> {
    const { bandwidth, processor } = this.#network
    const { service } = bandwidth
    const machine = this.#simulation.createMachine({
      bandwidth: megabits(service === undefined ? bandwidth : { up: service, down: service }),
      speed: processor?.speed,
      processors: processor?.count,
    })
    return { machine }
  }

  /** Returns the spawn options of a node of this place. */
  of(place: Place, nat: boolean): Pick<SpawnOptions, 'machine' | 'bandwidth' | 'dialable'> {
    const { bandwidth, processor } = this.#network
    const { machine } = bandwidth
    const made = (this.#machines[place.machine] ??= this.#simulation.createMachine({
      site: place.site,
      bandwidth: machine === undefined ? undefined : megabits({ up: machine, down: machine }),
      speed: processor?.speed,
      processors: processor?.count,
    }))
    return { machine: made, bandwidth: megabits(bandwidth), ...(nat && { dialable: false }) }
  }
}

/** Returns the network options of a scenario. */
export function networkOf({ delay, sites, jitter, loss, processor }: ScenarioNetwork): Partial<NetworkOptions> {
  const costs = processor === undefined ? noCosts : measuredCosts
  if (sites === undefined) return { delay: uniformDelay(delay.min, delay.max), loss, costs }
  return { topology: topologyOf(sites, jitter), loss, costs }
}

function topologyOf(sites: Sites, jitter: number): Topology {
  if (typeof sites === 'string') return topologies[sites]
  const names = Object.keys(sites)
  const delay = (from: string, to: string): number => {
    const [one, other] = [sites[from] as SiteFields, sites[to] as SiteFields]
    return from === to ? one.within : (one.to[to] ?? other.to[from] ?? 0)
  }
  return {
    name: 'sites of the scenario',
    sites: Object.entries(sites).map(([name, { bandwidth, dialable }]) => ({
      name,
      dialable,
      ...(bandwidth && { gateway: megabits(bandwidth) }),
    })),
    delays: names.map((from) => names.map((to) => delay(from, to))),
    jitter,
  }
}

function megabits({ up, down }: SiteBandwidth): Bandwidth {
  return { up: up && up / 1e6, down: down && down / 1e6 }
}
