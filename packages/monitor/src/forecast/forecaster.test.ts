import { describe, expect, it } from 'vitest'
import { Forecaster } from './forecaster.ts'

/** A repeatable source of numbers from -0.5 to 0.5. */
function noise(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5
}

function forecastOf(count: number, valueAt: (at: number) => number) {
  const forecaster = new Forecaster()
  for (let at = 0; at < count; at++) forecaster.push(valueAt(at))
  return forecaster.forecast
}

describe('a forecast is by the predictor with the lowest error', () => {
  it.each([1, 2, 3])('the last value for a random walk (seed %i)', (seed) => {
    const next = noise(seed)
    let walk = 0
    expect(forecastOf(2000, () => (walk += next()))?.by).toBe('last')
  })

  it.each([1, 2, 3])('the mean of all for noise around a level (seed %i)', (seed) => {
    const next = noise(seed)
    const forecast = forecastOf(5000, () => 10 + next())
    expect(forecast?.by).toBe('mean of all')
    expect(forecast?.value).toBeCloseTo(10, 1)
    expect(forecast?.error).toBeCloseTo(Math.sqrt(1 / 12), 1)
  })

  it('the last value for steps, and the trend for a line', () => {
    expect(forecastOf(1000, (at) => Math.floor(at / 100))?.by).toBe('last')
    expect(forecastOf(100, (at) => 3 * at)).toEqual({ value: 300, error: expect.any(Number), by: 'trend' })
  })

  it.each([1, 2, 3])('a median for a level with rare peaks (seed %i)', (seed) => {
    const next = noise(seed)
    expect(forecastOf(2000, () => 5 + next() / 100 + (next() > 0.4 ? 100 * (next() + 0.5) : 0))?.by).toMatch(/^(?:median|mean of all)/u)
  })

  it('needs two values', () => {
    expect(forecastOf(1, () => 1)).toBeUndefined()
    expect(forecastOf(2, () => 1)?.value).toBe(1)
  })
})
