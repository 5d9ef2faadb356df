import { expect, it } from 'vitest'
import { ResultTable } from './result-table.ts'

const [one, two] = ['aaaaaaaaaa', 'bbbbbbbbbb']

it('has a result for every task below a finished task, and for none beside it', () => {
  const table = new ResultTable()
  table.add(one)
  expect([one, one + two, two, ''].map((path) => table.has(path))).toEqual([true, true, false, false])
})

it('lists each task once, none below another', () => {
  const table = new ResultTable()
  for (const path of [one + one, one + two, two + one, one, one + one]) table.add(path)
  expect([...table.within('')]).toEqual([one, two + one])
  expect([...table.within(one)]).toEqual([one])
  expect([...table.within(two + two)]).toEqual([])
})

it('covers the whole job once its root has a result', () => {
  const table = new ResultTable()
  table.add(one)
  table.add('')
  table.add(two)
  expect([...table.within('')]).toEqual([''])
  expect(table.has(two)).toBe(true)
})
