import { expect, it } from 'vitest'
import { countText, shareText, timeText } from './quantity.ts'

it('times have a unit that keeps them short', () => {
  const times = [0, 0.44, 9.94, 9.96, 27.4, 999.4, 999.6, 1495, 59_949, 59_951, 200_000, 3_599_600, 7_500_000]
  const texts = ['0.0 ms', '0.4 ms', '9.9 ms', '10 ms', '27 ms', '999 ms', '1.0 s', '1.5 s', '59.9 s', '1 min 0 s', '3 min 20 s']
  expect(times.map(timeText)).toEqual([...texts, '1 h 0 min', '2 h 5 min'])
})

it('counts stay short, and only complete work is 100 %', () => {
  expect([0, 0.5, 7, 12.4, 9999, 10_000, 999_949, 999_951].map(countText)).toEqual([
    '0',
    '0.5',
    '7',
    '12',
    '9999',
    '10.0 k',
    '999.9 k',
    '1.0 M',
  ])
  expect([0, 0.424, 0.999, 1].map(shareText)).toEqual(['0 %', '42 %', '99 %', '100 %'])
})
