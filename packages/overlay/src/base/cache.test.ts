import { afterEach, expect, test, vi } from 'vitest'
import { Cache } from './cache.ts'

afterEach(() => void vi.useRealTimers())

test('a cache never exceeds its bound, and keeps entries that are asked for again and again', () => {
  const cache = new Cache<number>(10, Infinity)
  cache.put('favourite', 1)
  for (let i = 0; i < 100; i++) {
    cache.put(`passing ${i}`, i)
    expect(cache.get('favourite')).toBe(1)
  }
  const held = Array.from({ length: 100 }, (_, i) => cache.get(`passing ${i}`)).filter((value) => value !== undefined)
  expect(held.length).toBeLessThanOrEqual(10)
  expect(cache.get('passing 99')).toBe(99)
  expect(cache.get('passing 0')).toBeUndefined()
})

test('a cache forgets entries that are not asked for in their lifetime, however few there are', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const cache = new Cache<number>(1_000, 60_000)
  cache.put('favourite', 1)
  cache.put('passing', 2)
  for (let minute = 1; minute <= 3; minute++) {
    vi.advanceTimersByTime(60_000)
    expect(cache.get('favourite')).toBe(1)
    cache.put(`news ${minute}`, minute)
  }
  expect(cache.get('passing')).toBeUndefined()
})
