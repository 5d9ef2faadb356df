import { describe, expect, it } from 'vitest'
import { VirtualGrid } from './grid.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { flatJob, irregularTree, rootInput } from '../jobs/programs/trees.ts'

const LEAVES = 8000
const shapes: readonly (readonly [string, VirtualProgram])[] = [
  ['wide tasks', flatJob({ leaves: LEAVES, leafTime: 200 })],
  ['trees', irregularTree({ leaves: LEAVES, leafTime: 200, branching: 4, seed: 1 })],
]

function gridOf(program: VirtualProgram, tickets?: (owner: string) => number): VirtualGrid {
  const grid = new VirtualGrid({ seed: 1, program, latency: (from, to) => (from === to ? 0.2 : 20), ...(tickets && { tickets }) })
  for (let member = 0; member < 8; member++) grid.join({ site: `s${member % 2}` })
  grid.settle()
  return grid
}

function submit(grid: VirtualGrid, owner: string): void {
  grid.submit({ id: owner, owner, input: rootInput(LEAVES), submitted: owner === 'ann' ? 1 : 2 })
}

/** Runs a minute. Returns the processor time that each owner got, ms. */
function minute(grid: VirtualGrid, owners: readonly string[]): number[] {
  const before = owners.map((owner) => grid.worked.get(owner) ?? 0)
  grid.run(60_000)
  return owners.map((owner, index) => (grid.worked.get(owner) ?? 0) - (before[index] as number))
}

describe.each(shapes)('jobs of several owners, %s', (_, program) => {
  it('are served in the order of their submission', () => {
    const grid = gridOf(program)
    submit(grid, 'ann')
    submit(grid, 'bob')
    const [ann, bob] = minute(grid, ['ann', 'bob']) as [number, number]
    expect(ann).toBeGreaterThan(20 * bob)
  })

  it.each([
    [1, 1],
    [3, 1],
    [1, 9],
  ])('get %i to %i of the processor time by their tickets, within 5 percent over a minute', (one, other) => {
    const grid = gridOf(program, (owner) => (owner === 'ann' ? one : other))
    submit(grid, 'ann')
    submit(grid, 'bob')
    const [ann, bob] = minute(grid, ['ann', 'bob']) as [number, number]
    const share = ann / (ann + bob)
    expect(Math.abs(share - one / (one + other))).toBeLessThan(0.05)
    // No member waits for an owner's turn.
    expect(ann + bob).toBeGreaterThan(0.9 * 8 * 60_000)
  })

  it('receive the unused share of an owner without tasks, who saves up nothing', () => {
    const grid = gridOf(program, () => 1)
    submit(grid, 'ann')
    expect(minute(grid, ['ann'])[0]).toBeGreaterThan(0.9 * 8 * 60_000)
    submit(grid, 'bob')
    const [ann, bob] = minute(grid, ['ann', 'bob']) as [number, number]
    expect(ann / (ann + bob)).toBeGreaterThan(0.45)
    expect(ann / (ann + bob)).toBeLessThan(0.55)
  })
})
