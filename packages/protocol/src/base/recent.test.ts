import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('events are often while more than the limit lie within the span, and no longer', () => {
  const recent = new Recent(4, 1_000)
  for (let time = 0; time < 400; time += 100) recent.note(time)
  expect(recent.isOften(400)).toBe(false)
  recent.note(400)
  expect(recent.isOften(400)).toBe(true)
  expect(recent.isOften(999)).toBe(true)
  expect(recent.isOften(1_000)).toBe(false)
  for (let time = 2_000; time < 12_000; time += 250) {
    recent.note(time)
    expect(recent.isOften(time)).toBe(false)
  }
})
