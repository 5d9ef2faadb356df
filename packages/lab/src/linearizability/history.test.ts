import { describe, expect, it } from 'vitest'
import { History, longestPause } from './history.ts'

describe('the longest pause', () => {
  it('is also that before the first time and after the last', () => {
    expect(longestPause([5, 6, 9], 0, 10)).toBe(5)
    expect(longestPause([1, 2, 4], 0, 10)).toBe(6)
    expect(longestPause([1, 5, 8], 0, 10)).toBe(4)
    expect(longestPause([], 0, 10)).toBe(10)
    expect(longestPause([-3, 12], 0, 10)).toBe(10)
  })
})

describe('a history', () => {
  it('knows its longest pause', async () => {
    let now = 0
    const history = new History(() => now)
    for (const at of [10, 20, 70, 90]) {
      now = at
      history.order(`at ${at}`)('acknowledged', at)
    }
    expect(history.pause(10, 90)).toBe(50)
    expect(history.pause(0, 200)).toBe(110)
  })
})
