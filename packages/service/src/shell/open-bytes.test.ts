import { expect, it } from 'vitest'
import { MAX_BYTES_OF_ALL, MAX_OPEN_BYTES, OpenBytes } from './open-bytes.ts'

it('a member has no room above 8 MiB of calls without an answer, until some of them end', () => {
  const open = new OpenBytes()
  let woken = 0
  const unwatch = open.watch('m', () => woken++)
  const ends = Array.from({ length: 8 }, () => open.add('m', MAX_OPEN_BYTES / 8))
  expect([open.isFull('m'), open.isFull('other')]).toEqual([true, false])
  ends[0]?.()
  expect([open.isFull('m'), woken]).toEqual([false, 1])
  // The end of a stream frees nothing that a service still works on.
  unwatch()
  open.add('m', MAX_OPEN_BYTES / 8)
  expect(open.isFull('m')).toBe(true)
})

it('all members together have 256 MiB, and above that each has one call at a time', () => {
  const open = new OpenBytes()
  const ends = Array.from({ length: MAX_BYTES_OF_ALL / MAX_OPEN_BYTES }, (_, at) => open.add(`m${at}`, MAX_OPEN_BYTES))
  let woken = 0
  open.watch('late', () => woken++)
  expect(open.isFull('late')).toBe(false)
  open.add('late', 1)
  expect(open.isFull('late')).toBe(true)
  ends[0]?.()
  expect([open.isFull('late'), woken]).toEqual([false, 1])
})
