/**
 * Runs a scenario's nodes, network and actions on a virtual grid. There an oracle notifies every
 * member of each change.
 */
import { loadScenario, networkOf, Placement, type Action, type Scenario, type Targets } from '@jel/simulator'
import { irregularTree, measure, rootInput, VirtualGrid, type GridMember, type Measures } from '@jel/simulator/internals'
import { inCheckout } from '../base/paths.ts'
import { sum } from '../base/quantiles.ts'
import type { Setting } from './settings.ts'

const JOB = 'job'

/**
 * Runs one job. The times of the scenario's actions count from the submission of the file's first
 * job.
 */
export function runJob(
  { scenario: file, leaf, seconds }: Pick<Setting, 'scenario' | 'leaf' | 'seconds'>,
  seed: number,
): Measures & { readonly members: number } {
  const scenario = loadScenario(inCheckout(`packages/simulator/scenarios/${file}.yaml`), [])
  const places = new Placement(scenario)
  const starting = Array.from({ length: scenario.nodes }, () => siteOf(places))
  const late = scenario.actions.flatMap((action) => (action.type === 'join' && action.every === undefined ? [action] : []))
  const cores = sum([
    ...starting.map((site) => workersAt(scenario, site)),
    ...late.map(({ count, site = '' }) => count * workersAt(scenario, site)),
  ])
  const leaves = Math.round((cores * seconds * 1000) / leaf)
  const program = irregularTree({ leaves, leafTime: leaf, branching: 4, seed })
  const { sites, delays } = networkOf(scenario.network).topology as NonNullable<ReturnType<typeof networkOf>['topology']>
  const numbers = new Map(sites.map(({ name }, index) => [name, index]))
  const latency = (from: string, to: string): number => delays[numbers.get(from) ?? 0]?.[numbers.get(to) ?? 0] ?? 0
  const grid = new VirtualGrid({ seed, program, latency, sites })
  const join = (site: string): GridMember => grid.join({ site, workers: workersAt(scenario, site) })
  for (const site of starting) join(site)
  grid.settle()
  grid.submit({ id: JOB, input: rootInput(leaves) })
  const begin = grid.now
  const submitted = scenario.jobs[0]?.at ?? 0
  for (const action of scenario.actions) {
    const { at, every = Infinity, until = scenario.duration } = action
    for (let time = at; time <= (every === Infinity ? at : until); time += every)
      grid.after(time - submitted, () => act(grid, action, (site) => join(siteOf(places, site))))
  }
  grid.until(() => grid.doneAt.has(JOB), seconds * 10_000)
  return { ...measure(grid, JOB, begin), members: starting.length + sum(late.map(({ count }) => count)) }
}

function act(grid: VirtualGrid, action: Action, join: (site: string | undefined) => GridMember): void {
  if (action.type === 'kill') for (const member of chosen(grid, action.targets)) grid.kill(member)
  else if (action.type === 'join') for (let i = 0; i < action.count; i++) join(action.site)
  else if (action.type === 'partition') {
    const [side] = action.sides
    grid.cut(({ site }) => side?.site?.includes(site) === true)
    if (action.for !== undefined) grid.after(action.for, () => grid.heal())
  } else throw new Error(`the virtual grid has no ${action.type}`)
}

/** Returns the member that holds the root, or a number of random living members. */
function chosen({ living, random }: VirtualGrid, { root, share = 0, count = Math.round(living.length * share) }: Targets): GridMember[] {
  const holder = living[0]?.scheduler.replicas(JOB)[0]
  if (root !== undefined) return living.filter(({ id }) => id === holder)
  const order = living.map((member) => [member, random()] as const).sort(([, a], [, b]) => a - b)
  return order.slice(0, count).map(([member]) => member)
}

function siteOf(places: Placement, site?: string): string {
  return places.next(site).site ?? ''
}

function workersAt({ compute: { workers } }: Scenario, site: string): number {
  return typeof workers === 'number' ? workers : (workers[site] ?? 1)
}
