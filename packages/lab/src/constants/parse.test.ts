import { expect, it } from 'vitest'
import { constants, scaled, uncommented, type Constant } from './parse.ts'

const constant = (value: string): Constant => ({ file: 'a.ts', name: 'x', value, reason: '', definition: `const x = ${value}` })

it('a constant is halved and doubled, products and shares too', () => {
  expect(scaled(constant('60_000'), 2)).toBe('const x = 120000')
  expect(scaled(constant('24 * 3_600_000'), 0.5)).toBe('const x = 43200000')
  expect(scaled(constant('0.3'), 0.5)).toBe('const x = 0.15')
  expect(scaled(constant('3'), 0.5)).toBe('const x = 2')
})

it('a list and a count of one have no half', () => {
  expect(scaled(constant('1, 2'), 2)).toBeUndefined()
  expect(scaled(constant('1'), 0.5)).toBeUndefined()
})

it('most constants of the protocol can be changed', () => {
  const all = constants()
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter((each) => scaled(each, 2) !== undefined).length).toBeGreaterThan(all.length * 0.9)
})

it('each constant of the protocol has a comment of its own', () => {
  expect(uncommented()).toEqual([])
})
