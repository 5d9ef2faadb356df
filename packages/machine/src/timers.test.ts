import { expect, test } from 'vitest'
import { Timers } from './timers.ts'

const make = () => new Timers(['probe', 'claim', 'offer'])

function fired(timers: Timers<'probe' | 'claim' | 'offer'>, now: number): string[] {
  const names: string[] = []
  timers.fire(now, (name) => void names.push(name))
  return names
}

test('a timer fires once, at its time', () => {
  const timers = make()
  timers.set('claim', 100)
  expect(fired(timers, 99)).toEqual([])
  expect(fired(timers, 100)).toEqual(['claim'])
  expect(fired(timers, 200)).toEqual([])
})

test('timers that are due together fire in the order of their names', () => {
  const timers = make()
  timers.set('offer', 10)
  timers.set('probe', 30)
  timers.set('claim', 20)
  expect(fired(timers, 30)).toEqual(['probe', 'claim', 'offer'])
})

test('a new time replaces the former one, later or earlier', () => {
  const timers = make()
  timers.set('probe', 10)
  timers.set('probe', 50)
  expect(timers.next).toBe(50)
  timers.advance('probe', 70)
  expect(timers.at('probe')).toBe(50)
  timers.advance('probe', 20)
  expect(timers.next).toBe(20)
  timers.set('probe', Infinity)
  expect(timers.next).toBe(Infinity)
})

test('a timer that sets itself again fires at its new time', () => {
  const timers = make()
  timers.set('probe', 10)
  timers.fire(10, (name) => timers.set(name, 10))
  expect(timers.next).toBe(10)
})

test('the next time is that of the earliest timer, whichever timers are set and stopped', () => {
  const timers = make()
  timers.set('probe', 10)
  timers.set('claim', 20)
  expect(timers.next).toBe(10)
  timers.set('probe', 30)
  expect(timers.next).toBe(20)
  timers.set('claim', Infinity)
  timers.set('offer', 25)
  expect(timers.next).toBe(25)
})

test('timers that were removed neither fire nor can be set', () => {
  const timers = make()
  timers.set('probe', 10)
  timers.set('offer', 20)
  timers.retain(new Set(['offer']))
  timers.set('probe', 5)
  expect(fired(timers, 20)).toEqual(['offer'])
  expect(timers.next).toBe(Infinity)
})

test('timers can be made to fire early, in the order of all timers', () => {
  const timers = make()
  timers.set('claim', 10)
  const names: string[] = []
  timers.fire(10, (name) => void names.push(name), new Set(['offer', 'probe'] as const))
  expect(names).toEqual(['probe', 'claim', 'offer'])
  expect(timers.next).toBe(Infinity)
})
