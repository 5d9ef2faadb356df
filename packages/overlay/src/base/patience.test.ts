import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Patience, patienceMost } from './patience.ts'

const span = 400

/** Until patience is over, ms, in a process that is busy for so long each time it has a turn. */
async function waited(busy: number): Promise<number> {
  const patience = new Patience(span)
  const began = performance.now()
  patience.begin()
  while (!patience.isOver) {
    const until = performance.now() + busy
    while (performance.now() < until);
    await turn()
  }
  return performance.now() - began
}

describe('patience', () => {
  it('lasts for its span', async () => {
    expect(await waited(0)).toBeGreaterThanOrEqual(span * 0.95)
  })

  it('lasts longer in a process that has few turns, as what it waits for can get nowhere there', async () => {
    expect(await waited(span / 10)).toBeGreaterThanOrEqual(span * 1.8)
  })

  it('ends at last, however few they are', async () => {
    expect(await waited(span)).toBeLessThan(span * (patienceMost + 3))
  })

  it('is not lost before it begins, nor after it ended', async () => {
    const [early, late] = [new Patience(20), new Patience(20).begin()]
    late.end()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([early.isOver, late.isOver]).toEqual([false, false])
  })
})
