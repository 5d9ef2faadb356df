import { expect, it } from 'vitest'
import { Coverage } from './coverage.ts'

const [one, two] = ['aaaaaaaaaa', 'bbbbbbbbbb']

it('covers what is below a task, and nothing beside it', () => {
  const coverage = new Coverage()
  coverage.add(one)
  expect([one, one + two, two, ''].map((path) => coverage.covers(path))).toEqual([true, true, false, false])
})

it('tells each task once, none below another', () => {
  const coverage = new Coverage()
  for (const path of [one + one, one + two, two + one, one, one + one]) coverage.add(path)
  expect([...coverage.within('')]).toEqual([one, two + one])
  expect([...coverage.within(one)]).toEqual([one])
  expect([...coverage.within(two + two)]).toEqual([])
})

it('is all of a job once its root is covered', () => {
  const coverage = new Coverage()
  coverage.add(one)
  coverage.add('')
  coverage.add(two)
  expect([...coverage.within('')]).toEqual([''])
  expect(coverage.covers(two)).toBe(true)
})
