/** The figures of the trials that the comparison with the paper uses. Times are seconds. */
import type { Contender } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import type { TrialResult } from './trial.ts'

/**
 * Trials of one scale: with one variation where it was tried, otherwise with the scenario's own
 * settings.
 */
export class Outcome {
  readonly #results = new Map<string, TrialResult[]>()

  constructor(results: readonly TrialResult[], scale: number, variation?: string) {
    const ofScale = results.filter((result) => result.scale === scale && (result.variation ?? variation) === variation)
    const bySeed = ofScale.toSorted((a, b) => a.seed - b.seed)
    for (const [key, trials] of Map.groupBy(bySeed, ({ experiment, contender }) => `${experiment} ${contender}`)) {
      const varied = trials.filter((result) => result.variation !== undefined)
      this.#results.set(key, varied.length > 0 ? varied : trials)
    }
  }

  /** By seed. */
  of(experiment: ExperimentName, contender: Contender): readonly TrialResult[] {
    return this.#results.get(`${experiment} ${contender}`) ?? []
  }

  /** Seeds with which any of these was run. */
  seeds(names: readonly ExperimentName[]): number[] {
    const seeds = [...this.#results.values()].flat().filter(({ experiment }) => names.includes(experiment))
    return [...new Set(seeds.map(({ seed }) => seed))].toSorted((a, b) => a - b)
  }
}

/** Longest time from the first node of a wave to the last one, s. */
const longestSpread = 5

/** Time from the first start of the wave until all see all; undefined: they never did. */
export function joined({ experiment, agreed }: TrialResult, wave = 0): number | undefined {
  const { waves, end } = experiments[experiment]
  const start = waves[wave] ?? 0
  const next = waves[wave + 1] ?? end?.at ?? Infinity
  // An agreement from before the whole wave had come ends when the rest comes.
  const found = agreed.find(([from, to]) => from >= start && from < next && (to ?? Infinity) > start + longestSpread)
  return found === undefined ? undefined : found[0] - start
}

/** Time from the end of the second wave until all survivors agree for good. */
export function survived({ experiment, agreed }: TrialResult): number | undefined {
  const { end } = experiments[experiment]
  if (end === undefined) return undefined
  const found = agreed.find(([from, to]) => from >= end.at && to === null)
  return found === undefined ? undefined : found[0] - end.at
}

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Undefined values never came. Returns undefined for no values. */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.map((value) => value ?? Infinity).toSorted((a, b) => (a === b ? 0 : a - b))
  const [least] = known
  const most = known.at(-1)
  if (least === undefined || most === undefined) return undefined
  const middle = known[(known.length - 1) >> 1] as number
  const other = known[known.length >> 1] as number
  return { median: middle === other ? middle : (middle + other) / 2, least, most }
}
