import { describe, expect, it } from 'vitest'
import type { RunResult, Violation } from '../report/result.ts'
import { parseScenario } from '../scenario/parse.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { writeScenario } from '../scenario/write.ts'
import { runScenario } from './run.ts'
import { shrink } from './shrink.ts'

const big = parseScenario(`
  name: big
  nodes: { a: 30, b: 30 }
  duration: 5m
  seeds: 4
  sessions: { exponential: 1h, replaced: 5s }
  elections: { master: 20% }
  network:
    sites: { a: { to: { b: 20ms }, bandwidth: { up: 2Mbit } }, b: { dialable: from the site, weight: 2 } }
    bandwidth: { down: 1.5Mbit, machine: 10Mbit }
    loss: 0.5%
    nat: 10%
    nodesPerMachine: 3
    processor: { count: 4, speed: 0.5 }
  actions:
    - { at: 10s, kill: { site: a, share: 10% } }
    - { at: 20s, every: 10s, until: 60s, stop: [3, 7..9], for: 5s }
    - { at: 30s, partition: [{ site: [a] }, { rack: 1 }], for: 10s }
    - { at: 40s, silence: 5 }
    - { at: 50s, join: 50%, site: b, over: 10s }
    - { at: 60s, cut: { from: { winner: master }, to: all }, for: 1500ms }
    - { at: 70s, flap: 2, period: 1s, for: 10s }
    - { at: 80s, loss: 12.5%, on: { nat: true } }
    - { at: 90s, maybeDead: 4, by: { count: 3 } }
    - { at: 100s, withdraw: master, by: { machine: 0..1 } }
    - { at: 110s, heal: all }
  expect:
    - allKnowAll: { within: 10s }
    - oneWinner: { election: master, after: 100s, within: 1m }
    - bytesPerNode: { atMost: 1.5MB, of: worst }
    - detection: { within: 3s, quantile: 99.9% }
    - noFalseDeaths`)

/**
 * Fakes a run that breaks a promise whenever at least seven nodes are there and a cable is pulled.
 */
function fake(scenario: Scenario, seed: number): RunResult {
  const fails = scenario.nodes >= 7 && scenario.actions.some(({ type }) => type === 'silence') && scenario.duration >= 45_000
  const violation: Violation = { time: 45_000 + seed, node: 2, what: `was told that node ${seed} died`, before: [] }
  return { seed, ...(fails && { violation }), verdicts: [] } as unknown as RunResult
}

describe('a failing scenario', () => {
  it('is made smaller as long as it fails in the same way', () => {
    const smaller = shrink(big, fake(big, 4), { run: fake, goOn: () => true })
    expect(smaller).toMatchObject({ nodes: 7, actions: [{ type: 'silence', at: 39_000 }], elections: {}, expect: [] })
    expect(smaller?.duration).toBeLessThanOrEqual(47_000)
    expect(smaller).not.toHaveProperty('sessions')
    expect(smaller?.network).not.toHaveProperty('sites')
  })

  it('distinguishes a late event from a missing one', () => {
    const late = (scenario: Scenario, seed: number): RunResult =>
      ({
        seed,
        verdicts: [{ what: 'all know all', held: false, seen: '', ...(scenario.nodes >= 10 && { value: 12_000 }) }],
      }) as unknown as RunResult
    const smaller = shrink(big, late(big, 4), { run: late, goOn: () => true })
    expect(smaller?.nodes).toBe(10)
  })

  it('drops unneeded pauses, and moves later actions along', () => {
    const needs = (scenario: Scenario, seed: number): RunResult => {
      const [cut, silence] = ['cut', 'silence'].map((type) => scenario.actions.find((action) => action.type === type))
      const fails = cut && silence && silence.at >= 4_000 && cut.at >= silence.at + 7_000 && scenario.duration >= cut.at + 3_000
      return {
        seed,
        ...(fails && { violation: { time: cut.at + 2_000, what: 'broken', before: [] } }),
        verdicts: [],
      } as unknown as RunResult
    }
    const smaller = shrink(big, needs(big, 4), { run: needs, goOn: () => true }) as Scenario
    expect(smaller.actions).toMatchObject([
      { type: 'silence', at: 4_000 },
      { type: 'cut', at: 11_000 },
    ])
    expect(smaller.duration).toBeLessThanOrEqual(15_000)
  })

  it('stays as it is if there is no time, and has no result if it does not fail', () => {
    expect(shrink(big, fake(big, 4), { run: fake, goOn: () => false })).toMatchObject({ nodes: 60 })
    expect(shrink({ ...big, nodes: 3 }, fake({ ...big, nodes: 3 }, 4), { run: fake, goOn: () => true })).toBeUndefined()
  })

  it('is written as a file that is read as the same scenario', () => {
    expect(parseScenario(writeScenario(big))).toEqual(big)
    const small = parseScenario(
      'name: s\nnodes: 3\nduration: 90s\narrivals: { poisson: 2/s }\nsessions: { pareto: { min: 30s, shape: 1.5 }, ends: { crash: 25% } }',
    )
    expect(parseScenario(writeScenario(small))).toEqual(small)
  })

  it('is made smaller with real runs', { timeout: 60_000 }, () => {
    const scenario = parseScenario(
      'nodes: 12\nduration: 40s\nactions: [{ at: 5s, kill: 3 }, { at: 10s, leave: 4 }]\nexpect: [{ allKnowAll: { after: 5s, within: 1ms } }]',
    )
    const run = (candidate: Scenario, seed: number): RunResult => runScenario({ scenario: candidate, seed }).result
    const smaller = shrink(scenario, run(scenario, 1), { run, goOn: () => true })
    expect(smaller).toMatchObject({ nodes: 4, actions: [{ type: 'kill' }] })
    const [seed = 0] = smaller?.seeds ?? []
    expect(run(parseScenario(writeScenario(smaller as Scenario)), seed).verdicts[0]?.held).toBe(false)
  })
})
