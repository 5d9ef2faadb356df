import { expect, it } from 'vitest'
import { Pauses } from './pauses.ts'

it('the pauses of a call double up to half a second, and begin anew with each new primary', () => {
  const pauses = new Pauses()
  const next = (primary: string | undefined, count: number): number[] => Array.from({ length: count }, () => pauses.next(primary))
  expect(next('a', 7)).toEqual([20, 40, 80, 160, 320, 500, 500])
  // The time without a primary goes on with the pauses of the former one.
  expect(next(undefined, 1)).toEqual([500])
  expect(next('b', 2)).toEqual([20, 40])
  expect(next(undefined, 2)).toEqual([80, 160])
  expect(next('b', 1)).toEqual([320])
  expect(next('a', 1)).toEqual([20])
})
