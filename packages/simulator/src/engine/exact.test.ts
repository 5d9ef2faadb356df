import fc from 'fast-check'
import { expect, it } from 'vitest'
import { exactExp, exactLog, floorLog2 } from './exact.ts'

it('logarithms and powers of e are right to the last digits', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), fc.double({ min: -30, max: 30, noNaN: true }), (value, exponent) => {
      expect(exactLog(value)).toBeCloseTo(Math.log(value), 12)
      expect(exactExp(exponent) / Math.exp(exponent)).toBeCloseTo(1, 12)
    }),
  )
})

it('powers of two are found exactly', () => {
  for (let order = 0; order < 31; order++) {
    expect(floorLog2(2 ** order)).toBe(order)
    if (order > 1) expect([floorLog2(2 ** order - 1), floorLog2(2 ** order + 1)]).toEqual([order - 1, order])
  }
})
