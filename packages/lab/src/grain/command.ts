/**
 * Measures how short tasks may be: the share of the time in which the workers of one member are at
 * tasks, by the length of the tasks.
 *
 *     pnpm lab grain
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { computeLocal } from '@jel/compute'
import { markdownTable } from '../base/markdown.ts'
import { inCheckout } from '../base/paths.ts'
import { command, positive, type Values, whole } from '../base/program.ts'

const USAGE = `pnpm lab grain [options]

  --workers 2     of the member
  --seconds 20    that a job takes, without losses
`

const options = { workers: { type: 'string', default: '2' }, seconds: { type: 'string', default: '20' } } as const

const LENGTHS = [100, 10, 1]
/** Number of empty tasks, which measure the scheduler. */
const EMPTY = 30_000

async function main(values: Values<typeof options>): Promise<number> {
  const [workers, seconds] = [whole('workers', values.workers), positive('seconds', values.seconds)]
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  const program = inCheckout('packages/lab/src/grain/program.ts')
  process.stdout.write(`load at the start ${(loadavg()[0] as number).toFixed(1)}; ${workers} workers\n\n`)
  try {
    await using grid = computeLocal({ workers, cache: folder })
    const time = async (tasks: number, ms: number): Promise<number> => {
      const job = await grid.submit(program, 'wide', { tasks, ms })
      const begin = performance.now()
      await job.result
      return performance.now() - begin
    }
    await time(10, 1)
    const rows: string[][] = []
    for (const ms of LENGTHS) {
      const tasks = Math.round((seconds * 1000 * workers) / ms)
      const took = await time(tasks, ms)
      rows.push([`${ms} ms`, String(tasks), `${((tasks * ms * 100) / workers / took).toFixed(1)} %`, ((tasks * 1000) / took).toFixed(0)])
    }
    rows.push(['none', String(EMPTY), '', ((EMPTY * 1000) / (await time(EMPTY, 0))).toFixed(0)])
    process.stdout.write(`${markdownTable(['a task', 'tasks', 'at work', 'tasks a second'], rows)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return 0
}

export const experiment = command(USAGE, options, main)
