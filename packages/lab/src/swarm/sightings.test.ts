import { expect, test } from 'vitest'
import { Sightings } from './sightings.ts'

test('a wait returns the time at which each observer knew the last member', async () => {
  const sightings = new Sightings()
  const asked = sightings.until({ observers: ['a', 'b'], type: 'joined', subjects: ['a', 'b', 'c'] }, 1000)
  sightings.record('a', 'joined', 'b', 10)
  sightings.record('a', 'joined', 'c', 30)
  sightings.record('b', 'joined', 'c', 20)
  sightings.record('b', 'joined', 'a', 15)
  expect([...(await asked)]).toEqual([
    ['a', 30],
    ['b', 20],
  ])
})

test('an event that an observer does not see in time counts as never', async () => {
  const sightings = new Sightings()
  sightings.record('a', 'died', 'c', 10)
  const answer = await sightings.until({ observers: ['a', 'b'], type: 'died', subjects: ['c'] }, 20)
  expect([...answer.values()]).toEqual([10, Infinity])
})

test('repeated and wrong reports are counted', () => {
  const sightings = new Sightings()
  sightings.record('a', 'died', 'c', 10)
  sightings.record('a', 'died', 'c', 11)
  sightings.record('a', 'died', 'd', 12)
  expect(sightings.repeats).toBe(1)
  expect(sightings.unexpected('died', new Set(['c']))).toBe(1)
})
