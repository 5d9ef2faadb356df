import { describe, expect, it } from 'vitest'
import { decayed, OTHERS, ticketsNow, type SharePolicy } from './shares.ts'

const DAY = 86_400_000
// "How Sun Grid Engine, Enterprise Edition 5.3 works", 2001: the shares of its example.
const policy: SharePolicy = {
  shares: new Map([
    ['A', 10],
    ['B', 10],
    ['C', 60],
    ['D', 20],
  ]),
  other: 0,
  halfLife: 7 * DAY,
}

/** Returns the rounded tickets. `used`: the use of each active owner. */
function tickets(used: Readonly<Record<string, number>>, about: Partial<SharePolicy> = {}): Record<string, number> {
  const active = Object.entries(used).map(([owner, each]) => ({ owner, used: each }))
  const all = active.reduce((sum, each) => sum + each.used, 0)
  return Object.fromEntries([...ticketsNow({ ...policy, ...about }, active, all)].map(([owner, count]) => [owner, Math.round(count)]))
}

describe('the shares of the example of SGEEE', () => {
  it('give an owner that is alone all tickets', () => {
    expect(tickets({ B: 0 })).toEqual({ B: 1000 })
    expect(tickets({ B: 500 })).toEqual({ B: 1000 })
  })

  it('are those of the active owners', () => {
    expect(tickets({ B: 0, D: 0 })).toEqual({ B: 333, D: 667 })
    expect(tickets({ A: 0, B: 0, D: 0 })).toEqual({ A: 250, B: 250, D: 500 })
    expect(tickets({ A: 0, B: 0, C: 0, D: 0 })).toEqual({ A: 100, B: 100, C: 600, D: 200 })
  })

  it('stay so while all of the active owners use more than their own, because another one is away', () => {
    expect(tickets({ B: 33, D: 67 })).toEqual({ B: 333, D: 667 })
    expect(tickets({ A: 25, B: 25, D: 50 })).toEqual({ A: 250, B: 250, D: 500 })
  })

  it('compensate an owner that was away: 70, 10 and 20 %', () => {
    expect(tickets({ A: 0, B: 33, D: 66 })).toEqual({ A: 700, B: 100, D: 200 })
  })

  it('compensate it by at most the compensation factor: with 5 it gets 50, 17 and 33 %', () => {
    expect(tickets({ A: 0, B: 33, D: 66 }, { compensation: 5 })).toEqual({ A: 500, B: 167, D: 333 })
  })

  it('do not fall below those of the active owners by a small factor', () => {
    expect(tickets({ A: 0, B: 33, D: 66 }, { compensation: 1 })).toEqual({ A: 250, B: 250, D: 500 })
  })

  it('forget use by half-lives: 500, 250, 125, 62.5', () => {
    expect([1, 2, 3, 4].map((weeks) => decayed(1000, weeks * 7 * DAY, policy.halfLife))).toEqual([500, 250, 125, 62.5])
    // In steps as well.
    let used = 1000
    for (let day = 0; day < 28; day++) used = decayed(used, DAY, policy.halfLife)
    expect(used).toBeCloseTo(62.5, 9)
    expect(decayed(1000, 365 * DAY, undefined)).toBe(1000)
  })
})

describe('owners that a policy does not name', () => {
  it('have one share, while one of them is active', () => {
    expect(tickets({ A: 0, [OTHERS]: 0 }, { other: 10 })).toEqual({ A: 500, [OTHERS]: 500 })
    expect(tickets({ A: 0, B: 0 }, { other: 10 })).toEqual({ A: 500, B: 500 })
    // Of 200 shares, A has 10 and the others 100. They used more than their half: A gets the rest.
    expect(tickets({ A: 0, [OTHERS]: 9 }, { other: 100 })).toEqual({ A: 500, [OTHERS]: 500 })
  })

  it('get nothing beside others without such a share, and all if they are alone', () => {
    expect(tickets({ A: 0, [OTHERS]: 0 })).toEqual({ A: 1000, [OTHERS]: 0 })
    expect(tickets({ [OTHERS]: 0 })).toEqual({ [OTHERS]: 1000 })
  })
})

describe('any shares', () => {
  it('add up to 1,000 tickets, and are never negative', () => {
    for (let seed = 1; seed < 500; seed++) {
      const number = (n: number): number => (seed * 7919 * n) % 97
      const used = { A: number(1), B: number(2), C: number(3), D: number(5) }
      const given = ticketsNow(
        { ...policy, compensation: seed % 6 },
        Object.entries(used).map(([owner, each]) => ({ owner, used: each })),
        200,
      )
      expect([...given.values()].reduce((sum, each) => sum + each, 0)).toBeCloseTo(1000, 6)
      expect(Math.min(...given.values())).toBeGreaterThanOrEqual(0)
    }
  })
})
