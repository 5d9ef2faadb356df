import { resolve } from 'node:path'
import { loadScenario, type RunResult, type Scenario, type Task } from '@jel/simulator'

/** Small enough to run with every test, large enough that everything happens in them. */
const cases: readonly { readonly scenario: string; readonly set: readonly string[]; readonly seeds: readonly number[] }[] = [
  { scenario: 'figure-5', set: ['nodes=60', 'duration=30s'], seeds: [1, 2] },
  { scenario: 'figure-8', set: ['nodes=24', 'duration=7m'], seeds: [1, 2] },
  { scenario: 'flash-crowd', set: ['nodes=8', 'duration=60s'], seeds: [1, 2] },
  { scenario: 'mass-election', set: ['nodes=24'], seeds: [1, 2] },
  { scenario: 'partition-heal', set: ['nodes=24', 'actions=[{ at: 30s, partition: 50%, for: 2m }]', 'duration=4m'], seeds: [1, 2] },
  { scenario: 'rack-failure', set: ['nodes=60'], seeds: [1, 2] },
]

const folder = resolve(import.meta.dirname, '../../packages/simulator/scenarios')

/** The runs that the guard looks at. */
export function guardTasks(): Task[] {
  return cases.flatMap(({ scenario: name, set, seeds }) => {
    const scenario: Scenario = { ...loadScenario(resolve(folder, `${name}.yaml`), set), name }
    return seeds.map((seed): Task => ({ scenario, seed, set }))
  })
}

/** What is compared of one scenario: the worst of its seeds, milliseconds and bytes; less is better. */
export type Figures = Readonly<Record<string, number>>

/** Figures of each scenario. */
export function figuresOf(results: readonly RunResult[]): Record<string, Figures> {
  const byScenario: Record<string, Record<string, number>> = {}
  for (const result of results) {
    const figures = (byScenario[result.scenario] ??= {})
    for (const [name, value] of Object.entries(figuresOfRun(result))) figures[name] = Math.max(figures[name] ?? 0, value)
  }
  return byScenario
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
