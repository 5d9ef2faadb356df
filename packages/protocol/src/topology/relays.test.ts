import { expect, it } from 'vitest'
import type { Member, Reach } from '../base/values.ts'
import { relaysOf } from './relays.ts'

const TODAY = 1_000_000

function member(id: string, reach: Reach = 'direct', joinedAt = 0): Member {
  return { id, incarnation: 1, addresses: [], location: '', tag: new Uint8Array(), constants: new Map(), reach, joinedAt }
}
const ids = (members: readonly Member[]): string[] => members.map(({ id }) => id)
const pool = Array.from({ length: 20 }, (_, index) => member(`d${index}`))

it('the relays of a member are the same in any order of the view, and differ between members', () => {
  const relays = ids(relaysOf('h', pool, TODAY))
  expect(relays).toHaveLength(3)
  expect(ids(relaysOf('h', pool.toReversed(), TODAY))).toEqual(relays)
  const used = new Set(Array.from({ length: 40 }, (_, index) => ids(relaysOf(`h${index}`, pool, TODAY))).flat())
  expect(used.size).toBe(20)
})

it('the loss of a relay changes no other relay of a member', () => {
  const before = ids(relaysOf('h', pool, TODAY))
  const after = ids(
    relaysOf(
      'h',
      pool.filter(({ id }) => id !== before[0]),
      TODAY,
    ),
  )
  expect(after.slice(0, 2)).toEqual(before.slice(1))
})

it('a relay is direct, is not the member itself, and has been here for a minute, unless too few have', () => {
  const hidden = pool.map(({ id }) => member(id, 'hidden'))
  expect(relaysOf('h', hidden, TODAY)).toEqual([])
  expect(ids(relaysOf('d0', pool.slice(0, 3), TODAY)).toSorted()).toEqual(['d1', 'd2'])
  const fresh = Array.from({ length: 20 }, (_, index) => member(`f${index}`, 'direct', TODAY - 59_000))
  expect(ids(relaysOf('h', [...pool.slice(0, 3), ...fresh], TODAY)).toSorted()).toEqual(['d0', 'd1', 'd2'])
  expect(relaysOf('h', [...pool.slice(0, 2), ...fresh], TODAY)).toHaveLength(3)
})
