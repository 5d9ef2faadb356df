import type { Message } from '@jel/compute/internals'
import { expect, it } from 'vitest'
import { irregularTree, rootInput } from '../jobs/programs/trees.ts'
import type { GridOptions } from './grid-options.ts'
import { VirtualGrid } from './grid.ts'

const LEAVES = 200
const options: GridOptions = {
  seed: 5,
  program: irregularTree({ leaves: LEAVES, leafTime: 1000, branching: 4, seed: 1 }),
  latency: () => 0.5,
}

/**
 * Returns the time of a job, ms. The quiet holder takes tasks, and then only answers that it holds
 * them.
 */
function run(hasQuietHolder: boolean): number {
  const grid = new VirtualGrid(options)
  for (let member = 1; member < 12; member++) grid.join({ site: 's' })
  grid.settle()
  let request = 0
  const takes = (from: string, message: Message): void => {
    if (message.type !== 'awaiting') return
    quiet.send(from, { type: 'holding', job: 'job', progress: message.paths.map((path) => [path, 0.5]) })
  }
  const quiet = hasQuietHolder ? grid.join({ site: 's', takes }) : (grid.living[0] as (typeof grid.living)[0])
  const steal = (): void => {
    if (grid.doneAt.has('job')) return
    for (const { id } of grid.living) if (id !== quiet.id) quiet.send(id, { type: 'steal', request: request++, jobs: ['job'], count: 4 })
    grid.after(1000, steal)
  }
  const begin = grid.now
  grid.submit({ id: 'job', input: rootInput(LEAVES) })
  if (hasQuietHolder) grid.after(1000, steal)
  grid.until(() => grid.doneAt.has('job'), 600_000)
  return (grid.doneAt.get('job') as number) - begin
}

it('members that wait for tasks begin them again if the holder neither runs nor claims them', () => {
  // Measured: 67 s with the quiet holder, 19 s without. 138 s if only replicas repeat tasks. Of six
  // seeds: 67 to 97, 19 to 20, 94 to 138.
  expect(run(true)).toBeLessThan(5 * run(false))
})
