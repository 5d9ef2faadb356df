/**
 * Selects the trials of docs/jel-paper.md: three seeds at the paper's sizes, and twenty at a fifth
 * of them. Varies the settings that the paper leaves open, at a fifth of the sizes.
 */
import { contenders, type Contender } from './contender.ts'
import { experimentNames, experiments, type ExperimentName } from './experiment.ts'
import type { TrialPlan, TrialResult } from './trial.ts'
import { variations } from './variation.ts'

/** Share of the paper's nodes in the trials with many seeds. */
export const small = 0.2
const seeds = { whole: 3, small: 20, variation: 3 }
/**
 * Fewer seeds for Table II: its trials take ten minutes each, and bytes hardly depend on the seed.
 */
const seedsOfTable = { small: 3, variation: 1 }

export interface Wanted {
  readonly scales: readonly number[]
  readonly experiments: readonly ExperimentName[]
  readonly contenders: readonly Contender[]
  /** Undefined: as many as the document needs. */
  readonly seeds: number | undefined
}

/**
 * Plans the trials. The trials that took longest in the last run come first. So no thread has to
 * wait for a long trial at the end.
 */
export function planTrials(wanted: Wanted, last: ReadonlyMap<string, TrialResult>): TrialPlan[] {
  const cost = (plan: TrialPlan): number => last.get(keyOf(plan))?.cpuSeconds ?? Infinity
  return [...base(wanted), ...varied(wanted)].toSorted((a, b) => (cost(a) === cost(b) ? 0 : cost(b) - cost(a)))
}

function base(wanted: Wanted): TrialPlan[] {
  return wanted.scales.flatMap((scale) =>
    wanted.experiments.flatMap((experiment) => {
      // The paper's own pool is small in this experiment, so it gets many seeds at full size.
      if (experiment === 'table-3') return scale === 1 ? trials(experiment, contenders, wanted, { scale }, seeds.small) : []
      const most = scale === 1 ? seeds.whole : (experiment === 'table-2' ? seedsOfTable : seeds).small
      return trials(experiment, experiments[experiment].contenders, wanted, { scale }, most)
    }),
  )
}

function varied(wanted: Wanted): TrialPlan[] {
  if (!wanted.scales.includes(small)) return []
  return variations.flatMap(({ name, experiments: tried, contenders: which }) =>
    tried
      .filter((experiment) => wanted.experiments.includes(experiment))
      .flatMap((experiment) => {
        const most = (experiment === 'table-2' ? seedsOfTable : seeds).variation
        return trials(experiment, which ?? experiments[experiment].contenders, wanted, { scale: small, variation: name }, most)
      }),
  )
}

function trials(
  experiment: ExperimentName,
  of: readonly Contender[],
  { contenders: wanted, seeds: asked }: Wanted,
  rest: Pick<TrialPlan, 'scale' | 'variation'>,
  most: number,
): TrialPlan[] {
  const count = Math.min(most, asked ?? most)
  return of
    .filter((contender) => wanted.includes(contender))
    .flatMap((contender) => Array.from({ length: count }, (_, i): TrialPlan => ({ experiment, contender, seed: i + 1, ...rest })))
}

export function keyOf({ experiment, contender, seed, scale, variation }: TrialPlan): string {
  return [experiment, contender, seed, scale, variation ?? ''].join(' ')
}

/** Returns the results in the order of the document. */
export function inOrder(results: Iterable<TrialResult>): TrialResult[] {
  const rank = ({ scale, variation, experiment, contender, seed }: TrialResult): readonly (number | string)[] => [
    -scale,
    variations.findIndex(({ name }) => name === variation),
    experimentNames.indexOf(experiment),
    experiments[experiment].contenders.indexOf(contender),
    seed,
  ]
  return [...results].toSorted((a, b) => {
    const [one, other] = [rank(a), rank(b)]
    const at = one.findIndex((each, i) => each !== other[i])
    return at < 0 ? 0 : Number(one[at]) - Number(other[at])
  })
}
