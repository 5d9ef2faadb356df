import { Metrics } from '../report/metrics.ts'
import type { JobsResult, Verdict } from '../report/result.ts'
import type { ExpectationType } from '../scenario/expectation.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Testbed } from '../testbed.ts'
import { ActionRunner } from './action-runner.ts'
import { Population } from './population.ts'
import { GroundTruth } from './ground-truth.ts'
import { judge } from './verdict.ts'

/**
 * A scenario under way on a testbed: its population, its actions and the verdicts on its
 * expectations.
 */
export class ScenarioRunner {
  readonly truth: GroundTruth
  readonly metrics: Metrics

  constructor(testbed: Testbed, scenario: Scenario) {
    this.truth = new GroundTruth(testbed, scenario)
    this.metrics = new Metrics(this.truth, electionsOf(scenario))
  }

  /**
   * Schedules everything. Events due at once happen at once. `samples`: measures at the `sample`
   * interval of the scenario.
   */
  start({ samples = true }: { readonly samples?: boolean } = {}): void {
    this.metrics.start(samples)
    new ActionRunner(this.truth).start()
    new Population(this.truth).start()
  }

  /**
   * Judges the expectations. Call it at the end. Leaves out `unseen` types, because this testbed
   * can't observe them.
   */
  verdicts(unseen: readonly ExpectationType[] = [], computed?: JobsResult): Verdict[] {
    const { scenario } = this.truth
    return scenario.expect
      .filter(({ type }) => !unseen.includes(type))
      .map((expectation) => judge(expectation, this.truth, this.metrics, computed))
  }
}

/** Returns the elections that the scenario names. */
function electionsOf(scenario: Scenario): string[] {
  const names = new Set(Object.keys(scenario.elections))
  for (const action of scenario.actions) if (action.type === 'elect') names.add(action.election)
  return [...names]
}
