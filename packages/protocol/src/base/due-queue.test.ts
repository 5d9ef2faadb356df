import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DueQueue } from './due-queue.ts'

describe('a queue of due times', () => {
  it('finds the first due value and all due values, as a walk over all values would', () => {
    const change = fc.record({ value: fc.nat(20), at: fc.oneof(fc.nat(30), fc.constant(Infinity)), now: fc.nat(30) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const queue = new DueQueue<number>()
        const times = new Map<number, number>()
        for (const { value, at, now } of changes) {
          queue.set(value, at)
          times.set(value, at)
          const waiting = [...times].filter(([, time]) => time < Infinity)
          expect(queue.nextDue).toBe(Math.min(Infinity, ...waiting.map(([, time]) => time)))
          expect(queue.size).toBe(waiting.length)
          const due = waiting.filter(([, time]) => time <= now).map(([each]) => each)
          expect(queue.dueBy(now).sort((a, b) => a - b)).toEqual(due.sort((a, b) => a - b))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is empty when cleared', () => {
    const queue = new DueQueue<string>()
    queue.set('a', 5)
    queue.clear()
    expect([queue.nextDue, queue.size, queue.dueBy(9)]).toEqual([Infinity, 0, []])
  })
})
