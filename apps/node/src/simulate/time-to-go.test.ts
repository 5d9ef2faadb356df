import { describe, expect, it } from 'vitest'
import { timeToGo, writeTimeToGo } from './time-to-go.ts'

describe('the time to go', () => {
  it('can not be said before anything happened', () => {
    expect(writeTimeToGo(timeToGo({ elapsed: 0, share: 0, runs: 4, took: [] }))).toBe('?')
  })

  it('goes by all that passed, not by the last moments, until a run has ended', () => {
    expect(timeToGo({ elapsed: 10_000, share: 0.25, runs: 4, took: [] })).toBe(30_000)
  })

  it('does not jump where runs begin slowly: the others take as long as those that ended', () => {
    // Ten runs of 4 s each on two threads. Each spends the first 3 s on the first hundredth of its virtual time.
    const shareOf = (real: number): number => (real < 3 ? (real / 3) * 0.01 : 0.01 + ((real - 3) / 1) * 0.99)
    const told: number[] = []
    for (let now = 4.2; now < 20; now += 0.2) {
      const done = Math.floor(now / 4) * 2
      const share = (done + 2 * shareOf(now % 4)) / 10
      told.push(timeToGo({ elapsed: now * 1_000, share, runs: 10, took: Array<number>(done).fill(4_000), workers: 2 }) as number)
      expect(Math.abs((told.at(-1) as number) - (20 - now) * 1_000)).toBeLessThan(4_000)
    }
    expect(told.every((each, i) => i === 0 || each <= (told[i - 1] as number))).toBe(true)
  })

  it.each([
    [400, '1s'],
    [59_000, '59s'],
    [200_000, '3m20s'],
    [3_900_000, '1h05m'],
  ])('is written so that one can read it: %d ms is %s', (ms, text) => {
    expect(writeTimeToGo(ms)).toBe(text)
  })
})
