/** All samples of all houses, and the slopes through them. */
import { UsageError } from '../driver/program.ts'
import { HOUSES, MEASURES, MORTALS, type Measure, type Sample } from './plan.ts'
import { EIGHTY, slopeOf, type Point, type Slope } from './slope.ts'

const MINUTE = 60_000
/** Samples of so many minutes are one point of a line. A guess: a house changes its guests in this time. */
const BLOCK = 2
/**
 * A line through fewer points than this is shown and not judged: below eight degrees of freedom the quantiles of `slope.ts` are wrong, and an
 * interval is so wide that nothing is ever found.
 */
const LEAST = 10

/** In place of a house: what all have in common. */
export const ALL = 'all'

export interface Row {
  readonly house: string
  readonly measure: Measure
  readonly slope: Slope
}

export interface SoakReport {
  /** When the first sample was taken, Unix ms, and how long they were taken for, in minutes. */
  readonly start: number
  readonly minutes: number
  /** Left out at the start, in minutes. */
  readonly warmUp: number
  readonly samples: number
  /** It lasted long enough to tell growth from noise. */
  readonly isLong: boolean
  readonly rows: readonly Row[]
}

/** What the engine holds of compiled code, too. */
const COMPILED: readonly Measure[] = ['heap', 'resident']

/** Code is shown and not judged: there is no more of it to compile than the sources hold. So is what holds code or what belongs to it. */
export function isJudged({ house, measure }: { readonly house: string; readonly measure: Measure }): boolean {
  const isPlain = HOUSES.some(({ name, plain }) => name === house && plain === true)
  return measure !== 'code' && (!COMPILED.includes(measure) || isPlain || house === ALL)
}

export class Ledger {
  readonly #samples = new Map<string, Sample[]>()
  readonly #lost = new Set<string>()

  /** What was written one object a line. */
  static parse(text: string): Ledger {
    const ledger = new Ledger()
    for (const line of text.split('\n').filter(Boolean)) {
      const { house, ...sample } = JSON.parse(line) as Sample & { readonly house: string }
      ledger.add(house, sample)
    }
    return ledger
  }

  add(house: string, sample: Sample): void {
    // Houses that are killed are rebuilt from nothing: there is no line through their samples.
    if (MORTALS.some(({ name }) => name === house)) return
    const samples = this.#samples.get(house) ?? []
    this.#samples.set(house, samples)
    samples.push(sample)
  }

  /** This house ended by itself. */
  lose(house: string): void {
    this.#lost.add(house)
  }

  get lost(): readonly string[] {
    return [...this.#lost]
  }

  get houses(): readonly string[] {
    return [...this.#samples.keys()].sort()
  }

  of(house: string): readonly Sample[] {
    return this.#samples.get(house) ?? []
  }

  /** Throws UsageError if there is nothing to report on. */
  report(warmUpAtMost: number): SoakReport {
    const all = [...this.#samples.values()].flat()
    if (all.length === 0) throw new UsageError('no samples: nothing lived long enough')
    const start = Math.min(...all.map(({ time }) => time))
    const minutes = (Math.max(...all.map(({ time }) => time)) - start) / MINUTE
    const warmUp = Math.min(warmUpAtMost, minutes / 2)
    const points = (house: string, measure: Measure): Point[] =>
      this.of(house)
        .filter(({ time }) => time >= start + warmUp * MINUTE)
        .map(({ time, values }) => [time, values[measure]] as const)
    const rows = this.houses.flatMap((house) =>
      MEASURES.map((measure) => ({ house, measure, slope: slopeOf(points(house, measure), BLOCK * MINUTE, EIGHTY) })),
    )
    // All are in one pool: what happens to it shows in all at once, so how much they differ says nothing of how sure their mean is.
    const common = MEASURES.map((measure) => {
      const judged = this.houses.filter((house) => isJudged({ house, measure }) || !isJudged({ house: ALL, measure }))
      return { house: ALL, measure, slope: slopeOf(levelled(judged.map((house) => points(house, measure))), BLOCK * MINUTE) }
    })
    return { start, minutes, warmUp, samples: all.length, isLong: minutes - warmUp >= LEAST * BLOCK, rows: [...rows, ...common] }
  }
}

/** Several series as one: each is moved to the mean of all, so that a sample more of one at an end is no slope. */
function levelled(series: readonly (readonly Point[])[]): Point[] {
  const average = (points: readonly Point[]): number => points.reduce((sum, [, value]) => sum + value, 0) / points.length
  const level = average(series.flat())
  return series.flatMap((points) => {
    const shift = level - average(points)
    return points.map(([time, value]): Point => [time, value + shift])
  })
}
