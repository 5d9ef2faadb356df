import { loadScenario, shippedScenarios } from '@jel/simulator'
import { describe, expect, it } from 'vitest'
import { experiments } from './experiment.ts'

interface Move {
  /** Seconds. */
  readonly at: number
  readonly comes?: number
  readonly goes?: string
  /** Undefined where there is only one. */
  readonly sites?: readonly string[]
}

/** Who comes and goes in a scenario file. That all leave in the end is no part of a figure. */
function movesOf(file: string): readonly Move[] {
  const { nodes, nodesBySite, actions } = loadScenario(file)
  const first: Move[] =
    nodesBySite === undefined
      ? [{ at: 0, comes: nodes }]
      : Object.entries(nodesBySite).map(([site, count]) => ({ at: 0, comes: count, sites: [site] }))
  const later = actions.flatMap((action): Move[] => {
    const at = action.at / 1_000
    if (action.type === 'join') return [{ at, comes: action.count, ...(action.site !== undefined && { sites: [action.site] }) }]
    if ((action.type !== 'leave' && action.type !== 'kill') || action.targets.site === undefined) return []
    return [{ at, goes: action.type, sites: action.targets.site }]
  })
  return [...first, ...later]
}

describe.each(experiments)('the experiment of $name', ({ name, bursts, duration, nodesPerMachine, topology }) => {
  const file = shippedScenarios().get(name) as string

  it('has the nodes, clusters and times of the scenario file that an operator runs', () => {
    const isOneSite = topology.sites.length === 1
    const comes = bursts.flatMap(({ nodes, sites, from }): Move[] =>
      sites.map((site) => ({ at: from, comes: nodes / sites.length, ...(!isOneSite && { sites: [site] }) })),
    )
    const goes = bursts.flatMap(({ until, end, sites }): Move[] =>
      until === undefined ? [] : [{ at: until, goes: end === 'crash' ? 'kill' : 'leave', sites }],
    )
    expect(movesOf(file)).toEqual([...comes, ...goes])
  })

  it('has its network', () => {
    const { network, duration: ms } = loadScenario(file)
    expect({ duration: ms / 1_000, nodesPerMachine: network.nodesPerMachine, sites: network.sites }).toEqual({
      duration,
      nodesPerMachine,
      sites: topology.name.toLowerCase().replace('-', ''),
    })
  })
})
