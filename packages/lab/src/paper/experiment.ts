/**
 * The paper's experiments of §6.1 to §6.4. Each experiment is a scenario with its measurements.
 * `jel simulate` can also run the scenario.
 */
import { loadScenario, shippedScenarios, type Scenario } from '@jel/simulator'
import { contenders, type Contender } from './contender.ts'

export const experimentNames = ['figure-5', 'figure-6', 'table-2', 'figure-7', 'figure-8', 'table-3'] as const
export type ExperimentName = (typeof experimentNames)[number]

export interface Experiment {
  readonly name: ExperimentName
  readonly title: string
  /** The shipped scenario, and the changed settings. */
  readonly scenario: string
  readonly set: readonly string[]
  readonly contenders: readonly Contender[]
  /** Start of each wave of nodes, and end of the last wave, s. */
  readonly waves: readonly number[]
  readonly end?: { readonly at: number; readonly how: 'leave' | 'crash' }
}

const some: readonly Contender[] = ['serial-send', 'distributed', 'jel']
/**
 * Settings of the join tests: they cover the time that the paper shows. The samples are the 200
 * points that a trial keeps of a curve.
 */
const joining = ['duration=100s', 'actions=[]', 'sample=500ms']
const inTwoWaves = { contenders: some, waves: [0, 200], set: ['sample=1s'] }

export const experiments: Readonly<Record<ExperimentName, Experiment>> = {
  'figure-5': {
    name: 'figure-5',
    title: 'Figure 5: join test, 1,000 nodes, DAS-2',
    scenario: 'figure-5',
    set: joining,
    contenders,
    waves: [0],
  },
  'figure-6': {
    name: 'figure-6',
    title: 'Figure 6: join test, 2,000 nodes, DAS-3',
    scenario: 'figure-6',
    set: joining,
    contenders,
    waves: [0],
  },
  'table-2': {
    name: 'table-2',
    title: 'Table II: ten minutes of Figure 6',
    scenario: 'figure-6',
    set: ['sample=1m'],
    contenders,
    waves: [0],
  },
  'figure-7': {
    ...inTwoWaves,
    name: 'figure-7',
    title: 'Figure 7: join and leave, 800 + 800 nodes on 4 clusters',
    scenario: 'figure-7',
    end: { at: 400, how: 'leave' },
  },
  'figure-8': {
    ...inTwoWaves,
    name: 'figure-8',
    title: 'Figure 8: join and crash, 800 + 800 nodes on 4 clusters',
    scenario: 'figure-8',
    end: { at: 400, how: 'crash' },
  },
  // One process for each of the 256 cores, on machines with four cores. The paper does not give the
  // number of machines.
  'table-3': {
    name: 'table-3',
    title: 'Table III: 256 nodes join, DAS-3',
    scenario: 'figure-6',
    set: ['nodes={ VU: 256 }', 'network.nodesPerMachine=4', ...joining],
    contenders,
    waves: [0],
  },
}

/**
 * Returns the scenario of an experiment with this share of its nodes. `more`: the settings of a
 * variation.
 */
export function scenarioOf({ scenario, set }: Experiment, scale: number, more: readonly string[] = []): Scenario {
  const file = shippedScenarios().get(scenario)
  if (file === undefined) throw new RangeError(`there is no scenario ${scenario}`)
  const { nodes, nodesBySite } = loadScenario(file, set)
  const scaled = (count: number): number => Math.max(1, Math.round(count * scale))
  const bySite = nodesBySite && Object.fromEntries(Object.entries(nodesBySite).map(([site, count]) => [site, scaled(count)]))
  return loadScenario(file, [...set, `nodes=${bySite === undefined ? scaled(nodes) : JSON.stringify(bySite)}`, 'expect=[]', ...more])
}
