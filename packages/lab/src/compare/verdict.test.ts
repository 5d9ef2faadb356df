import { expect, it } from 'vitest'
import type { DrawnRow } from '../base/draw.ts'
import { compare, table } from './verdict.ts'

function draw(values: readonly number[], row: Partial<DrawnRow> = {}): DrawnRow[] {
  return [{ name: 'kill', unit: 'ms', better: 'less', values, ...row }]
}

const verdict = (old: readonly number[], now: readonly number[], row: Partial<DrawnRow> = {}): string | undefined =>
  compare([draw(old, row)], [draw(now, row)])[0]?.verdict

it('a row differs if the ranges do not overlap and the medians differ by more than noise', () => {
  expect(verdict([160, 165, 170], [540, 700, 1000])).toBe('worse')
  expect(verdict([540, 700, 1000], [160, 165, 170])).toBe('better')
  expect(verdict([160, 165, 600], [540, 700, 1000])).toBe('same')
  expect(verdict([100, 100, 100], [110, 110, 110])).toBe('same')
})

it('there is no verdict with fewer than three values on a side', () => {
  expect(verdict([100, 100], [200, 200, 200])).toBe('same')
})

it('less is worse if more is better', () => {
  expect(verdict([90, 91, 92], [50, 51, 52], { better: 'more' })).toBe('worse')
  expect(verdict([50, 51, 52], [90, 91, 92], { better: 'more' })).toBe('better')
})

it('an event that never happens is worse than any value, and zero is better than a larger value', () => {
  expect(verdict([160, 165, 170], [Infinity, Infinity, Infinity])).toBe('worse')
  expect(verdict([Infinity, Infinity, Infinity], [Infinity, Infinity, Infinity])).toBe('same')
  expect(verdict([0, 0, 0], [3, 4, 5])).toBe('worse')
  expect(verdict([0, 0, 0], [0, 0, 0])).toBe('same')
})

it('all draws of a side count together, and a row that one side lacks is shown but not judged', () => {
  const rows = compare([draw([1]), draw([3]), draw([2])], [draw([2]), draw([4], { name: 'heal' })])
  expect(rows.map(({ name, verdict: each }) => [name, each])).toEqual([
    ['kill', 'same'],
    ['heal', 'same'],
  ])
  expect(rows[0]?.old).toEqual({ count: 3, median: 2, least: 1, most: 3 })
  expect(table(rows)).toContain('| kill | ms   | 2.00 (1.00–3.00)     | 2.00                 | 1.00      |         |')
  expect(table(rows)).toContain('| heal | ms   | –                    | 4.00                 | –         |         |')
})
