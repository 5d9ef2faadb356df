import { expect, test } from 'vitest'
import { ALL, reportOf, type Samples } from './samples.ts'
import { MEASURES, type Measure } from './plan.ts'
import { isWithinNoise } from './report.ts'

const MINUTE = 60_000

/**
 * Samples at each quarter of a minute, up to minute 60. `value`: the value of a measure at a
 * minute.
 */
function samplesOf(
  groups: Readonly<Record<string, { readonly from: number; readonly value: (minute: number, measure: Measure) => number }>>,
): Samples {
  const samples = Object.entries(groups).map(([group, { from, value }]) => {
    const minutes = Array.from({ length: (60 - from) * 4 }, (_, quarter) => from + quarter / 4)
    const valuesOf = (minute: number) => Object.fromEntries(MEASURES.map((measure) => [measure, value(minute, measure)]))
    return [group, minutes.map((minute) => ({ time: minute * MINUTE, values: valuesOf(minute) as Record<Measure, number> }))]
  })
  return Object.fromEntries(samples) as Samples
}

const flat = (level: number) => () => level
const growing = (grows: Measure) => (minute: number, measure: Measure) => (measure === grows ? 100 + minute : 100)

test('flat groups of different sizes are flat together, even if one starts later', () => {
  const groups = { 'interpreted single 1': { from: 0, value: flat(10) }, 'interpreted churning 1': { from: 1, value: flat(500) } }
  const report = reportOf(samplesOf(groups), 0)
  expect(report.rows.filter(({ group }) => group === ALL).map(({ slope }) => Math.round(slope.perHour))).toEqual(MEASURES.map(() => 0))
  expect(isWithinNoise(report)).toBe(true)
})

test.each<[Measure, string, boolean]>([
  ['heap', 'interpreted single 1', false],
  ['heap', 'single 1', true],
  ['code', 'interpreted single 1', true],
  ['streams', 'single 1', false],
  ['buffers', 'interpreted churning 1', false],
])('%s grows in the group %s: within noise is %s', (measure, group, withinNoise) => {
  expect(isWithinNoise(reportOf(samplesOf({ [group]: { from: 0, value: growing(measure) } }), 0))).toBe(withinNoise)
})
