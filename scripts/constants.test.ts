import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { constantsDocument, constantsTable } from './constants.ts'

it('the table of constants matches the comments of the sources', () => {
  expect(readFileSync(constantsTable, 'utf8') === constantsDocument(), 'docs/constants.md is stale: node scripts/constants.ts').toBe(true)
})
