import { expect, it } from 'vitest'
import { EventsOverflowError } from '../errors.ts'
import { EventBuffer } from './paused-events.ts'

const bufferWith = (limit?: number): { buffer: EventBuffer; told: number[]; tell: (n: number) => void } => {
  const buffer = new EventBuffer(limit)
  const told: number[] = []
  return { buffer, told, tell: (n) => buffer.push(() => told.push(n)) }
}

it('hands events on at once, and what waited in order', () => {
  const { buffer, told, tell } = bufferWith()
  tell(1)
  expect(told).toEqual([1])
  buffer.pause()
  tell(2)
  tell(3)
  expect(told).toEqual([1])
  buffer.resume()
  tell(4)
  expect(told).toEqual([1, 2, 3, 4])
})

it('keeps the order when a listener pauses again, or makes something happen', () => {
  const { buffer, told, tell } = bufferWith()
  buffer.pause()
  buffer.push(() => {
    told.push(1)
    buffer.pause()
    tell(3)
  })
  tell(2)
  buffer.resume()
  expect(told).toEqual([1])
  buffer.resume()
  expect(told).toEqual([1, 2, 3])
})

it('says when more came than may wait, and goes on afterwards', () => {
  const { buffer, told, tell } = bufferWith(2)
  buffer.pause()
  for (const n of [1, 2, 3, 4]) tell(n)
  expect(() => buffer.resume()).toThrow(EventsOverflowError)
  expect(told).toEqual([])
  tell(5)
  buffer.resume()
  expect(told).toEqual([5])
})
