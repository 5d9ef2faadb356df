import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Calendar, type Reservation } from './calendar.ts'

const TOTAL = 10
const HORIZON = 40

const reservation = fc
  .record({ start: fc.nat(HORIZON), length: fc.integer({ min: 1, max: 12 }), amount: fc.integer({ min: 1, max: TOTAL }) })
  .map(({ start, length, amount }): Reservation => ({ start, end: start + length, amounts: { cpus: amount } }))

/** The sum at each whole moment, by counting. */
function sumAt(moment: number, reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { start, end, amounts }) => sum + (start <= moment && moment < end ? (amounts['cpus'] ?? 0) : 0), 0)
}

function fits({ start, end, amounts }: Reservation, others: readonly Reservation[]): boolean {
  for (let moment = start; moment < end; moment++) if (sumAt(moment, others) + (amounts['cpus'] ?? 0) > TOTAL) return false
  return true
}

describe('a calendar', () => {
  it('admits what an oracle admits that counts each moment, on random calendars', () => {
    fc.assert(
      fc.property(fc.array(reservation, { maxLength: 12 }), reservation, (wanted, next) => {
        const calendar = new Calendar()
        calendar.offer('cpus', TOTAL, 0)
        const admitted: Reservation[] = []
        for (const each of wanted) {
          const isFree = Object.keys(calendar.missing(each)).length === 0
          expect(isFree).toBe(fits(each, admitted))
          if (!isFree) continue
          calendar.add(each)
          admitted.push(each)
        }
        for (let moment = 0; moment < 2 * HORIZON; moment++) expect(sumAt(moment, admitted)).toBeLessThanOrEqual(TOTAL)
        const length = next.end - next.start
        let oracle = next.start
        while (!fits({ ...next, start: oracle, end: oracle + length }, admitted)) oracle++
        expect(calendar.earliest(next)).toBe(oracle)
      }),
      // Before a merge a part of them runs.
      { numRuns: process.env['CASES'] === 'all' ? 10_000 : 2000, seed: 1 },
    )
  })

  it('names what is missing, and never offers less than is reserved', () => {
    const calendar = new Calendar()
    calendar.offer('cpus', 8, 0)
    calendar.offer('memory', 16, 0)
    calendar.add({ start: 0, end: 10, amounts: { cpus: 6, memory: 4 } })
    expect(calendar.missing({ start: 5, end: 6, amounts: { cpus: 3, memory: 12 } })).toEqual({ cpus: 1 })
    expect(calendar.earliest({ start: 0, end: 1, amounts: { cpus: 9 } })).toBeUndefined()
    expect(calendar.offer('cpus', 5, 3)).toBe(false)
    expect(calendar.offer('cpus', 5, 10)).toBe(true)
  })

  it('takes amounts that have no exact sum', () => {
    const calendar = new Calendar()
    calendar.offer('share', 0.3, 0)
    for (let at = 0; at < 3; at++) {
      const each = { start: 0, end: 1, amounts: { share: 0.1 } }
      expect(calendar.missing(each)).toEqual({})
      calendar.add(each)
    }
  })
})
