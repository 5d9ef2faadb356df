import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Capacity } from './capacity.ts'

describe('a capacity', () => {
  it('serves one after the other', () => {
    const capacity = new Capacity()
    expect([capacity.reserve(0, 10, 0), capacity.reserve(0, 5, 0), capacity.reserve(30, 5, 0)]).toEqual([10, 15, 35])
    expect(capacity.started).toBe(30)
    expect(capacity.backlog(4)).toBe(11)
  })

  it('uses the free time before what was booked for later', () => {
    const capacity = new Capacity()
    expect(capacity.reserve(100, 10, 0)).toBe(110)
    expect(capacity.reserve(1, 5, 0)).toBe(6)
    // 94 ms are free before the reservation at 100. The other 6 ms follow that reservation.
    expect(capacity.reserve(6, 100, 0)).toBe(116)
  })

  it('is never used for longer than the time that passes, and never idle while a user waits', () => {
    const jobs = fc.array(fc.record({ from: fc.nat(1_000), duration: fc.integer({ min: 1, max: 50 }) }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(jobs, (all) => {
        const capacity = new Capacity()
        const busy = new Set<number>()
        for (const { from, duration } of all) {
          const end = capacity.reserve(from, duration, 0)
          // The reservation takes the first free whole milliseconds.
          let left = duration
          let time = from
          for (; left > 0; time++) {
            if (busy.has(time)) continue
            busy.add(time)
            left -= 1
          }
          expect(end).toBe(time)
        }
      }),
    )
  })
})
