/** A few small histories. Together they contain all code that draws random numbers or sorts. */
import { join } from 'node:path'
import { loadScenario, runScenario } from '@jel/simulator'
import { inCheckout } from '../base/paths.ts'
import { baselines, type BaselineName } from '../baselines/index.ts'
import { runPool } from '../baselines/pool-run.ts'

interface Case {
  readonly name: string
  readonly scenario: string
  readonly set: readonly string[]
  readonly baseline?: BaselineName
}

const others: readonly BaselineName[] = ['serial-send', 'peer-bootstrap', 'broadcast-tree', 'adaptive-gossip', 'distributed']

const cases: readonly Case[] = [
  {
    name: 'churn with exponential sessions',
    scenario: 'steady-churn',
    set: ['nodes=16', 'sessions={ exponential: 40s, ends: { crash: 50% }, replaced: 2s }', 'duration=70s'],
  },
  {
    name: 'churn with Pareto sessions, loss and NAT',
    scenario: 'steady-churn',
    set: ['nodes=16', 'sessions={ pareto: { min: 15s, shape: 1.5 }, replaced: 2s }', 'network.loss=2%', 'network.nat=20%', 'duration=70s'],
  },
  { name: 'the world of Table IV', scenario: 'wide-area-world', set: ['nodes=24', 'duration=80s'] },
  {
    name: 'a partition that heals',
    scenario: 'partition-heal',
    set: ['nodes=16', 'actions=[{ at: 30s, partition: 50%, for: 40s }]', 'duration=100s'],
  },
  ...others.map((baseline): Case => ({
    name: `Figure 5 with ${baseline}`,
    scenario: 'figure-5',
    set: ['nodes=24', 'duration=40s'],
    baseline,
  })),
]

const folder = inCheckout('packages/simulator/scenarios')

/**
 * Returns the trace hash of each history by its name. Broken promises do not matter here: the hash
 * must only be the same everywhere.
 */
export function traceHashes(): Record<string, string> {
  return Object.fromEntries(
    cases.map(({ name, scenario, set, baseline }) => {
      const loaded = loadScenario(join(folder, `${scenario}.yaml`), [...set, 'expect=[]'])
      const hash =
        baseline === undefined
          ? runScenario({ scenario: { ...loaded, name: scenario }, seed: 1 }).result.traceHash
          : runPool(loaded, { contender: baseline, create: baselines[baseline](), seed: 1 }).simulation.traceHash
      return [name, hash]
    }),
  )
}
