import { describe, expect, it } from 'vitest'
import { parseFigures } from './member-figures.ts'

const figures = { workers: 4, busy: 3, memory: 90_000_000, traffic: 12_345 }

describe('the figures of a member', () => {
  it('are read without the fields of a later release', () => {
    expect(parseFigures(JSON.stringify({ ...figures, load: 1 }))).toEqual(figures)
  })

  it.each([
    ['no object', 'null'],
    ['a list', '[1,2,3,4]'],
    ['a missing number', JSON.stringify({ ...figures, busy: undefined })],
    ['a text', JSON.stringify({ ...figures, workers: '4' })],
    ['a negative number', JSON.stringify({ ...figures, memory: -1 })],
    ['a number that is too large to be exact', '{"workers":1,"busy":0,"memory":1e300,"traffic":1}'],
    ['no JSON', 'hello'],
  ])('are refused if they have %s', (_, text) => {
    expect(() => parseFigures(text)).toThrow(/figures|JSON/u)
  })
})
