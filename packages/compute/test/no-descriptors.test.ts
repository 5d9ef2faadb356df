import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { confinement } from '../src/executors/confinement.ts'

const programs = join(import.meta.dirname, 'programs')

it.skipIf(process.platform === 'win32')('a member without file descriptors starts no program, and goes on', async () => {
  const command = 'ulimit -n 64; exec "$@"'
  const args = ['-c', command, 'sh', process.execPath, join(programs, 'no-descriptors.ts'), join(programs, 'blobs.ts')]
  const { stdout } = await promisify(execFile)('/bin/sh', args, { timeout: 20_000 })
  expect(stdout).toBe('it can not be started: no file descriptors are left\nit lives\n')
})

it.skipIf(process.platform === 'win32')('a check without descriptors does not mean that the machine confines nothing', async () => {
  const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, join(programs, 'confines-late.ts')]
  const { stdout } = await promisify(execFile)('/bin/sh', args, { timeout: 20_000 })
  expect(stdout).toBe(`not known, ${(await confinement()).namespaces}`)
})
