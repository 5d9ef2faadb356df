import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { TurnTimeout, longestStretch } from './turn-timeout.ts'

const span = 400

/**
 * Returns how long a time-out lasts, ms, if the process is busy for `busy` ms in each of its turns.
 */
async function waited(busy: number): Promise<number> {
  const timeout = new TurnTimeout(span)
  const began = performance.now()
  timeout.begin()
  while (!timeout.isOver) {
    const until = performance.now() + busy
    while (performance.now() < until);
    await turn()
  }
  return performance.now() - began
}

describe('a time-out in turns', () => {
  it('lasts for its span', async () => {
    expect(await waited(0)).toBeGreaterThanOrEqual(span * 0.95)
  })

  it('lasts longer in a process that has few turns, where progress is slow', async () => {
    expect(await waited(span / 10)).toBeGreaterThanOrEqual(span * 1.8)
  })

  it('ends at last, however few the turns are', async () => {
    expect(await waited(span)).toBeLessThan(span * (longestStretch + 3))
  })

  it('is not over before it begins, nor once it has been ended', async () => {
    const [early, late] = [new TurnTimeout(20), new TurnTimeout(20).begin()]
    late.end()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([early.isOver, late.isOver]).toEqual([false, false])
  })
})
