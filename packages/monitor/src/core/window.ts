import type { Milliseconds } from './sensor.ts'

/**
 * How to combine the numbers of a window. `p90`: a tenth of the numbers is greater than the result.
 */
export const REDUCERS = ['mean', 'min', 'max', 'sum', 'count', 'p50', 'p90', 'p99'] as const
export type Reducer = (typeof REDUCERS)[number]

/** @param numbers at least one */
export function reduceNumbers(numbers: readonly number[], by: Reducer): number {
  switch (by) {
    case 'mean':
      return reduceNumbers(numbers, 'sum') / numbers.length
    case 'min':
      return numbers.reduce((least, each) => Math.min(least, each))
    case 'max':
      return numbers.reduce((most, each) => Math.max(most, each))
    case 'sum':
      return numbers.reduce((sum, each) => sum + each, 0)
    case 'count':
      return numbers.length
    case 'p50':
    case 'p90':
    case 'p99':
      return numbers.toSorted((a, b) => a - b)[Math.ceil((Number(by.slice(1)) / 100) * numbers.length) - 1] as number
  }
}

/** The numbers of the last span of time, for a moving mean or another reducer. */
export class Window {
  readonly #over: Milliseconds
  readonly #by: Reducer
  readonly #numbers: { readonly at: Milliseconds; readonly value: number }[] = []

  constructor(over: Milliseconds, by: Reducer) {
    this.#over = over
    this.#by = by
  }

  /** Adds a number, and returns the reduced value of the window that ends with it. */
  push(value: number, at: Milliseconds): number {
    this.#numbers.push({ at, value })
    const first = this.#numbers.findIndex((each) => each.at > at - this.#over)
    if (first > 0) this.#numbers.splice(0, first)
    return reduceNumbers(
      this.#numbers.map((each) => each.value),
      this.#by,
    )
  }
}
