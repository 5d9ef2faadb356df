import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Search } from './search.ts'

let [searches, lacks] = [0, true]
let search: Search | undefined
const begin = (): Search =>
  new Search(
    () => lacks,
    async () => {
      searches++
      await Promise.reject(new Error('its members are gone'))
    },
  )

beforeEach(() => {
  vi.useFakeTimers()
  ;[searches, lacks] = [0, true]
})
afterEach(() => {
  search?.end()
  vi.useRealTimers()
})

it('a group that lacks ranks looks for members ever more rarely, once a minute at last', async () => {
  search = begin()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(searches).toBe(4)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(searches).toBeGreaterThan(12)
  expect(searches).toBeLessThan(16)
})

it('a new member is found within two seconds, and a thousand new ones cause no more searches', async () => {
  search = begin()
  await vi.advanceTimersByTimeAsync(100_000)
  const before = searches
  for (let at = 0; at < 1000; at++) {
    search.soon()
    await vi.advanceTimersByTimeAsync(2)
  }
  expect(searches).toBe(before + 1)
})

it('a group that is full looks for nobody, and within two seconds once it lacks a rank', async () => {
  search = begin()
  await vi.advanceTimersByTimeAsync(100_000)
  lacks = false
  const before = searches
  await vi.advanceTimersByTimeAsync(200_000)
  expect(searches).toBe(before)
  lacks = true
  await vi.advanceTimersByTimeAsync(2000)
  expect(searches).toBe(before + 1)
  search.end()
  await vi.advanceTimersByTimeAsync(200_000)
  expect(searches).toBe(before + 1)
})
