import { expect, it } from 'vitest'
import { irregularTree, rootInput } from '../jobs/programs/trees.ts'
import { VirtualGrid } from './grid.ts'

const members = 2

/** Returns once all `jobs` have ended, beside jobs that wait for a third voter for ever. */
function runUntilEnded({ stuck, jobs, votes }: { readonly stuck: number; readonly jobs: number; readonly votes: number }): void {
  const program = irregularTree({ leaves: 20, leafTime: 500, branching: 4, seed: 1 })
  const grid = new VirtualGrid({ seed: 1, program, latency: (from, to) => (from === to ? 0.1 : 20) })
  for (let member = 0; member < members; member++) grid.join({ site: `s${member}`, workers: 1 })
  grid.settle()
  for (let number = 0; number < stuck; number++)
    grid.submit({ id: `stuck${number}`, input: rootInput(20), votes: members + 1, submitted: number })
  grid.run(20_000)
  const ids = Array.from({ length: jobs }, (_, number) => `job${number}`)
  for (const [number, id] of ids.entries()) grid.submit({ id, input: rootInput(20), votes, submitted: 1000 + number })
  grid.until(() => ids.every((id) => grid.doneAt.has(id)), 600_000)
}

it('jobs end beside many older jobs that wait for ever', () => {
  expect(() => runUntilEnded({ stuck: 20, jobs: 3, votes: 1 })).not.toThrow()
})

it('jobs end whose members wait for the votes of each other, and one of which waits for ever', () => {
  expect(() => runUntilEnded({ stuck: 1, jobs: 24, votes: 2 })).not.toThrow()
})
