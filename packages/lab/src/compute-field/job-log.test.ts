import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readLog, rootOf } from './job-log.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

function log(text: string): string {
  const file = join(folder, 'log')
  writeFileSync(file, text)
  return file
}

it('counts each execution that began, and each task that ended once', () => {
  expect(readLog(log('root 7\nbegin 0\nbegin 1\nend 0\nbegin 0\nend 0\n'))).toEqual({ begun: 3, ended: new Set([0]) })
})

it('does not read a line that is not whole yet', () => {
  expect(readLog(log('begin 0\nend 0\nbegin 1')).begun).toBe(1)
})

it('knows the process that began the root last', () => {
  expect(rootOf(log('root 7\nbegin 0\nroot 9\n'))).toBe(9)
})

it('has nothing where nothing was written', () => {
  expect(readLog(undefined).begun).toBe(0)
  expect(readLog(join(folder, 'none')).begun).toBe(0)
  expect(rootOf(log('begin 0\n'))).toBeUndefined()
})
