/** The figures of the trials for the comparison with the paper. Times are seconds. */
import type { Contender } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import type { TrialResult } from './trial.ts'

/**
 * The trials of one scale. An experiment and contender have the trials with the given variation if
 * there are any, otherwise those with the scenario's own settings.
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

  /** Returns the trials in the order of their seeds. */
  of(experiment: ExperimentName, contender: Contender): readonly TrialResult[] {
    return this.#results.get(`${experiment} ${contender}`) ?? []
  }

  /** Returns the seeds of all trials of these experiments. */
  seeds(names: readonly ExperimentName[]): number[] {
    const seeds = [...this.#results.values()].flat().filter(({ experiment }) => names.includes(experiment))
    return [...new Set(seeds.map(({ seed }) => seed))].toSorted((a, b) => a - b)
  }
}

/** Longest time from the first to the last node of a wave, s. */
const longestSpread = 5

/**
 * Returns the time from the first start of the wave until all members see all; undefined if that
 * never happened.
 */
export function joined({ experiment, agreed }: TrialResult, wave = 0): number | undefined {
  const { waves, end } = experiments[experiment]
  const start = waves[wave] ?? 0
  const next = waves[wave + 1] ?? end?.at ?? Infinity
  // An agreement that ends before the whole wave has come does not count.
  const found = agreed.find(([from, to]) => from >= start && from < next && (to ?? Infinity) > start + longestSpread)
  return found === undefined ? undefined : found[0] - start
}

/**
 * Returns the time from the end of the second wave until all survivors agree for good; undefined if
 * that never happened.
 */
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

/** Returns undefined if there are no values. An undefined value counts as never reached. */
export function spreadOf(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.map((value) => value ?? Infinity).toSorted((a, b) => (a === b ? 0 : a - b))
  const [least] = known
  const most = known.at(-1)
  if (least === undefined || most === undefined) return undefined
  const middle = known[(known.length - 1) >> 1] as number
  const other = known[known.length >> 1] as number
  return { median: middle === other ? middle : (middle + other) / 2, least, most }
}
