import { expect, test } from 'vitest'
import { Cache } from './cache.ts'

test('never holds more than its bound, and keeps what is asked for again and again', () => {
  const cache = new Cache<number>(10)
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
