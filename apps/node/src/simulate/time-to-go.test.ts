import { describe, expect, it } from 'vitest'
import { Countdown, timeToGo, writeTimeToGo } from './time-to-go.ts'

describe('the time to go', () => {
  it('is unknown before anything has happened', () => {
    expect(writeTimeToGo(timeToGo({ elapsed: 0, share: 0, runs: 4, took: [] }))).toBe('?')
  })

  it('is unknown during the first moments, which take many times longer than the others', () => {
    expect(timeToGo({ elapsed: 2_800, share: 0.003, runs: 4, took: [] })).toBeUndefined()
    expect(timeToGo({ elapsed: 2_800, share: 0.003, runs: 400, took: [1_000] })).toBeDefined()
  })

  it('is based on the whole time so far, not on the last moments, until a run has ended', () => {
    expect(timeToGo({ elapsed: 10_000, share: 0.25, runs: 4, took: [] })).toBe(30_000)
  })

  it('does not jump where runs begin slowly, because runs take as long as those that ended', () => {
    // Ten runs of 4 s each on two threads. Each run spends the first 3 s on the first hundredth of
    // its virtual time.
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

  it('does not jump on the screen, and reaches zero when the runs end', () => {
    // Measured: [s since the start, share, finished runs] of rack-failure with 100 nodes, two
    // threads, each run 25 s.
    const measured = [
      [2.8, 0.003, 0],
      [3, 0.006, 0],
      [4, 0.06, 0],
      [5.5, 0.12, 0],
      [7.3, 0.2, 0],
      [10.1, 0.3, 0],
      [13.2, 0.34, 0],
      [17.3, 0.39, 0],
      [21.6, 0.43, 0],
      [25.1, 0.48, 1],
      [27.9, 0.56, 2],
      [30, 0.69, 2],
      [33.6, 0.81, 2],
      [40.5, 0.9, 2],
      [45.5, 0.94, 2],
      [49.9, 0.97, 3],
      [51.4, 1, 4],
    ] as const
    const countdown = new Countdown()
    const told: { now: number; left: number }[] = []
    for (const [i, [from, share, done]] of measured.entries()) {
      const [to, next] = measured[i + 1] ?? [from, share]
      // Five reports a second.
      for (let now = from; now < to; now += 0.2) {
        const passed = share + ((now - from) / (to - from)) * (next - share)
        const took = Array<number>(done).fill(25_000)
        const left = countdown.show(timeToGo({ elapsed: now * 1_000, share: passed, runs: 4, took, workers: 2 }), now * 1_000)
        if (left !== undefined) told.push({ now, left: left / 1_000 })
      }
    }
    expect(told.length).toBeGreaterThan(200)
    for (const [i, { now, left }] of told.slice(1).entries()) {
      const before = told[i] as { now: number; left: number }
      expect(Math.abs(left - (before.left - (now - before.now)))).toBeLessThan(0.05 * before.left + 0.2)
    }
    expect(told.at(-1)?.left).toBeLessThan(2)
  })

  it.each([
    [400, '1s'],
    [59_000, '59s'],
    [200_000, '3m20s'],
    [3_900_000, '1h05m'],
  ])('is written in readable units: %d ms is %s', (ms, text) => {
    expect(writeTimeToGo(ms)).toBe(text)
  })
})
