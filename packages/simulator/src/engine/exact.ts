/**
 * These functions use `+ - * /` only. `Math.log`, `Math.log2` and `Math.exp` may differ in the last
 * bit between versions of the engine. But one seed must give one history everywhere.
 */

/** Returns the natural logarithm of a positive number, to about 1e-15. */
export function exactLog(value: number): number {
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
  // ln x = 2 artanh((x - 1) / (x + 1)). The argument is at most 0.2.
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

/** Returns e to the power of a number, to about 1e-15. */
export function exactExp(value: number): number {
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

/** Returns the floor of the binary logarithm of a whole number of 1 or more. */
export function floorLog2(value: number): number {
  return 31 - Math.clz32(value)
}
