import type { ScenarioJob } from '../scenario/jobs.ts'
import type { Actor } from './actor.ts'

/** The jobs of a scenario on the nodes of a testbed. */
export interface JobTestbed {
  /** Submits a job at this node. */
  submit(by: Actor, job: ScenarioJob): void
}
