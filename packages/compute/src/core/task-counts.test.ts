import { expect, it } from 'vitest'
import { TaskCounts, TIME_BOUNDS } from './task-counts.ts'

it('each execution counts once, in the bucket of its time, and failures count as executions', () => {
  const counts = new TaskCounts()
  for (const ran of [0, 1, 1.1, 9_999_999]) counts.ended(ran, false)
  counts.ended(3, true)
  counts.crashed()
  expect([counts.run, counts.failed, counts.ran]).toEqual([6, 2, 10_000_004.1])
  expect(counts.times.slice(0, 3)).toEqual([2, 1, 1])
  expect(counts.times).toHaveLength(TIME_BOUNDS.length + 1)
  expect(counts.times.at(-1)).toBe(1)
})
