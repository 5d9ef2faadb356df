import { expect, it } from 'vitest'
import { endedLives } from './lives.ts'

const told = (time: number, event: string, about: string, incarnation: number) => ({ time, event, about, incarnation })

it('counts each life once, however many tell of its end', () => {
  const reports = [
    told(1, 'joined', 'a', 1),
    told(2, 'died', 'a', 1),
    told(3, 'died', 'a', 1),
    told(4, 'joined', 'a', 2),
    told(5, 'died', 'a', 2),
  ]
  expect(endedLives(reports, () => Infinity)).toEqual(['a 1', 'a 2'])
})

it('counts lives of whose end nobody told', () => {
  expect(endedLives([told(1, 'joined', 'a', 1), told(2, 'joined', 'a', 3)], () => Infinity)).toEqual(['a 1'])
})

it('leaves out what came after something was done to the process', () => {
  const reports = [
    told(1, 'joined', 'a', 1),
    told(2, 'died', 'a', 1),
    told(4, 'joined', 'a', 2),
    told(6, 'died', 'a', 2),
    told(9, 'joined', 'a', 3),
  ]
  expect(endedLives(reports, () => 5)).toEqual(['a 1'])
})
