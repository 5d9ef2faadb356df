import { Metrics } from '../report/metrics.ts'
import type { JobsResult, Verdict } from '../report/result.ts'
import type { ExpectationType } from '../scenario/expectation.ts'
import type { ScenarioJob } from '../scenario/jobs.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Testbed } from '../testbed.ts'
import { ActionRunner } from './action-runner.ts'
import { Population } from './population.ts'
import { GroundTruth } from '../truth/ground-truth.ts'
import type { Actor } from '../truth/actor.ts'
import { select } from '../truth/selection.ts'
import { judge } from './verdict.ts'

/** Submits a job at this node. */
type Submit = (by: Actor, job: ScenarioJob) => void

/**
 * A scenario under way on a testbed: its population, its actions, its jobs and the verdicts on its
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
   * interval of the scenario. Without `submit` no node submits a job.
   */
  start({ samples = true, submit }: { readonly samples?: boolean; readonly submit?: Submit | undefined } = {}): void {
    if (submit !== undefined) for (const job of this.truth.scenario.jobs) this.truth.testbed.after(job.at, () => this.#submit(job, submit))
    this.metrics.start(samples)
    new ActionRunner(this.truth).start()
    new Population(this.truth).start()
  }

  #submit(job: ScenarioJob, submit: Submit): void {
    const [by] = select(this.truth.actors, job.by, this.truth.random)
    if (by === undefined) return
    submit(by, job)
    this.truth.changed(`node ${by.number} submits ${job.name}`)
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
