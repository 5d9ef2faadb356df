import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { bytesOf } from './disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('a file with two names is counted once', () => {
  writeFileSync(join(folder, 'blob'), 'x'.repeat(1000))
  mkdirSync(join(folder, 'pins'))
  linkSync(join(folder, 'blob'), join(folder, 'pins', 'blob'))
  writeFileSync(join(folder, 'other'), 'x'.repeat(100))
  expect(bytesOf(folder)).toBe(1100)
})
