/** All samples of all houses, and the slopes through them. */
import { HOUSES, MEASURES, MORTALS, type Measure, type Sample } from './plan.ts'
import { commonSlope, EIGHTY, slopeOf, type Slope } from './slope.ts'

const MINUTE = 60_000
/** Samples of so many minutes are one point of a line. A guess: a house changes its guests in this time. */
const BLOCK = 2

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

  get houses(): readonly string[] {
    return [...this.#samples.keys()].sort()
  }

  of(house: string): readonly Sample[] {
    return this.#samples.get(house) ?? []
  }

  /** Throws TypeError if there is nothing to report on. */
  report(warmUpAtMost: number): SoakReport {
    const all = [...this.#samples.values()].flat()
    if (all.length === 0) throw new TypeError('no samples: nothing lived long enough')
    const start = Math.min(...all.map(({ time }) => time))
    const minutes = (Math.max(...all.map(({ time }) => time)) - start) / MINUTE
    const warmUp = Math.min(warmUpAtMost, minutes / 2)
    const rows = this.houses.flatMap((house) => {
      const samples = this.of(house).filter(({ time }) => time >= start + warmUp * MINUTE)
      return MEASURES.map((measure) => ({
        house,
        measure,
        slope: slopeOf(
          samples.map(({ time, values }) => [time, values[measure]] as const),
          BLOCK * MINUTE,
          EIGHTY,
        ),
      }))
    })
    const common = MEASURES.map((measure) => {
      const each = rows.filter((row) => row.measure === measure && (isJudged(row) || !isJudged({ house: ALL, measure })))
      return { house: ALL, measure, slope: commonSlope(each.map(({ slope }) => slope)) }
    })
    return { start, minutes, warmUp, samples: all.length, rows: [...rows, ...common] }
  }
}
