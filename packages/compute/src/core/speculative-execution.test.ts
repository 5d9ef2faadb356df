import { describe, expect, it } from 'vitest'
import { defaultSchedulerConfig as config } from './config.ts'
import { overdueAfter } from './speculative-execution.ts'

describe('the time until a silent task is given to another member as well', () => {
  it('is three times the mean, at least two seconds, and a minute before any task has ended', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 0 }, false)).toBe(3000)
    expect(overdueAfter(config, { mean: 10, longest: 0 }, false)).toBe(2000)
    expect(overdueAfter(config, { mean: undefined, longest: 0 }, false)).toBe(60_000)
  })

  it('is one and a half times the longest of its kind, within a bound that no report moves', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 10_000 }, false)).toBe(15_000)
    expect(overdueAfter(config, { mean: 1000, longest: 1e9 }, false)).toBe(30_000)
  })

  it('is ten times as long if others hold parts of the task', () => {
    expect(overdueAfter(config, { mean: 1000, longest: 0 }, true)).toBe(30_000)
  })
})
