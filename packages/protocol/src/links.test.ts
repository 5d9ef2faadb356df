import { describe, expect, it } from 'vitest'
import { defaultConfig } from './config.ts'
import { Link } from './links.ts'

describe("a link's budget", () => {
  it('allows a burst of ten seconds, then the average', () => {
    const link = new Link('peer', true, 0, defaultConfig.limits)
    const spend = (now: number, rate = 20): number => {
      let count = 0
      while (link.spend(now, rate)) count += 1
      return count
    }
    // It begins with what the limits say, and holds at most ten seconds of the rate that is asked for.
    expect(spend(0)).toBe(200)
    expect(spend(0)).toBe(0)
    expect(spend(500)).toBe(10)
    expect(spend(520)).toBe(0)
    expect(spend(550)).toBe(1)
    expect(spend(1_000_000)).toBe(200)
  })
})
