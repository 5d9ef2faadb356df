/** A value that is expected next. */
export interface Forecast {
  readonly value: number
  /** Root of the mean squared error of the predictor so far. */
  readonly error: number
  /** The predictor with the lowest error so far. */
  readonly by: string
}

/** Predicts the next value from the last values, the newest last. There is at least one value. */
type Predict = (values: readonly number[]) => number

/** The longest history that a predictor uses. */
const HISTORY = 51

const lastOf: Predict = (values) => values.at(-1) as number

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2
}

/**
 * The predictors that use the last values. The Network Weather Service (NWS) has the same kinds.
 * The lengths are guesses.
 */
const WINDOWS: readonly (readonly [string, Predict])[] = [
  ['last', lastOf],
  ['trend', (values) => 2 * lastOf(values) - (values.at(-2) ?? lastOf(values))],
  ...[5, 10, 20, 50].map((count): [string, Predict] => [`mean of ${count}`, (values) => mean(values.slice(-count))]),
  ...[5, 21, 51].map((count): [string, Predict] => [`median of ${count}`, (values) => median(values.slice(-count))]),
]
/** Shares of the newest value in exponential smoothing. Guesses. */
const GAINS = [0.05, 0.2, 0.5]

/**
 * Forecasts as the Network Weather Service does: several predictors run. The forecast is that of
 * the predictor with the lowest error so far.
 */
export class Forecaster {
  readonly #values: number[] = []
  #count = 0
  #mean = 0
  readonly #smoothed = GAINS.map(() => 0)
  readonly #squares = new Map<string, number>()
  #predicted: readonly (readonly [string, number])[] = []

  /** Takes the next value of the series. */
  push(value: number): void {
    for (const [by, predicted] of this.#predicted) this.#squares.set(by, (this.#squares.get(by) ?? 0) + (value - predicted) ** 2)
    this.#count++
    this.#mean += (value - this.#mean) / this.#count
    for (const [at, gain] of GAINS.entries()) {
      const before = this.#smoothed[at] as number
      this.#smoothed[at] = this.#count === 1 ? value : before + gain * (value - before)
    }
    this.#values.push(value)
    if (this.#values.length > HISTORY) this.#values.shift()
    this.#predicted = [
      ...WINDOWS.map(([by, predict]) => [by, predict(this.#values)] as const),
      ['mean of all', this.#mean] as const,
      ...GAINS.map((gain, at) => [`smoothed by ${gain}`, this.#smoothed[at] as number] as const),
    ]
  }

  /** Returns the expected next value; undefined before the second value. */
  get forecast(): Forecast | undefined {
    let best: Forecast | undefined
    for (const [by, value] of this.#predicted) {
      const squares = this.#squares.get(by)
      if (squares === undefined) return undefined
      const error = Math.sqrt(squares / (this.#count - 1))
      if (best === undefined || error < best.error) best = { value, error, by }
    }
    return best
  }
}
