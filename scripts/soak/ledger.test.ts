import { expect, test } from 'vitest'
import { ALL, Ledger } from './ledger.ts'
import { MEASURES, type Measure } from './plan.ts'
import { isWithinNoise } from './report.ts'

const MINUTE = 60_000

/** A sample each quarter of a minute; `value`: of all measures. */
function ledgerOf(
  houses: Readonly<Record<string, { readonly from: number; readonly value: (minute: number, measure: Measure) => number }>>,
): Ledger {
  const ledger = new Ledger()
  for (const [house, { from, value }] of Object.entries(houses)) {
    for (let minute = from; minute < 60; minute += 0.25) {
      const values = Object.fromEntries(MEASURES.map((measure) => [measure, value(minute, measure)])) as Record<Measure, number>
      ledger.add(house, { time: minute * MINUTE, values })
    }
  }
  return ledger
}

const flat = (level: number) => () => level
const growing = (grows: Measure) => (minute: number, measure: Measure) => (measure === grows ? 100 + minute : 100)

test('houses of different size are flat together, also if one was built later', () => {
  const report = ledgerOf({
    'plain hermit 1': { from: 0, value: flat(10) },
    'plain guests 1': { from: 1, value: flat(500) },
  }).report(0)
  expect(report.rows.filter(({ house }) => house === ALL).map(({ slope }) => Math.round(slope.perHour))).toEqual(MEASURES.map(() => 0))
  expect(isWithinNoise(report)).toBe(true)
})

test.each<[Measure, string, boolean]>([
  ['heap', 'plain hermit 1', false],
  ['heap', 'hermit 1', true],
  ['code', 'plain hermit 1', true],
  ['streams', 'hermit 1', false],
  ['buffers', 'plain guests 1', false],
])('%s that grows in the house of %s: within noise is %s', (measure, house, withinNoise) => {
  expect(isWithinNoise(ledgerOf({ [house]: { from: 0, value: growing(measure) } }).report(0))).toBe(withinNoise)
})
