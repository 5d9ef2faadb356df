/** The nodes and attackers that a scenario's actions add, and the places of all nodes. */
import { Placement, siteNames, type Scenario } from '@jel/simulator'

export interface Join {
  /** Time from the start of the scenario, ms. */
  readonly at: number
  readonly site?: string
}

/** Returns the joins in the order of their times. */
export function joinsOf({ actions, duration }: Pick<Scenario, 'actions' | 'duration'>): Join[] {
  const joins = actions.flatMap((action) => {
    if (action.type !== 'join') return []
    const { at, every, until = duration, count, over, site } = action
    const turns = every === undefined ? 1 : Math.max(1, Math.floor((Math.min(until, duration) - at) / every) + 1)
    return Array.from({ length: turns * count }, (_, i): Join => {
      const turn = Math.floor(i / count)
      return { at: at + turn * (every ?? 0) + (over * (i % count)) / count, ...(site !== undefined && { site }) }
    })
  })
  return joins.toSorted((a, b) => a.at - b.at)
}

export function attackersOf({ actions }: Pick<Scenario, 'actions'>): number {
  return actions.reduce((sum, action) => sum + (action.type === 'hostile' ? action.count : 0), 0)
}

/**
 * Returns the index of the site of each machine of a scenario, including machines of nodes that
 * join later.
 */
export function sitesOfMachines(scenario: Scenario): number[] {
  const placement = new Placement(scenario)
  const sites: number[] = []
  const joins: { readonly site?: string }[] = [...Array.from({ length: scenario.nodes }, () => ({})), ...joinsOf(scenario)]
  for (const { site } of joins) {
    const place = placement.next(site)
    sites[place.machine] = place.site === undefined ? 0 : siteNames(scenario).indexOf(place.site)
  }
  return sites
}
