import { createRandom, hash52 } from '@jel/protocol'
import { expect, it } from 'vitest'
import { TaskRandom } from './task-random.ts'

it('random numbers of a task go on at any place of their sequence', () => {
  const all = new TaskRandom('seed', 0)
  const drawn = Array.from({ length: 2 ** 20 + 3 }, () => all.next())
  for (const draws of [0, 1, 1000, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 2]) expect(new TaskRandom('seed', draws).next()).toBe(drawn[draws])
  const first = createRandom(hash52('seed') % 2 ** 32)
  expect(drawn.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => first()))
})

it('a count that another member made up takes no longer', () => {
  const random = new TaskRandom('seed', Number.MAX_SAFE_INTEGER - 1)
  expect(random.next()).toBeLessThan(1)
})
