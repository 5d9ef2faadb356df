import { describe, expect, it } from 'vitest'
import { Exploration } from '../../test/explore.ts'
import { scenarios } from '../../test/scenarios.ts'

// `CASES=all` visits up to a million states of each configuration. That takes some minutes.
const isAll = process.env['CASES'] === 'all'
const LIMIT = isAll ? 1_000_000 : 10_000

describe('no order of messages, crashes and writes breaks a rule', () => {
  for (const [name, { isLong = false, ...scenario }] of Object.entries(scenarios))
    it(`all states: ${name}`, { timeout: isAll ? 600_000 : 30_000 }, async ({ annotate }) => {
      const exploration = new Exploration(scenario)
      const isComplete = exploration.run(isLong ? LIMIT : 100_000)
      const { states, steps } = exploration
      await annotate(`${states.toLocaleString('en')} states, ${steps.toLocaleString('en')} steps${isComplete ? ', all of them' : ''}`)
      expect(isLong || isComplete).toBe(true)
      expect(states).toBeGreaterThan(300)
    })
})
