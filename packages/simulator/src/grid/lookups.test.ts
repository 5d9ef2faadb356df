import { describe, expect, it } from 'vitest'
import { VirtualGrid } from './grid.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { flatJob, numberBytes, rootInput } from '../jobs/programs/trees.ts'

const LEAVES = 60
const MIB = 2 ** 20

/** Each leaf gives a value of 1 MiB, and the root counts them. */
function largeValues(): VirtualProgram {
  const program = flatJob({ leaves: LEAVES, leafTime: 1000 })
  const value = new Uint8Array(MIB)
  return (fn, input, context) => {
    const plan = program(fn, input, context)
    const isLeaf = plan.children.length === 0
    return { ...plan, outcome: (children) => ({ value: isLeaf ? value : numberBytes(children.length) }) }
  }
}

describe('a task that is begun again', () => {
  it.each([1, 2, 3, 4])('receives all outcomes of replicas, though they exceed the room of a stream: seed %i', (seed) => {
    const grid = new VirtualGrid({ seed, program: largeValues(), latency: () => 0.2 })
    for (let member = 0; member < 6; member++) grid.join({ site: 's' })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(LEAVES) })
    let holder = grid.members[0]
    grid.onBegin = (member, _job, path) => {
      if (path === '') holder = member
    }
    grid.after(8500, () => {
      if (holder !== undefined) grid.kill(holder)
      grid.join({ site: 's' })
    })
    grid.until(() => grid.doneAt.has('job') && grid.isDoneEverywhere('job'), 600_000)
    const [root, ...leaves] = [...grid.runs].sort(([a], [b]) => a.length - b.length).map(([, { count }]) => count)
    expect(root).toBe(2)
    expect(leaves).toHaveLength(LEAVES)
    // At most three tasks run again: those that only the dead member had begun or completed, in its
    // last second or two. (With 60 seeds: 61 to 63 runs.)
    expect(leaves.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LEAVES + 3)
  })
})
