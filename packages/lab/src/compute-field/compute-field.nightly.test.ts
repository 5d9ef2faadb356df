import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { labMain } from '../base/paths.ts'

/** ms. Measured: 40 s on two otherwise idle cores, with all contenders. */
const TIMEOUT = 240_000

const FLAGS = '--offline --runs 1 --only speed,kills --seconds 0.5 --kill worker,holder,submitter --kill-seconds 1 --default-timeout 1'

it('measures all installed contenders briefly, and ends', { timeout: TIMEOUT }, async () => {
  const child = spawn(process.execPath, [labMain, 'compute-field', ...FLAGS.split(' ')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [report, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(status).toBe(0)
  for (const part of ['a worker', 'what holds the job', 'the submitter']) {
    const row = report.split('\n').find((line) => line.startsWith(`| SIGKILL of ${part}: beyond ideal`))
    // The first column is `jel`.
    expect(Number(row?.split('|')[3])).toBeLessThan(10)
  }
  // For each other contender, the report has its form or the reason why it did not run.
  expect(report.match(/^- (?:\*\*|Skipped: )/gmu)?.length).toBeGreaterThanOrEqual(5)
})
