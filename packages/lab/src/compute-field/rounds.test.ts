import { expect, it } from 'vitest'
import { ROUNDS, idealOf } from './rounds.ts'

it('the ideal time of a round is its longest task, or its work divided by the members', () => {
  // One of the two rounds has a task that takes ten times as long.
  expect(idealOf({ rounds: 2, width: 4, ms: 10, every: 8, times: 10 }, 2)).toBe(100 + 20)
  expect(idealOf({ rounds: 1, width: 40, ms: 10, every: 50, times: 2 }, 1)).toBe(41 * 10)
})

it('two of a hundred tasks take longer in the measured rounds', () => {
  const tasks = ROUNDS.rounds * ROUNDS.width
  expect(Math.ceil(tasks / ROUNDS.every) / tasks).toBeCloseTo(0.02, 2)
  expect(idealOf(ROUNDS, 8)).toBe(22_000)
})
