import type { SharePolicy } from '@jel/compute/internals'
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

/** The account counts processor time of either shape alike. `CASES=all` runs both. */
const policedShapes = process.env['CASES'] === 'all' ? shapes : shapes.slice(1)

describe.each(policedShapes)('a share policy, %s', (_, program) => {
  const shares = new Map([
    ['A', 10],
    ['B', 10],
    ['C', 60],
    ['D', 20],
  ])
  const HOUR = 3_600_000

  function policed(policy: Partial<SharePolicy> = {}): VirtualGrid {
    const grid = new VirtualGrid({
      seed: 1,
      program,
      latency: (from, to) => (from === to ? 0.2 : 20),
      policy: { shares, other: 0, halfLife: HOUR, ...policy },
    })
    for (let member = 0; member < 8; member++) grid.join({ site: `s${member % 2}` })
    grid.settle()
    return grid
  }

  /** Runs for some time. Returns the parts of the processor time that each owner got. */
  function parts(grid: VirtualGrid, owners: readonly string[], time = 60_000): number[] {
    const before = owners.map((owner) => grid.worked.get(owner) ?? 0)
    grid.run(time)
    const worked = owners.map((owner, at) => (grid.worked.get(owner) ?? 0) - (before[at] as number))
    const sum = worked.reduce((total, each) => total + each, 0)
    // No member waits for an owner's turn.
    expect(sum).toBeGreaterThan(0.9 * 8 * time)
    return worked.map((each) => each / sum)
  }

  function near(given: readonly number[], expected: readonly number[]): void {
    for (const [at, part] of given.entries()) expect(Math.abs(part - (expected[at] as number))).toBeLessThan(0.05)
  }

  it.each<readonly [string, Readonly<Record<string, number>>, Partial<SharePolicy>]>([
    ['10, 10, 60 and 20 %', { A: 0.1, B: 0.1, C: 0.6, D: 0.2 }, {}],
    ['all to an owner that is alone', { B: 1 }, {}],
    ['33 and 67 % if the others are away', { B: 1 / 3, D: 2 / 3 }, {}],
    ['61 % by an override', { B: 1033 / 1700, D: 667 / 1700 }, { override: new Map([['B', 700]]) }],
  ])('gives %s within 5 points over a minute', (__, expected, policy) => {
    const grid = policed(policy)
    const owners = Object.keys(expected)
    for (const owner of owners) grid.submit({ id: owner, owner, input: rootInput(LEAVES) })
    // Owners get their first tasks, and the account its first figures.
    grid.run(5000)
    near(parts(grid, owners), Object.values(expected))
  })

  it('compensates an owner that was away, up to the factor, until it has its share of the use', () => {
    const grid = policed({ compensation: 5 })
    for (const owner of ['B', 'D']) grid.submit({ id: owner, owner, input: rootInput(LEAVES) })
    grid.run(120_000)
    grid.submit({ id: 'A', owner: 'A', input: rootInput(LEAVES) })
    grid.run(3000)
    near(parts(grid, ['A', 'B', 'D'], 20_000), [0.5, 1 / 6, 1 / 3])
    grid.run(20_000)
    near(parts(grid, ['A', 'B', 'D'], 30_000), [0.25, 0.25, 0.5])
  })
})
