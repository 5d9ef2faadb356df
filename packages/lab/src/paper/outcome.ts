/** What trials say, in the figures that the paper is compared by. */
import { endOver, experiments, type Experiment, type ExperimentName } from './experiment.ts'
import type { Contender } from './contender.ts'
import type { TrialResult } from './trial.ts'

export class Outcome {
  readonly results: readonly TrialResult[]

  constructor(results: readonly TrialResult[]) {
    this.results = results
  }

  of(experiment: ExperimentName, contender: Contender): TrialResult | undefined {
    return this.results.find((each) => each.experiment === experiment && each.contender === contender)
  }
}

/** When the first of them is up, and when the last, seconds. */
function starts(experiment: ExperimentName, wave: number): readonly [first: number, last: number] {
  const burst = experimentOf(experiment).bursts[wave]
  if (burst === undefined) throw new RangeError(`${experiment} has no wave ${wave}`)
  return [burst.from, burst.from + burst.over]
}

/** Seconds from the first start of the wave until all knew all, for good; undefined: they never did. */
export function joined({ experiment, agreed }: TrialResult, wave = 0): number | undefined {
  const [first, last] = starts(experiment, wave)
  // Whoever is there at the end of the wave includes all of it.
  const found = agreed.find(([, to]) => to > last)
  return found === undefined ? undefined : Math.max(found[0], first) - first
}

/** Seconds from the start until the average perceived size was this share of the whole pool. */
export function reached({ samples, nodes }: TrialResult, share: number): number | undefined {
  return samples.find(([, perceived]) => perceived >= share * nodes)?.[0]
}

/** Seconds from the crash, or from the last leave, of the second wave until all survivors knew, for good. */
export function survived({ experiment, agreed }: TrialResult): number | undefined {
  const { duration, bursts } = experimentOf(experiment)
  const [, burst] = bursts
  if (burst?.until === undefined) return undefined
  const found = agreed.find(([from, to]) => from >= (burst.until ?? 0) && to >= duration)
  const last = burst.until + (burst.end === 'leave' ? endOver : 0)
  return found === undefined ? undefined : Math.max(0, found[0] - last)
}

function experimentOf(wanted: ExperimentName): Experiment {
  const experiment = experiments.find(({ name }) => name === wanted)
  if (experiment === undefined) throw new RangeError(`there is no experiment ${wanted}`)
  return experiment
}
