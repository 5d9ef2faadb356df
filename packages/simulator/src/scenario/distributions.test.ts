import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { exponential, pareto, residualPareto } from './distributions.ts'

const draws = (count: number, draw: (random: () => number) => number): number[] => {
  const random = createRandom(3)
  return Array.from({ length: count }, () => draw(random))
}
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('distributions', () => {
  it('draws exponential times of the given mean, without a memory', () => {
    const times = draws(20_000, (random) => exponential(1_000, random))
    expect(mean(times)).toBeCloseTo(1_000, -2)
    const long = times.filter((time) => time > 2_000)
    expect(long.length / times.length).toBeCloseTo(Math.exp(-2), 1)
    expect(mean(long) - 2_000).toBeCloseTo(1_000, -2)
  })

  it('draws Pareto times above the least, with a heavy tail', () => {
    const times = draws(20_000, (random) => pareto(100, 1.5, random))
    expect(Math.min(...times)).toBeGreaterThanOrEqual(100)
    // P(X > x) = (least / x) ^ shape
    expect(times.filter((time) => time > 1_000).length / times.length).toBeCloseTo(0.1 ** 1.5, 2)
  })

  it('draws the rest of a Pareto time as seen at a random moment', () => {
    const shape = 3
    const random = createRandom(5)
    // A renewal process: one lifetime follows the other. The rest of the present lifetime is
    // recorded every 997 ms.
    const found: number[] = []
    let end = 0
    for (let now = 0; found.length < 20_000; now += 997) {
      while (end <= now) end += pareto(100, shape, random)
      found.push(end - now)
    }
    const drawn = draws(20_000, (next) => residualPareto(100, shape, next))
    const share = (values: readonly number[], above: number): number => values.filter((value) => value > above).length / values.length
    for (const above of [20, 100, 200, 500]) expect(share(drawn, above)).toBeCloseTo(share(found, above), 1.7)
    expect(share(drawn, 100)).toBeCloseTo(1 / shape, 1.7)
  })

  it('draws a whole Pareto time if there is no steady state', () => {
    expect(Math.min(...draws(1_000, (random) => residualPareto(100, 1, random)))).toBeGreaterThanOrEqual(100)
  })

  it('agrees with the logarithm and the power of the engine to the last digits', () => {
    for (const u of [1e-9, 0.001, 0.3, 0.5, 0.75, 0.999_999]) {
      expect(exponential(1, () => u)).toBeCloseTo(-Math.log(1 - u), 13)
      expect(pareto(1, 1.3, () => u) / (1 - u) ** (-1 / 1.3)).toBeCloseTo(1, 12)
    }
  })
})
