/** Runs the same programs without a pool. Each worker is a process of its own. */
import { fileURLToPath } from 'node:url'
import { computeLocal, type LocalGrid } from '@jel/compute'
import { serve } from '../../base/remote.ts'
import { check, clientOf, type ThreadsClient } from './client.ts'
import type { InTurn } from './grid-program.ts'

const PROGRAM = fileURLToPath(new URL('grid-program.ts', import.meta.url))

let grid: LocalGrid

async function submit(fn: string, input: object): Promise<unknown> {
  return await (
    await grid.submit(PROGRAM, fn, input)
  ).result
}

const client: ThreadsClient = {
  enter(place) {
    grid = computeLocal(place)
  },
  ...clientOf(
    (job) => ({ log: job.log, result: submit('wide', job) }),
    (number) => submit('one', { number, ms: 0, busy: false }),
  ),
  async inTurn(tasks) {
    const { sum, ms } = (await submit('inTurn', { tasks })) as InTurn
    check(sum, tasks)
    return ms
  },
}
serve(client)
