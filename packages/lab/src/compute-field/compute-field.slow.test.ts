import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { labMain } from '../base/paths.ts'

it('goes over a short course with all contenders that are here, and ends', async () => {
  const flags = [
    '--offline',
    '--runs',
    '1',
    '--only',
    'speed,kills',
    '--seconds',
    '0.5',
    '--kill',
    'worker',
    '--kill-seconds',
    '1',
    '--default-patience',
    '1',
  ]
  const child = spawn(process.execPath, [labMain, 'compute-field', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [report, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(status).toBe(0)
  const rows = report.split('\n').filter((line) => line.startsWith('| '))
  const row = rows.find((line) => line.startsWith('| SIGKILL of a worker: beyond ideal'))
  // Ours is the first column.
  expect(Number(row?.split('|')[3])).toBeLessThan(10)
  expect(rows.length).toBeGreaterThan(8)
  for (const name of ['piscina', 'BullMQ', 'Dask']) expect(report).toMatch(new RegExp(`\\*\\*${name}\\*\\*|Skipped: .*${name}|redis`, 'iu'))
})
