import { describe, expect, it } from 'vitest'
import { Budgets } from './budgets.ts'

describe('a budget', () => {
  const spendAll = (budgets: Budgets, now: number, rate = 20, amount = 1): number => {
    let count = 0
    while (budgets.spend('frames', now, rate, amount)) count += 1
    return count
  }

  it('allows a burst of ten seconds, then the average', () => {
    const budgets = new Budgets()
    expect(spendAll(budgets, 0)).toBe(200)
    expect(spendAll(budgets, 0)).toBe(0)
    expect(spendAll(budgets, 500)).toBe(10)
    expect(spendAll(budgets, 520)).toBe(0)
    expect(spendAll(budgets, 550)).toBe(1)
    expect(spendAll(budgets, 1_000_000)).toBe(200)
  })

  it('is not touched by what it does not suffice for, nor by other budgets', () => {
    const budgets = new Budgets()
    expect(budgets.spend('frames', 0, 20, 201)).toBe(false)
    expect(budgets.spend('checks', 0, 20, 200)).toBe(true)
    expect(spendAll(budgets, 0, 20, 50)).toBe(4)
  })
})
