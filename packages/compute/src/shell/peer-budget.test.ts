import { describe, expect, it } from 'vitest'
import { PeerBudget } from './peer-budget.ts'

describe('the budget of a peer', () => {
  it('does not delay a peer that costs little, whenever it comes', () => {
    const budget = new PeerBudget()
    for (let now = 0; now < 100_000; now += 10) {
      budget.charge('peer', 1.5, 0, now)
      expect(budget.wait('peer', now)).toBe(0)
    }
  })

  it('is a fifth of the time after a burst of two seconds', () => {
    const budget = new PeerBudget()
    let now = 0
    let took = 0
    while (now < 60_000) {
      budget.charge('peer', 100, 0, now)
      took += 100
      now += budget.wait('peer', now)
    }
    expect(took).toBeLessThan(2000 + 60_000 / 5 + 200)
    expect(budget.wait('another', now)).toBe(0)
  })

  it('counts bytes as well', () => {
    const budget = new PeerBudget()
    budget.charge('peer', 0, 2 ** 30, 0)
    expect(budget.wait('peer', 0)).toBeGreaterThan(60_000)
  })

  it('is remembered while the peer is in debt, however many others come', () => {
    const budget = new PeerBudget()
    budget.charge('peer', 10_000, 0, 0)
    for (let other = 0; other < 5000; other++) budget.charge(`other${other}`, 1, 0, 1000)
    expect(budget.wait('peer', 1000)).toBeGreaterThan(30_000)
  })
})
