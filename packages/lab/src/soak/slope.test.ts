import { expect, test } from 'vitest'
import { isFlat, slopeOf, type Point } from './slope.ts'

const MINUTE = 60_000

/** A value for each quarter of a minute in an hour. `noise` is the same in each run. */
function points(value: (hours: number, i: number) => number): Point[] {
  return Array.from({ length: 240 }, (_, i) => [1e12 + i * 15_000, value(i / 240, i)])
}

const noise = (i: number): number => Math.sin(i * i) * 5

test('finds a slope and its uncertainty', () => {
  const slope = slopeOf(
    points((hours, i) => 100 + 20 * hours + noise(i)),
    2 * MINUTE,
  )
  expect(slope.perHour).toBeCloseTo(20, -0.5)
  expect(slope.uncertainty).toBeLessThan(6)
  expect(Math.abs(slope.perHour - 20)).toBeLessThan(slope.uncertainty)
  expect(isFlat(slope, 0.03)).toBe(false)
})

test('noise alone is flat', () => {
  const slope = slopeOf(
    points((_, i) => 100 + noise(i)),
    2 * MINUTE,
  )
  expect(isFlat(slope, 0)).toBe(true)
})

test('an exact line is certain, and counts as flat only if it is nearly level', () => {
  const steep = slopeOf(
    points((hours) => 100 + 10 * hours),
    2 * MINUTE,
  )
  const level = slopeOf(
    points((hours) => 100 + hours),
    2 * MINUTE,
  )
  expect(steep.uncertainty).toBeLessThan(1e-6)
  expect([isFlat(steep, 0.03), isFlat(level, 0.03)]).toEqual([false, true])
})

test('the uncertainty of correlated values is not underestimated', () => {
  const waves = points((hours) => 100 + 10 * Math.sin(hours * 12))
  expect(slopeOf(waves, 6 * MINUTE).uncertainty).toBeGreaterThan(slopeOf(waves, 15_000).uncertainty)
})
