import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { endedTasks, readExecutions, rootOf } from './job-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
afterAll(() => rmSync(folder, { recursive: true }))

function log(text: string): string {
  const file = join(folder, 'log')
  writeFileSync(file, text)
  return file
}

it('counts each begun execution, and each ended task once', () => {
  const executions = readExecutions(log('root 7\nbegin 0\nbegin 1\nend 0\nbegin 0\nend 0\n'))
  expect(executions).toHaveLength(3)
  expect(endedTasks(executions)).toEqual(new Set([0]))
})

it('does not read an incomplete last line', () => {
  expect(readExecutions(log('begin 0\nend 0\nbegin 1'))).toHaveLength(1)
})

it('finds the last process that began the root', () => {
  expect(rootOf(log('root 7\nbegin 0\nroot 9\n'))).toBe(9)
})

it('is empty if nothing was written', () => {
  expect(readExecutions(undefined)).toEqual([])
  expect(readExecutions(join(folder, 'none'))).toEqual([])
  expect(rootOf(log('begin 0\n'))).toBeUndefined()
})
