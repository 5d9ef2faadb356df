import { expect, it } from 'vitest'
import { EventsOverflowError } from './errors.ts'
import { EventGate } from './event-gate.ts'

const gateWith = (limit?: number): { gate: EventGate; told: number[]; tell: (n: number) => void } => {
  const gate = new EventGate(limit)
  const told: number[] = []
  return { gate, told, tell: (n) => gate.pass(() => told.push(n)) }
}

it('hands events on at once, and what waited in order', () => {
  const { gate, told, tell } = gateWith()
  tell(1)
  expect(told).toEqual([1])
  gate.pause()
  tell(2)
  tell(3)
  expect(told).toEqual([1])
  gate.resume()
  tell(4)
  expect(told).toEqual([1, 2, 3, 4])
})

it('keeps the order when a listener pauses again, or makes something happen', () => {
  const { gate, told, tell } = gateWith()
  gate.pause()
  gate.pass(() => {
    told.push(1)
    gate.pause()
    tell(3)
  })
  tell(2)
  gate.resume()
  expect(told).toEqual([1])
  gate.resume()
  expect(told).toEqual([1, 2, 3])
})

it('says when more came than may wait, and goes on afterwards', () => {
  const { gate, told, tell } = gateWith(2)
  gate.pause()
  for (const n of [1, 2, 3, 4]) tell(n)
  expect(() => gate.resume()).toThrow(EventsOverflowError)
  expect(told).toEqual([])
  tell(5)
  gate.resume()
  expect(told).toEqual([5])
})
