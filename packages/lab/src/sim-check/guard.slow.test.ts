import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { labMain } from '../base/paths.ts'

it('convergence, detection and traffic are no worse than the committed figures (pnpm sim:check)', { timeout: 300_000 }, async () => {
  const run = promisify(execFile)(process.execPath, [labMain, 'sim-check'])
  // The output of the command becomes the message of the failure.
  const { stdout } = await run.catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout, { cause: error })
  })
  expect(stdout).toContain('nothing is more than 10 % worse')
})
