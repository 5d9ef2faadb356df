import { expect, test } from 'vitest'
import { ALL, Samples } from './samples.ts'
import { MEASURES, type Measure } from './plan.ts'
import { isWithinNoise } from './report.ts'

const MINUTE = 60_000

/** A sample each quarter of a minute; `value`: of all measures. */
function samplesOf(
  groups: Readonly<Record<string, { readonly from: number; readonly value: (minute: number, measure: Measure) => number }>>,
): Samples {
  const samples = new Samples()
  for (const [group, { from, value }] of Object.entries(groups)) {
    for (let minute = from; minute < 60; minute += 0.25) {
      const values = Object.fromEntries(MEASURES.map((measure) => [measure, value(minute, measure)])) as Record<Measure, number>
      samples.add(group, { time: minute * MINUTE, values })
    }
  }
  return samples
}

const flat = (level: number) => () => level
const growing = (grows: Measure) => (minute: number, measure: Measure) => (measure === grows ? 100 + minute : 100)

test('groups of different size are flat together, also if one was built later', () => {
  const report = samplesOf({
    'interpreted single 1': { from: 0, value: flat(10) },
    'interpreted churning 1': { from: 1, value: flat(500) },
  }).report(0)
  expect(report.rows.filter(({ group }) => group === ALL).map(({ slope }) => Math.round(slope.perHour))).toEqual(MEASURES.map(() => 0))
  expect(isWithinNoise(report)).toBe(true)
})

test.each<[Measure, string, boolean]>([
  ['heap', 'interpreted single 1', false],
  ['heap', 'single 1', true],
  ['code', 'interpreted single 1', true],
  ['streams', 'single 1', false],
  ['buffers', 'interpreted churning 1', false],
])('%s that grows in the group of %s: within noise is %s', (measure, group, withinNoise) => {
  expect(isWithinNoise(samplesOf({ [group]: { from: 0, value: growing(measure) } }).report(0))).toBe(withinNoise)
})
