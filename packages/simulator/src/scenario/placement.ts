/**
 * The place of a node: site, rack, machine. It is the same for the simulator and for real hosts.
 */
import { topologies } from '../network/topologies/shipped.ts'
import type { Site } from '../network/site.ts'
import type { Scenario } from './scenario.ts'

export interface Place {
  /** Undefined if the network has no sites. */
  readonly site: string | undefined
  /** Machines and racks have numbers from 0 on, in the order in which nodes fill them. */
  readonly machine: number
  readonly rack: number
}

type Where = Pick<Scenario, 'network' | 'nodesBySite'>

/** Returns the sites of a scenario's network, in order. */
export function siteNames({ network: { sites } }: Where): readonly string[] {
  if (sites === undefined) return []
  return typeof sites === 'string' ? topologies[sites].sites.map(({ name }) => name) : Object.keys(sites)
}

/** Assigns places to the nodes, in the order of their numbers. */
export class Placement {
  readonly #scenario: Where
  readonly #weights: readonly (readonly [site: string, weight: number])[]
  /** The number of nodes of each site. */
  readonly #nodes = new Map<string, number>()
  /** For each site, the machine that has room, and the number of its nodes. */
  readonly #open = new Map<string, { readonly place: Place; nodes: number }>()
  readonly #racks = new Map<string, { readonly rack: number; machines: number }>()
  #machines = 0
  #rackCount = 0

  constructor(scenario: Where) {
    this.#scenario = scenario
    const { sites } = scenario.network
    const names = siteNames(scenario)
    this.#weights = names.map((name) => [
      name,
      scenario.nodesBySite === undefined ? weightOf(sites, name) : (scenario.nodesBySite[name] ?? 0),
    ])
  }

  /** Returns the place of the next node, at the given site if there is one. */
  next(site: string | undefined = this.#nextSite()): Place {
    const { nodesPerMachine } = this.#scenario.network
    const key = site ?? ''
    this.#nodes.set(key, (this.#nodes.get(key) ?? 0) + 1)
    let open = this.#open.get(key)
    if (open === undefined || open.nodes >= nodesPerMachine) {
      open = { place: { site, machine: this.#machines++, rack: this.#nextRack(key) }, nodes: 0 }
      this.#open.set(key, open)
    }
    open.nodes += 1
    return open.place
  }

  #nextRack(site: string): number {
    let rack = this.#racks.get(site)
    if (rack === undefined || rack.machines >= this.#scenario.network.machinesPerRack) {
      rack = { rack: this.#rackCount++, machines: 0 }
      this.#racks.set(site, rack)
    }
    rack.machines += 1
    return rack.rack
  }

  /** Returns the site that lacks most of its share. */
  #nextSite(): string | undefined {
    let best: string | undefined
    let least = Infinity
    for (const [site, weight] of this.#weights) {
      const filled = weight > 0 ? ((this.#nodes.get(site) ?? 0) + 1) / weight : Infinity
      if (filled < least) {
        least = filled
        best = site
      }
    }
    return best
  }
}

function weightOf(sites: Scenario['network']['sites'], name: string): number {
  if (typeof sites !== 'string') return sites?.[name]?.weight ?? 1
  const site: Site | undefined = topologies[sites].sites.find((each) => each.name === name)
  return site?.nodes ?? 1
}
