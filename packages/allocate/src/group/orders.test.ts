import { expect, it } from 'vitest'
import { inAllOrders, OneOrder } from '../../test/all-orders.ts'

const wanted = (group: string, date: number, candidates: readonly string[]) => ({
  group,
  program: 'p',
  candidates,
  count: 2,
  atLeast: 2,
  grows: false,
  spares: 0,
  amounts: { ranks: 1 },
  for: 1000,
  date,
  input: '0',
})

it('two groups of two start one after the other on three members, in whatever order messages arrive', () => {
  let ends = 0
  const states = inAllOrders(
    () =>
      new OneOrder(
        ['a', 'b', 'c'],
        [
          ['a', wanted('group-1', 0, ['a', 'b', 'c'])],
          ['c', wanted('group-2', 1, ['c', 'b', 'a'])],
        ],
      ),
    (world) => expect(world.isShared).toBe(false),
    (world) => {
      ends++
      expect([world.ended('group-1'), world.ended('group-2'), world.areAllFree]).toEqual([2, 2, true])
    },
    100_000,
  )
  expect(states).toBeGreaterThan(10_000)
  expect(ends).toBeGreaterThan(1000)
})
