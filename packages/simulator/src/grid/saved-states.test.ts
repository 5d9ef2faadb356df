import { NOTHING_SHARED, type JobId } from '@jel/compute/internals'
import { describe, expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { flatJob, numberBytes, rootInput } from '../jobs/programs/trees.ts'
import type { GridMember } from './grid-member.ts'
import { VirtualGrid } from './grid.ts'

const MINUTE = 60_000
const SEEDS = seeds('1-3')

/** A root with leaves of a minute. They save each second. */
const wide = (leaves: number): VirtualProgram => {
  const program = flatJob({ leaves, leafTime: MINUTE })
  return (fn, input, context) => {
    const plan = program(fn, input, context)
    return plan.children.length === 0 ? { ...plan, saveEvery: 1000 } : plan
  }
}

/** A job of one task of a minute, which is the root. */
const alone: VirtualProgram = () => ({
  cost: MINUTE,
  children: [],
  offers: NOTHING_SHARED,
  saveEvery: 1000,
  outcome: () => ({ value: numberBytes(7) }),
})

function gridOf(seed: number, program: VirtualProgram, members = 6): VirtualGrid {
  const grid = new VirtualGrid({ seed, program, latency: () => 0.2 })
  for (let member = 0; member < members; member++) grid.join({ site: 's' })
  grid.settle()
  return grid
}

/** The member that holds the root, or the members that do not. */
function byRoot(grid: VirtualGrid, job: JobId): { readonly root: GridMember; readonly others: GridMember[] } {
  const [first] = grid.living[0]?.scheduler.replicas(job) ?? []
  const root = grid.living.find(({ id }) => id === first) as GridMember
  return { root, others: grid.living.filter((member) => member !== root) }
}

/** Runs a job to its end. Returns its value and time, and the work of all members in ms. */
function end(grid: VirtualGrid, begin: number): { readonly value: unknown; readonly took: number } {
  grid.until(() => grid.isDoneEverywhere('job'), 4 * MINUTE)
  const values = new Set(
    grid.living.map(({ ended }) => {
      const outcome = ended.get('job')?.outcome
      return outcome !== undefined && 'value' in outcome ? new TextDecoder().decode(outcome.value) : outcome
    }),
  )
  expect(values.size).toBe(1)
  return { value: [...values][0], took: (grid.doneAt.get('job') as number) - begin }
}

/** Begins a job with one leaf at each of some members. Returns those members. */
function begin(grid: VirtualGrid, leaves: number): { readonly at: number; readonly holders: GridMember[] } {
  const holders: GridMember[] = []
  grid.onBegin = (member, _, path) => void (path !== '' && holders.push(member))
  const at = grid.now
  grid.submit({ id: 'job', input: rootInput(leaves) })
  grid.run(1000)
  return { at, holders }
}

describe('a task of a minute that saves each second', () => {
  it.each(SEEDS)('takes at most three seconds longer if its member is killed after 30 s: seed %i', (seed) => {
    const grid = gridOf(seed, wide(4))
    const { at, holders } = begin(grid, 4)
    expect(holders).toHaveLength(4)
    const { root } = byRoot(grid, 'job')
    grid.after(29_000, () => grid.kill(holders.find((member) => member !== root) as GridMember))
    const { value, took } = end(grid, at)
    expect(value).toBe('4')
    expect(took).toBeGreaterThan(MINUTE)
    expect(took).toBeLessThan(63_000)
  })

  it('takes half a minute longer without saved states', () => {
    const grid = gridOf(1, flatJob({ leaves: 4, leafTime: MINUTE }))
    const { at, holders } = begin(grid, 4)
    const { root } = byRoot(grid, 'job')
    grid.after(29_000, () => grid.kill(holders.find((member) => member !== root) as GridMember))
    expect(end(grid, at).took).toBeGreaterThan(89_000)
  })

  it.each(SEEDS)('goes on at another replica if it is the root, and its member is killed: seed %i', (seed) => {
    const grid = gridOf(seed, alone)
    const at = grid.now
    grid.submit({ id: 'job', input: rootInput(1) })
    grid.after(30_000, () => grid.kill(byRoot(grid, 'job').root))
    const { value, took } = end(grid, at)
    expect(value).toBe('7')
    expect(took).toBeLessThan(63_500)
  })

  it.each(SEEDS)('goes on if the holder of its parent is killed, and its own member with it: seed %i', (seed) => {
    const grid = gridOf(seed, wide(4), 8)
    const { at, holders } = begin(grid, 4)
    const { root } = byRoot(grid, 'job')
    grid.after(29_000, () => {
      grid.kill(root)
      grid.kill(holders.find((member) => member !== root) as GridMember)
    })
    const { value, took } = end(grid, at)
    expect(value).toBe('4')
    expect(took).toBeLessThan(64_000)
  })

  it.each(SEEDS)('loses at most a second of work if its member leaves: seed %i', (seed) => {
    const grid = gridOf(seed, wide(4))
    const { holders } = begin(grid, 4)
    const { root } = byRoot(grid, 'job')
    // Between two of its saves.
    grid.after(29_500, () => grid.leave(holders.find((member) => member !== root) as GridMember))
    grid.until(() => grid.isDoneEverywhere('job'), 4 * MINUTE)
    const work = (grid.worked.get('job') as number) + 30_500
    expect(work - 4 * MINUTE).toBeLessThan(1000)
    expect(grid.doneAt.get('job')).toBeDefined()
  })

  it.each(SEEDS)('goes on elsewhere within two seconds if its worker is reserved, and no task comes back: seed %i', (seed) => {
    const grid = gridOf(seed, wide(4))
    const { at, holders } = begin(grid, 4)
    const { root } = byRoot(grid, 'job')
    const reserved = holders.find((member) => member !== root) as GridMember
    const begun: GridMember[] = []
    grid.after(29_000, () => {
      reserved.feed({ type: 'reserved', workers: 1 })
      grid.onBegin = (member) => void begun.push(member)
    })
    grid.until(() => grid.doneAt.has('job'), 2 * MINUTE)
    expect((grid.doneAt.get('job') as number) - at).toBeLessThan(63_500)
    expect(begun.length).toBeGreaterThan(0)
    expect(begun).not.toContain(reserved)
    expect(reserved.scheduler.figures().busy).toBe(0)
  })

  it('stops at one worker only if one is reserved, though all tasks save meanwhile', () => {
    const grid = new VirtualGrid({ seed: 1, program: wide(3), latency: () => 0.2 })
    const member = grid.join({ site: 's', workers: 3 })
    grid.settle()
    const begun: string[] = []
    grid.submit({ id: 'job', input: rootInput(3) })
    grid.run(20_000)
    grid.onBegin = (_, __, path) => void begun.push(path)
    member.feed({ type: 'reserved', workers: 1 })
    grid.run(30_000)
    expect([begun, member.scheduler.figures().busy]).toEqual([[], 2])
    grid.run(60_000)
    expect(begun).toHaveLength(1)
  })

  it('goes on at its reserved worker if no other member can take it, once the worker is free again', () => {
    const grid = gridOf(1, alone, 1)
    grid.submit({ id: 'job', input: rootInput(1) })
    const [member] = grid.living as [GridMember]
    grid.run(20_000)
    member.feed({ type: 'reserved', workers: 1 })
    grid.run(60_000)
    expect(grid.isDoneEverywhere('job')).toBe(false)
    member.feed({ type: 'reserved', workers: 0 })
    grid.run(41_500)
    expect(grid.isDoneEverywhere('job')).toBe(true)
  })

  it.each(SEEDS)('goes on at a replica that came later: seed %i', (seed) => {
    const grid = gridOf(seed, alone, 3)
    const at = grid.now
    grid.submit({ id: 'job', input: rootInput(1) })
    // One by one all members but the holder of the root are replaced.
    const { root, others } = byRoot(grid, 'job')
    for (const [index, member] of others.entries()) {
      grid.after(5000 * (index + 1), () => void grid.join({ site: 's' }))
      grid.after(5000 * (index + 1) + 2000, () => grid.kill(member))
    }
    grid.after(30_000, () => root.lives && grid.kill(root))
    const { value, took } = end(grid, at)
    expect(value).toBe('7')
    expect(took).toBeLessThan(75_000)
  })
})
