import { expect, it } from 'vitest'
import { Fate } from './fate.ts'

it('a disturbance excuses news of a death for as long as it lasts and half a minute more, not for ever', () => {
  const fate = new Fate()
  const over = fate.disturb('partition', 10_000)
  expect(fate.wasDisturbed(9_999)).toBe(false)
  expect(fate.wasDisturbed(500_000)).toBe(true)
  over(10_200)
  expect(fate.wasDisturbed(40_200)).toBe(true)
  expect(fate.wasDisturbed(40_201)).toBe(false)
})

it('what was not undone by its own time is undone by its name', () => {
  const fate = new Fate()
  fate.disturb('silence', 0)
  fate.disturb('stop', 0)
  fate.settle(['silence', 'loss'], 1_000)
  expect(fate.wasDisturbed(100_000)).toBe(true)
  fate.settle(['stop'], 2_000)
  expect(fate.wasDisturbed(100_000)).toBe(false)
})

it('remembers when something was first done to the process', () => {
  const fate = new Fate()
  fate.halt(5_000)
  fate.halt(9_000)
  expect(fate.halted).toBe(5_000)
})
