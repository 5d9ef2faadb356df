import { expect, it } from 'vitest'
import { Fitness } from './fitness.ts'

/** Lets three containers in a row fail. */
function stop(fitness: Fitness, now: number): (number | undefined)[] {
  return [0, 1, 2].map(() => fitness.failed(now))
}

it('a member stops after three failed containers in a row', () => {
  const fitness = new Fitness()
  expect(fitness.failed(0)).toBeUndefined()
  expect(fitness.failed(0)).toBeUndefined()
  fitness.succeeded()
  expect(stop(fitness, 0)).toEqual([undefined, undefined, 60_000])
  expect(fitness.stoppedUntil).toBe(60_000)
})

it('a stopped member tries one container, then doubles its pause, up to an hour', () => {
  const fitness = new Fitness()
  stop(fitness, 0)
  const pauses = Array.from({ length: 8 }, () => fitness.failed(fitness.stoppedUntil))
  expect(pauses).toEqual([120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000])
  fitness.succeeded()
  expect(stop(fitness, fitness.stoppedUntil)).toEqual([undefined, undefined, 60_000])
})
