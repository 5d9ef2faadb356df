/** Runs the same scenarios in the simulator, and puts the verdicts side by side. */
import { runScenario, type Scenario, type Verdict } from '@jel/simulator'
import type { Shown } from '../base/figures.ts'
import { markdownTable } from '../base/markdown.ts'
import type { Result } from './run.ts'

const HEADER = ['scenario', 'expected', 'simulator', 'laboratory', 'same']

/** One expectation, with its verdicts in the simulator and on real hosts. */
interface Row {
  readonly scenario: string
  readonly simulated: Verdict
  readonly real: Verdict
}

/** Runs each scenario in the simulator with the same seed. */
export function besideSimulator(results: readonly Result[], scenarioOf: (name: string) => Scenario): Row[] {
  return results.flatMap(({ scenario, seed, verdicts }) => {
    const simulated = runScenario({ scenario: scenarioOf(scenario), seed }).result.verdicts
    return verdicts.flatMap((real) => {
      const same = simulated.find(({ what }) => what === real.what)
      return same === undefined ? [] : [{ scenario, simulated: same, real }]
    })
  })
}

function besideTable(rows: readonly Row[]): string {
  const said = ({ held, seen }: Verdict): string => `${held ? 'yes' : 'no'}: ${seen}`
  return markdownTable(
    HEADER,
    rows.map(({ scenario, simulated, real }) => [
      scenario,
      real.what,
      said(simulated),
      said(real),
      simulated.held === real.held ? 'yes' : '**no**',
    ]),
  )
}

export const shown: Shown<readonly Row[]> = { name: 'scenarios', document: 'docs/lab.md', section: 'scenarios', text: besideTable }
