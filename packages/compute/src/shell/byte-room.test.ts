import { expect, it } from 'vitest'
import { ByteRoom } from './byte-room.ts'

const MIB = 2 ** 20

it('one takes at most half of the room, and many never all of it', () => {
  const room = new ByteRoom(256 * MIB)
  expect([room.take('a', 128 * MIB), room.take('a', 1)]).toEqual([true, false])
  expect([room.take('b', 64 * MIB), room.take('b', 1), room.take('c', 32 * MIB)]).toEqual([true, false, true])
})

it('room that is free again may be taken again', () => {
  const room = new ByteRoom(256 * MIB)
  room.take('a', 100 * MIB)
  room.take('a', 28 * MIB)
  room.free('a', 28 * MIB)
  expect(room.take('a', 28 * MIB)).toBe(true)
  room.free('a', 128 * MIB)
  expect(room.take('b', 128 * MIB)).toBe(true)
})
