import { expect, it } from 'vitest'
import { differenceOf } from './constants.ts'
import type { Trial } from './variant.ts'

const trial = (hash: string, heal: number, broken = 0): Trial => ({ hashes: [hash], figures: { cut: { 'heal, ms': heal } }, broken })
const sound = [trial('a', 1100), trial('b', 500), trial('c', 800, 1)]

it.each<[string, Trial, string]>([
  ['the same history', trial('a', 1100), 'no part'],
  ['a figure within those of other seeds', trial('d', 500), 'little'],
  ['a figure a little beyond', trial('d', 1300), 'little'],
  ['a larger figure', trial('d', 2200), 'cut, heal, ms: 500–1100 → 2200'],
  ['a smaller figure', trial('d', 250), 'cut, heal, ms: 500–1100 → 250'],
  ['as many broken promises as with other seeds', trial('d', 500, 1), 'little'],
  ['more broken promises', trial('d', 500, 3), '2 broken promises'],
])('a variant with %s', (_, variant, text) => {
  expect(differenceOf(sound, variant)).toBe(text)
})
