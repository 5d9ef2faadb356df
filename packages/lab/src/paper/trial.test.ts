import { afterAll, describe, expect, it } from 'vitest'
import { assumeMemberBytes } from '../baselines/index.ts'
import { contenders } from './contender.ts'
import { experimentNames, experiments, scenarioOf } from './experiment.ts'
import { joined, spreadOf, survived } from './outcome.ts'
import { planTrials } from './plans.ts'
import { runTrial, type TrialPlan } from './trial.ts'

const plan = (rest: Partial<TrialPlan>): TrialPlan => ({ experiment: 'figure-5', contender: 'serial-send', seed: 1, scale: 0.02, ...rest })

// A variation changes the size of a member for the whole thread, in which other files are tested.
afterAll(() => assumeMemberBytes(100))

describe('a trial', () => {
  it.each(contenders)('of %s finds when the average view reaches half and nearly all of the pool, and counts bytes', (contender) => {
    const { half = Infinity, nearly = Infinity, nodes, payload, received } = runTrial(plan({ contender }))
    expect(nodes).toBe(20)
    expect(half).toBeLessThanOrEqual(nearly)
    expect(nearly).toBeLessThan(60)
    expect(received.mean).toBeGreaterThan(0)
    expect(payload.service === undefined).toBe(contender === 'jel')
  })

  it('reports the time until survivors know of a crash', () => {
    const result = runTrial(plan({ experiment: 'figure-8', contender: 'jel', scale: 0.02 }))
    expect(joined(result)).toBeLessThan(5)
    expect(joined(result, 1)).toBeLessThan(5)
    expect(survived(result)).toBeLessThan(10)
    expect(result.crash).toMatchObject({ missed: 0 })
  })

  it('takes longer if connections cost processor time, and sends more if members are larger', () => {
    const nearly = (variation?: string): number => runTrial(plan(variation === undefined ? {} : { variation })).nearly ?? Infinity
    expect(nearly('processor-5ms')).toBeGreaterThan(nearly())
    const table = plan({ experiment: 'table-2', scale: 0.01 })
    expect(runTrial({ ...table, variation: 'member-200' }).payload.mean).toBeGreaterThan(
      1.3 * runTrial({ ...table, variation: 'member-50' }).payload.mean,
    )
  })
})

it('a scaled scenario differs only in the number of nodes', () => {
  const { nodes, nodesBySite, network } = scenarioOf(experiments['figure-7'], 0.1)
  expect({ nodes, nodesBySite }).toEqual({ nodes: 80, nodesBySite: { VU: 40, UvA: 40 } })
  expect(network).toEqual(scenarioOf(experiments['figure-7'], 1).network)
})

it('a plan has three seeds at the paper’s sizes, twenty at a fifth, and no trial twice', () => {
  const plans = planTrials({ scales: [1, 0.2], experiments: experimentNames, contenders, seeds: undefined }, new Map())
  // prettier-ignore
  const seeds = (scale: number): number => plans.filter((each) => each.experiment === 'figure-6' && each.contender === 'jel' && each.scale === scale && each.variation === undefined).length
  expect([seeds(1), seeds(0.2)]).toEqual([3, 20])
  expect(new Set(plans.map((each) => JSON.stringify(each))).size).toBe(plans.length)
})

it('a summary has the median, the least and the most', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 })
  expect(spreadOf([1, 2])).toEqual({ median: 1.5, least: 1, most: 2 })
  expect(spreadOf([1, undefined, undefined])).toEqual({ median: Infinity, least: 1, most: Infinity })
  expect(spreadOf([])).toBeUndefined()
})
