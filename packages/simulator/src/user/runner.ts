import { Metrics } from '../report/metrics.ts'
import type { JobsResult, Verdict } from '../report/result.ts'
import type { ExpectationType } from '../scenario/expectation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Testbed } from '../testbed.ts'
import { Direction } from './direction.ts'
import { Population } from './population.ts'
import { Stage } from './stage.ts'
import { judge } from './verdict.ts'

/**
 * A scenario under way on a testbed: its population, its actions and the verdicts on its
 * expectations.
 */
export class ScenarioRunner {
  readonly stage: Stage
  readonly metrics: Metrics

  constructor(testbed: Testbed, scenario: Scenario) {
    this.stage = new Stage(testbed, scenario)
    this.metrics = new Metrics(this.stage, electionsOf(scenario))
  }

  /**
   * Schedules everything. Events due at once happen at once. `samples`: measures each `sample` of
   * the scenario.
   */
  start({ samples = true }: { readonly samples?: boolean } = {}): void {
    this.metrics.start(samples)
    new Direction(this.stage).start()
    new Population(this.stage).start()
  }

  /**
   * Call it at the end. Leaves out expectations of `unseen` types, which this testbed can't
   * observe.
   */
  verdicts(unseen: readonly ExpectationType[] = [], computed?: JobsResult): Verdict[] {
    const { scenario } = this.stage
    return scenario.expect
      .filter(({ type }) => !unseen.includes(type))
      .map((expectation) => judge(expectation, this.stage, this.metrics, computed))
  }
}

/** Returns the elections that the scenario names. */
function electionsOf(scenario: Scenario): string[] {
  const names = new Set(Object.keys(scenario.elections))
  for (const action of scenario.actions) if (action.type === 'elect') names.add(action.election)
  return [...names]
}
