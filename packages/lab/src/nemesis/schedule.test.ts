import { describe, expect, it } from 'vitest'
import { kinds, schedule, shuffled, type Planned } from './schedule.ts'

function first(count: number, seed: number): Planned[] {
  const all = schedule(seed, kinds, [4_000, 10_000])
  return Array.from({ length: count }, () => all.next().value)
}

describe('the schedule of faults', () => {
  it('has each kind as often as any other', () => {
    const all = first(10 * kinds.length, 5)
    for (const kind of kinds) expect(all.filter((planned) => planned.kind === kind).length).toBe(10)
  })

  it('has the same faults for the same seed, and others for another', () => {
    const times = (seed: number): string => JSON.stringify(first(20, seed).map(({ kind, lasts }) => [kind, lasts]))
    expect(times(1)).toBe(times(1))
    expect(times(1)).not.toBe(times(2))
  })

  it('has times within its bounds', () => {
    for (const { lasts } of first(100, 3)) {
      expect(lasts).toBeGreaterThanOrEqual(4_000)
      expect(lasts).toBeLessThan(10_000)
    }
  })

  it('draws victims without losing any', () => {
    const [planned] = first(1, 4)
    expect(shuffled([1, 2, 3, 4, 5], planned?.random ?? Math.random).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
  })
})
