import { expect, it } from 'vitest'
import { loadScenario, runScenario, shippedScenarios } from '../src/index.ts'
import { seeds } from './seeds.ts'

it.each(seeds('1-2'))('a pool whose machine has too much to do holds nobody for dead, and comes to rest, seed %i', (seed) => {
  const scenario = loadScenario(shippedScenarios().get('slow-machine') ?? '')
  const { violation, verdicts, knocks, samples } = runScenario({ scenario, seed }).result
  expect(violation).toBeUndefined()
  expect(verdicts.filter(({ held }) => !held)).toEqual([])
  expect(knocks.total).toBeGreaterThan(0)
  const last = Math.floor(samples.knocks.length * 0.8)
  expect(samples.knocks.slice(last)).toEqual(samples.knocks.slice(last).map(() => 0))
})

it.each(seeds('2-3'))('halves whose processors have too much to do come together again, seed %i', (seed) => {
  const scenario = loadScenario(shippedScenarios().get('busy-heal') ?? '')
  const { violation, verdicts } = runScenario({ scenario, seed }).result
  expect(violation).toBeUndefined()
  expect(verdicts.filter(({ held }) => !held)).toEqual([])
})
