import { expect, it } from 'vitest'
import { FRESH, isFresh } from './freshness.ts'

const SUBMITTED = 1_000_000

it('a job is fresh for a member that was there when it was submitted', () => {
  expect(isFresh(SUBMITTED, SUBMITTED + 200, SUBMITTED)).toBe(true)
  expect(isFresh(SUBMITTED, SUBMITTED - 200, SUBMITTED - 60_000)).toBe(true)
})

it('a job is not fresh for a member that joined later, or that learns of it late', () => {
  expect(isFresh(SUBMITTED, SUBMITTED + 200, SUBMITTED + 100)).toBe(false)
  expect(isFresh(SUBMITTED, SUBMITTED + FRESH, SUBMITTED - 60_000)).toBe(false)
})
