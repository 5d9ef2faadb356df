import { expect, it } from 'vitest'
import { loadScenario, runScenario, shippedScenarios } from '../src/index.ts'

// With this seed three members observe some member of the other half. Their certificate
// has too few accusers for the others, who never had a link with that member.
it.each([94])('both halves of a pool know soon that they are parted, seed %i', (seed) => {
  const shorter = ['nodes=40', 'duration=50s', 'expect=[{ allKnowAll: { after: 30s, within: 15s } }]']
  const { violation, verdicts } = runScenario({
    scenario: loadScenario(shippedScenarios().get('partition-heal') ?? '', shorter),
    seed,
  }).result
  expect(violation).toBeUndefined()
  expect(verdicts.filter(({ held }) => !held)).toEqual([])
})
