import { expect, it } from 'vitest'
import { EventsOverflowError } from '../errors.ts'
import { EventBuffer } from './paused-events.ts'

const bufferWith = (limit?: number): { buffer: EventBuffer; delivered: number[]; push: (n: number) => void } => {
  const buffer = new EventBuffer(limit)
  const delivered: number[] = []
  return { buffer, delivered, push: (n) => buffer.push(() => delivered.push(n)) }
}

it('events are passed on at once, and those that waited in order', () => {
  const { buffer, delivered, push } = bufferWith()
  push(1)
  expect(delivered).toEqual([1])
  buffer.pause()
  push(2)
  push(3)
  expect(delivered).toEqual([1])
  buffer.resume()
  push(4)
  expect(delivered).toEqual([1, 2, 3, 4])
})

it('events keep their order when a listener pauses again or causes another event', () => {
  const { buffer, delivered, push } = bufferWith()
  buffer.pause()
  buffer.push(() => {
    delivered.push(1)
    buffer.pause()
    push(3)
  })
  push(2)
  buffer.resume()
  expect(delivered).toEqual([1])
  buffer.resume()
  expect(delivered).toEqual([1, 2, 3])
})

it('more events than may wait are reported, and later events follow', () => {
  const { buffer, delivered, push } = bufferWith(2)
  buffer.pause()
  for (const n of [1, 2, 3, 4]) push(n)
  expect(() => buffer.resume()).toThrow(EventsOverflowError)
  expect(delivered).toEqual([])
  push(5)
  buffer.resume()
  expect(delivered).toEqual([5])
})
