import fc from 'fast-check'
import { expect, it } from 'vitest'
import { divide } from './divide.ts'

it('all workers end at the same time, and have all of the work', () => {
  const { time, parts } = divide(100, [
    { each: 1, fixed: 0 },
    { each: 3, fixed: 8 },
  ]) as { time: number; parts: number[] }
  expect([time, ...parts].map((each) => Number(each.toFixed(9)))).toEqual([77, 77, 23])
  const worker = fc.record({ each: fc.double({ min: 0.1, max: 10, noNaN: true }), fixed: fc.double({ min: 0, max: 5, noNaN: true }) })
  fc.assert(
    fc.property(fc.array(worker, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 1000 }), (workers, work) => {
      const found = divide(work, workers)
      // The largest fixed time decides whether there is such a division.
      const longest = Math.max(...workers.map(({ fixed }) => fixed))
      const doneBy = workers.reduce((sum, { each, fixed }) => sum + (longest - fixed) / each, 0)
      if (Math.abs(doneBy - work) > 1e-6 * work) expect(found !== undefined).toBe(doneBy < work)
      if (found === undefined) return
      expect(found.parts.reduce((sum, each) => sum + each, 0)).toBeCloseTo(work, 6)
      for (const [at, { each, fixed }] of workers.entries()) expect((found.parts[at] as number) * each + fixed).toBeCloseTo(found.time, 6)
    }),
    { seed: 3 },
  )
})

it('a worker with little memory gets what it can hold, and others the rest', () => {
  const workers = [
    { each: 1, fixed: 0, most: 10 },
    { each: 1, fixed: 0 },
    { each: 1, fixed: 0, most: 30 },
  ]
  expect(divide(60, workers)?.parts).toEqual([10, 25, 25])
  expect(divide(90, workers)?.parts).toEqual([10, 50, 30])
  expect(divide(90, [workers[0] as never, workers[2] as never])).toBeUndefined()
})

it('a worker whose messages take longer than the work is refused', () => {
  expect(
    divide(10, [
      { each: 1, fixed: 0 },
      { each: 1, fixed: 11 },
    ]),
  ).toBeUndefined()
})
