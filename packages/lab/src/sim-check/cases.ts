import { resolve } from 'node:path'
import { loadScenario, type RunResult, type Scenario, type Task } from '@jel/simulator'
import { median } from '../base/quantiles.ts'
import { inCheckout } from '../base/paths.ts'

interface Case {
  /** Name in the table. Default: the name of the scenario. */
  readonly name?: string
  readonly scenario: string
  readonly set: readonly string[]
  readonly seeds: readonly number[]
}

/** Several seeds, so that no single run decides the median. */
const seeds = [1, 2, 3, 4, 5]

/**
 * The scenarios are small enough to run with every test, and large enough that every kind of event
 * happens.
 */
const cases: readonly Case[] = [
  { scenario: 'figure-5', set: ['nodes=60', 'duration=30s'], seeds },
  // The run is so short that almost all bytes are those of the crowd.
  { name: 'crowd of 200', scenario: 'figure-5', set: ['nodes=200', 'duration=6s', 'expect=[]'], seeds: [1, 2, 3] },
  { scenario: 'figure-8', set: ['nodes=24', 'duration=7m'], seeds },
  { scenario: 'flash-crowd', set: ['nodes=8', 'duration=60s'], seeds },
  { scenario: 'mass-election', set: ['nodes=24'], seeds },
  { scenario: 'partition-heal', set: ['nodes=24', 'actions=[{ at: 30s, partition: 50%, for: 2m }]', 'duration=4m'], seeds },
  { scenario: 'rack-failure', set: ['nodes=60'], seeds },
  // Failure detection during a cut. Only figures count here: the scenarios' own expectations judge
  // its correctness.
  { scenario: 'three-sites-unequal', set: ['duration=2m', 'expect=[]'], seeds: [1, 2, 3] },
  { scenario: 'three-sites-reject', set: ['duration=2m', 'expect=[]'], seeds: [1, 2, 3] },
  { scenario: 'hostile-suspicions', set: ['duration=2m', 'expect=[]'], seeds: [1, 2, 3] },
  { scenario: 'slow-machine', set: ['expect=[]'], seeds: [1, 2, 3] },
]

const folder = inCheckout('packages/simulator/scenarios')

/** Returns the runs of the guard. */
export function guardTasks(): Task[] {
  return cases.flatMap(({ scenario: file, name = file, set, seeds }) => {
    const scenario: Scenario = { ...loadScenario(resolve(folder, `${file}.yaml`), set), name }
    return seeds.map((seed): Task => ({ scenario, seed, set }))
  })
}

/** Returns the command that repeats the run of one case. */
export function replayOf(name: string, seed: number): string {
  const { scenario, set } = cases.find((each) => (each.name ?? each.scenario) === name) ?? { scenario: name, set: [] }
  return `jel simulate ${scenario} ${set.map((each) => `--set '${each}'`).join(' ')} --replay ${seed}`
}

/** The compared figures of one case: medians over its seeds, in ms and bytes. Less is better. */
export type Figures = Readonly<Record<string, number>>

/** Returns the figures of each case. */
export function figuresOf(results: readonly RunResult[]): Record<string, Figures> {
  const drawn = new Map<string, Map<string, number[]>>()
  for (const result of results) {
    const figures = drawn.get(result.scenario) ?? new Map<string, number[]>()
    drawn.set(result.scenario, figures)
    for (const [name, value] of Object.entries(figuresOfRun(result))) figures.set(name, [...(figures.get(name) ?? []), value])
  }
  return Object.fromEntries(
    [...drawn].map(([name, figures]) => [name, Object.fromEntries([...figures].map(([each, values]) => [each, middle(values)]))]),
  )
}

/**
 * Returns the median of an odd number of values. Returns Infinity if one value is Infinity: the
 * event did not happen in that run.
 */
function middle(values: readonly number[]): number {
  return values.includes(Infinity) ? Infinity : median(values)
}

function figuresOfRun({ allKnewAll, lastArrival, lastChange, detection, received, elections, dials }: RunResult): Figures {
  const whole = (value: number): number => Math.round(value)
  const after = (mark: number, episodes: readonly (readonly [number, number | null])[]): number => {
    const episode = episodes.find(([, to]) => to === null || to > mark)
    return episode === undefined ? Infinity : whole(Math.max(0, episode[0] - mark))
  }
  return {
    'all know all after the last arrival, ms': after(lastArrival, allKnewAll),
    'all know all after the last change, ms': after(lastChange, allKnewAll),
    ...(detection.p99 !== undefined && { 'crash known, p99, ms': whole(detection.p99) }),
    ...Object.fromEntries(
      Object.entries(elections).map(([name, { agreed }]) => [`${name} after the last change, ms`, after(lastChange, agreed)]),
    ),
    'received a node, bytes': whole(received.mean),
    'dials in the worst second': dials.worstSecond,
  }
}
