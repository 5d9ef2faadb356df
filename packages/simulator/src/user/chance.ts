import type { Milliseconds } from '@jel/protocol'

/**
 * Draws from distributions, with `+ - * /` only: `Math.log` and `Math.exp` may differ in the last bit between versions of the engine,
 * and one seed must give one history everywhere.
 */

/** The natural logarithm of a positive number, to about 1e-15. */
function exactLog(value: number): number {
  let exponent = 0
  let rest = value
  while (rest > 1.5) {
    rest /= 2
    exponent += 1
  }
  while (rest < 0.75) {
    rest *= 2
    exponent -= 1
  }
  // ln x = 2 artanh((x - 1) / (x + 1)), and the argument is at most 0.2.
  const y = (rest - 1) / (rest + 1)
  const square = y * y
  let power = y
  let sum = 0
  for (let i = 1; i < 24; i += 2) {
    sum += power / i
    power *= square
  }
  return exponent * Math.LN2 + 2 * sum
}

/** e to the power of a number, to about 1e-15. */
function exactExp(value: number): number {
  const exponent = Math.round(value / Math.LN2)
  const rest = value - exponent * Math.LN2
  let term = 1
  let sum = 1
  for (let i = 1; i < 20; i++) {
    term *= rest / i
    sum += term
  }
  let scale = 1
  for (let i = 0; i < Math.abs(exponent); i++) scale *= 2
  return exponent < 0 ? sum / scale : sum * scale
}

/** Never 0, whose logarithm is none. */
function positive(random: () => number): number {
  return 1 - random()
}

/** Time to the next of independent events that come once in `mean`. */
export function exponential(mean: Milliseconds, random: () => number): Milliseconds {
  return -mean * exactLog(positive(random))
}

/** Never below `min`; the smaller the shape, the more of the very long ones. */
export function pareto(min: Milliseconds, shape: number, random: () => number): Milliseconds {
  return min * exactExp(-exactLog(positive(random)) / shape)
}
