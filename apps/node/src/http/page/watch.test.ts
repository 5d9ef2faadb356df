import { expect, it } from 'vitest'
import { pointsOf, rangeOf } from './watch.ts'

it.each<[readonly number[], readonly [number, number]]>([
  [[], [0, 1]],
  [
    [0, 0],
    [0, 1],
  ],
  [
    [0.31, 0.7],
    [0, 0.8],
  ],
  [
    [-3, 5],
    [-4, 6],
  ],
  [
    [-3, -1],
    [-4, 0],
  ],
])('the drawing of %j has the zero and round numbers', (numbers, range) => {
  expect(rangeOf(numbers)).toEqual(range)
})

it('the latest number is at the right edge, and greater numbers are higher', () => {
  expect(pointsOf([0, 5, 10], 0, 10)).toBe('117,100.0 118,50.0 119,0.0')
  expect(pointsOf([-5], -5, 5)).toBe('119,100.0')
  expect(pointsOf([], 0, 1)).toBe('')
})
