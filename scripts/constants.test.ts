import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Constant } from '../packages/lab/src/constants/parse.ts'
import { constantsDocument, constantsTable, decidable, effectsIn, guessesThatMatter } from './constants.ts'

it('the table of constants matches the comments of the sources', () => {
  expect(readFileSync(constantsTable, 'utf8') === constantsDocument(), 'docs/constants.md is stale: node scripts/constants.ts').toBe(true)
})

it('the table says of each guess that changes figures what would decide it', () => {
  const guesses = guessesThatMatter().map(({ file, name }) => `${file} ${name}`)
  expect(guesses.length).toBeGreaterThan(5)
  expect(decidable()).toEqual(guesses)
})

it('a table of the laboratory has the effects of constants of one name in their order', () => {
  const constant = (file: string, name: string, value: string): Constant => ({ file, name, value, reason: '', definition: '' })
  const all = [
    constant('a.ts', 'most', '4'),
    constant('b.ts', 'most', '5'),
    constant('c.ts', 'pause', '1_000'),
    constant('d.ts', 'most', '4'),
  ]
  const table = `
| constant | value | halved           | doubled |
| -------- | ----- | ---------------- | ------- |
| most     | 4     | no part          | little  |
| pause    | 2_000 | little           | little  |
| most     | 4     | a, ms: 1–2 → 3; 1 more | – |
`
  expect(effectsIn(table, all)).toEqual([
    { file: 'a.ts', name: 'most', value: '4', halved: 'no part', doubled: 'little' },
    { file: 'd.ts', name: 'most', value: '4', halved: 'a, ms: 1–2 → 3; 1 more', doubled: '–' },
  ])
})
