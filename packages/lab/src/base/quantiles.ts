/**
 * Summary of measured values. A value of Infinity stands for an event that never happened (a
 * timeout), so it counts as the worst.
 */
export interface Summary {
  readonly count: number
  readonly median: number
  readonly p99: number
  readonly worst: number
}

/**
 * Returns the smallest value such that at least `share` of all values do not exceed it (nearest
 * rank). Returns NaN if there are no values.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length
}

export function summarize(values: readonly number[]): Summary {
  return { count: values.length, median: median(values), p99: quantile(values, 0.99), worst: quantile(values, 1) }
}
