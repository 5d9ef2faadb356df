import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = `
  import { openSync } from 'node:fs'
  import { runCommand } from ${JSON.stringify(new URL('run.ts', import.meta.url).href)}
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch {}
  const { problem } = await runCommand('true', '', {}).ended
  setTimeout(() => process.stdout.write(problem), 100)
`

it.skipIf(process.platform === 'win32')('a node without file descriptors runs no command, and lives', async () => {
  const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)('/bin/sh', args, { timeout: 20_000 })
  expect(stdout).toBe('no file descriptors are left')
})
