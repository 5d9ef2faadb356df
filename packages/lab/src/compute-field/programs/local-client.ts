/** Runs the same programs without a pool: workers are threads of this process. */
import { fileURLToPath } from 'node:url'
import { computeLocal, type LocalGrid } from '@jel/compute'
import { serve } from '../../base/remote.ts'
import { check, timed } from '../client.ts'
import type { ThreadsClient } from '../threads.ts'
import type { InTurn } from './grid-program.ts'

const PROGRAM = fileURLToPath(new URL('grid-program.ts', import.meta.url))

let grid: LocalGrid
let running: Promise<number>

const client: ThreadsClient = {
  enter(place) {
    grid = computeLocal(place)
  },
  begin(job) {
    running = timed(async () => check(await (await grid.submit(PROGRAM, 'wide', job)).result, job.tasks))
    running.catch(() => {})
    return { log: job.log }
  },
  ended: () => running,
  async inTurn(tasks) {
    const { sum, ms } = (await (await grid.submit(PROGRAM, 'inTurn', { tasks })).result) as InTurn
    check(sum, tasks)
    return ms
  },
  jobByJob: (tasks) =>
    timed(async () => {
      let sum = 0
      for (let number = 0; number < tasks; number++)
        sum += (await (await grid.submit(PROGRAM, 'one', { number, ms: 0, busy: false })).result) as number
      check(sum, tasks)
    }),
}
serve(client)
