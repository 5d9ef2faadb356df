import { expect, it } from 'vitest'
import { counted, countText, durationText, shareText, shortId, timeText } from './quantity.ts'

it('times have a unit that keeps them short', () => {
  const times = [0, 0.44, 9.94, 9.96, 27.4, 999.4, 999.6, 1495, 59_949, 59_951, 200_000, 3_599_600, 7_500_000]
  const texts = ['0.0 ms', '0.4 ms', '9.9 ms', '10 ms', '27 ms', '999 ms', '1.0 s', '1.5 s', '59.9 s', '1 min', '3 min 20 s']
  expect(times.map(timeText)).toEqual([...texts, '1 h', '2 h 5 min'])
  // Clocks of other members differ, and they may say anything.
  expect([-120_000, Infinity, NaN].map(timeText)).toEqual(['0.0 ms', '–', '–'])
})

it.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
  [604_790_000, '6 d 23 h'],
  [-5, '0 s'],
  [Infinity, '–'],
  [NaN, '–'],
])('%d ms are %s', (ms, words) => {
  expect(durationText(ms)).toBe(words)
})

it('the number one takes no plural, and an id is shown by its end', () => {
  expect([1, 2].map((count) => counted(count, 'member'))).toEqual(['1 member', '2 members'])
  expect(shortId('12D3KooWFcrb6ywHKxycNsmTEj48')).toBe('…NsmTEj48')
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
