import { expect, test } from 'vitest'
import { quantile, summarize } from './quantiles.ts'

test('a quantile is one of the values, in whatever order they are given', () => {
  expect(quantile([5, 1, 3], 0.5)).toBe(3)
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2)
  expect(quantile([7], 0.99)).toBe(7)
})

test('the p99 of a hundred values is the second largest', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1)
  expect(summarize(values)).toEqual({ count: 100, median: 50, p99: 99, worst: 100 })
})

test('a timeout is the worst value', () => {
  expect(summarize([1, Infinity, 2]).worst).toBe(Infinity)
  expect(summarize([1, Infinity, 2]).median).toBe(2)
})

test('no values have no quantile', () => {
  expect(quantile([], 0.5)).toBeNaN()
})
