import { describe, expect, it } from 'vitest'
import { Exploration } from '../../test/explore.ts'
import { scenarios } from '../../test/scenarios.ts'

// `CASES=all` visits up to a million states of each configuration. That takes some minutes.
const isAll = process.env['CASES'] === 'all'
/** The usual tests stop a long exploration here. */
const USUAL = 10_000
const LIMIT = isAll ? 1_000_000 : USUAL

describe('no order of messages, crashes and writes breaks a rule', () => {
  for (const [name, { isLong = false, ...scenario }] of Object.entries(scenarios))
    it(`all states: ${name}`, { timeout: isAll ? 600_000 : 30_000 }, async ({ annotate }) => {
      const exploration = new Exploration(scenario)
      const isComplete = exploration.run(isLong ? LIMIT : 100_000)
      const { states, steps } = exploration
      await annotate(`${states.toLocaleString('en')} states, ${steps.toLocaleString('en')} steps${isComplete ? ', all of them' : ''}`)
      // A long scenario with fewer states is not long, or has lost some of its states.
      expect(states).toBeGreaterThan(isLong ? USUAL : 500)
      if (!isLong) expect(isComplete).toBe(true)
    })
})
