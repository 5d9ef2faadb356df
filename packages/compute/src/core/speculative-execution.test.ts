import { describe, expect, it } from 'vitest'
import { defaultSchedulerConfig as config } from './config.ts'
import { overdueAfter } from './speculative-execution.ts'

describe('how long a task may be quiet before another member does it as well', () => {
  it('is three times the mean, two seconds at least, and a minute before any has ended', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 0 }, false)).toBe(3000)
    expect(overdueAfter(config, { mean: 10, longest: 0 }, false)).toBe(2000)
    expect(overdueAfter(config, { mean: undefined, longest: 0 }, false)).toBe(60_000)
  })

  it('is one and a half times the longest of its kind, but not whatever a member says', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 10_000 }, false)).toBe(15_000)
    expect(overdueAfter(config, { mean: 1000, longest: 1e9 }, false)).toBe(30_000)
  })

  it('is ten times as long where others hold parts of it', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 0 }, true)).toBe(30_000)
  })
})
