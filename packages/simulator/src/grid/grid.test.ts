import type { Entry } from '@jel/compute/internals'
import { describe, expect, it } from 'vitest'
import type { GridMember } from './grid-member.ts'
import { VirtualGrid } from './grid.ts'
import { measure } from './measure.ts'
import { bytesNumber, flatJob, irregularTree, rootInput } from '../jobs/programs/trees.ts'

const LEAF = 100

function treeGrid(seed: number, members: number, options: { leaves: number; sites?: number; latency?: number }): VirtualGrid {
  const { leaves, sites = 4, latency = 100 } = options
  const program = irregularTree({ leaves, leafTime: LEAF, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency: (from, to) => (from === to ? 0.1 : latency) })
  for (let member = 0; member < members; member++) grid.join({ site: `s${member % sites}` })
  grid.settle()
  grid.submit({ id: 'job', input: rootInput(leaves) })
  return grid
}

function valueOf(grid: VirtualGrid): number[] {
  grid.until(() => grid.isDoneEverywhere('job'), 60_000)
  return [...new Set(grid.living.map(({ ended }) => numberOf(ended.get('job'))))]
}

function numberOf(entry: Entry | undefined): number {
  return entry !== undefined && 'value' in entry.outcome ? bytesNumber(entry.outcome.value) : Number.NaN
}

function started(grid: VirtualGrid): number {
  let count = 0
  for (const run of grid.runs.values()) count += run.count
  return count
}

describe('a grid without faults', () => {
  it('keeps the processors of four sites busy, 100 ms apart, and runs no task twice', () => {
    const leaves = 32 * 300
    const grid = treeGrid(1, 32, { leaves })
    const begin = grid.now
    grid.until(() => grid.doneAt.has('job'), 600_000)
    const { efficiency, twice } = measure(grid, 'job', begin)
    expect(valueOf(grid)).toEqual([leaves])
    expect(efficiency).toBeGreaterThan(0.95)
    expect(twice).toBe(0)
  })

  it('spreads one wide task', () => {
    const leaves = 2000
    const grid = new VirtualGrid({ seed: 1, program: flatJob({ leaves, leafTime: LEAF }), latency: () => 0.2 })
    for (let member = 0; member < 16; member++) grid.join({ site: 's' })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(leaves) })
    const begin = grid.now
    grid.until(() => grid.doneAt.has('job'), 600_000)
    expect(valueOf(grid)).toEqual([leaves])
    expect(measure(grid, 'job', begin).efficiency).toBeGreaterThan(0.95)
    expect(started(grid)).toBe(leaves + 1)
  })

  it('does not begin the first task again while the usual duration of tasks is unknown', () => {
    const grid = new VirtualGrid({ seed: 1, program: flatJob({ leaves: 1, leafTime: 8000 }), latency: () => 20 })
    // Replicas without workers give the task away.
    for (let member = 0; member < 16; member++) grid.join({ site: 's', workers: member < 4 ? 1 : 0 })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(1) })
    // By then every begun task has ended.
    grid.run(30_000)
    expect(started(grid)).toBe(1)
  })

  it('is silent once the job is done', () => {
    const grid = treeGrid(2, 8, { leaves: 200 })
    grid.until(() => grid.isDoneEverywhere('job'), 60_000)
    grid.run(5000)
    const { messages } = grid
    grid.run(600_000)
    expect(grid.messages).toBe(messages)
  })
})

describe('a grid whose members accept no program', () => {
  it.each([1, 2, 3, 4])('hands a job to a newcomer that accepts it: seed %i', (seed) => {
    const grid = new VirtualGrid({ seed, program: irregularTree({ leaves: 20, leafTime: 5, branching: 4, seed }), latency: () => 0.2 })
    grid.join({ site: 's', workers: 0, accepts: false })
    grid.join({ site: 's', accepts: false })
    grid.settle()
    const id = `job${seed}`
    grid.submit({ id, input: rootInput(20) })
    grid.after(500, () => void grid.join({ site: 's' }))
    grid.until(() => grid.doneAt.has(id), 5000)
  })
})

describe('a grid with faults', () => {
  it('repeats hardly any task when 30 % of its members and the holder of the root die at once', () => {
    const leaves = 32 * 300
    const grid = treeGrid(1, 32, { leaves })
    const begin = grid.now
    grid.after(10_000, () => {
      const firstReplica = grid.living[0]?.scheduler.replicas('job')[0]
      const order = [...grid.living].sort((a, b) => Number(b.id === firstReplica) - Number(a.id === firstReplica))
      for (const member of order.slice(0, 10)) grid.kill(member)
    })
    grid.until(() => grid.doneAt.has('job'), 600_000)
    const { efficiency, twice } = measure(grid, 'job', begin)
    expect(valueOf(grid)).toEqual([leaves])
    expect(efficiency).toBeGreaterThan(0.95)
    expect(twice).toBeLessThan(0.01)
    expect(twice).toBeGreaterThan(0)
  })

  it('repeats few tasks while each second a member dies, the holder of the root first, and another joins', () => {
    const leaves = 2000
    const grid = new VirtualGrid({ seed: 3, program: flatJob({ leaves, leafTime: 200 }), latency: () => 0.2 })
    for (let member = 0; member < 20; member++) grid.join({ site: 's' })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(leaves) })
    for (let second = 1; second <= 15; second++) {
      grid.after(second * 1000, () => {
        const [first] = grid.living as [GridMember, ...GridMember[]]
        const [firstReplica] = first.scheduler.replicas('job')
        grid.kill(grid.living.find(({ id }) => id === firstReplica) ?? first)
        grid.join({ site: 's' })
      })
    }
    grid.until(() => grid.doneAt.has('job'), 600_000)
    expect(valueOf(grid)).toEqual([leaves])
    expect(started(grid)).toBeLessThan(leaves * 1.06)
  })

  it.each([1, 2])('does not wait for a slow member: others run its tasks as well, seed %i', (seed) => {
    const program = irregularTree({ leaves: 1000, leafTime: 500, branching: 4, seed })
    const grid = new VirtualGrid({ seed, program, latency: () => 0.2 })
    for (let member = 0; member < 16; member++) grid.join({ site: 's', speed: member === 15 ? 0.02 : 1 })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(1000) })
    const begin = grid.now
    grid.until(() => grid.doneAt.has('job'), 600_000)
    // The slow member needs 25 s for each task that it holds.
    expect(measure(grid, 'job', begin).efficiency).toBeGreaterThan(0.8)
  })

  it.each([1, 2])('gives each task of a slow member to one other member: seed %i', (seed) => {
    const grid = new VirtualGrid({ seed, program: flatJob({ leaves: 640, leafTime: 1000 }), latency: () => 0.2 })
    for (let member = 0; member < 64; member++) grid.join({ site: 's', speed: member < 16 ? 0.02 : 1 })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(640) })
    const begin = grid.now
    grid.until(() => grid.doneAt.has('job'), 600_000)
    // The fast members need 13 s for all other tasks. A slow member would need 50 s for its task.
    expect(measure(grid, 'job', begin).time).toBeLessThan(18_000)
    expect(started(grid)).toBeLessThanOrEqual(641 + 16 + 2)
  })

  describe('goes on in both halves of a partition, and repeats no outcome of either half', () => {
    const leaves = 20 * 150
    // 20 members need 60 s without losses. The network is cut for 20 s of that time.
    it.each([
      ['one wide task', flatJob({ leaves, leafTime: 400 }), 0.06],
      ['a tree', irregularTree({ leaves, leafTime: 400, branching: 4, seed: 1 }), 0.16],
    ])('%s', (_, program, most) => {
      const grid = new VirtualGrid({ seed: 1, program, latency: () => 0.2 })
      for (let member = 0; member < 20; member++) grid.join({ site: 's' })
      grid.settle()
      grid.submit({ id: 'job', input: rootInput(leaves) })
      const begin = grid.now
      const isUnited = (): boolean => grid.living.every(({ view }) => view.size === grid.living.length - 1)
      let replicas: GridMember[] = []
      let again = 0
      grid.after(10_000, () => grid.cut(({ id }) => Number(id.slice(1)) % 2 === 0))
      grid.after(30_000, () => {
        replicas = grid.living.filter(({ id, scheduler }) => scheduler.replicas('job').includes(id))
        grid.heal()
        grid.onBegin = (_member, job, path) => {
          if (isUnited() && replicas.some(({ scheduler }) => scheduler.hasResult(job, path))) again++
        }
      })
      grid.until(() => grid.doneAt.has('job'), 600_000)
      const { twice, efficiency } = measure(grid, 'job', begin)
      expect(valueOf(grid)).toEqual([leaves])
      expect(again).toBe(0)
      expect(twice).toBeLessThan(most)
      // Each member must find the present holders of work again. About 3 s are lost until every
      // member sees every other.
      expect(efficiency).toBeGreaterThan(0.8)
    })
  })

  describe('repeats no outcome of either half, even if members return in waves and streams open slowly', () => {
    const leaves = 20 * 400
    it.each([
      ['one wide task', 4, 0.08],
      ['a tree', 7, 0.16],
    ] as const)('%s, seed %i', (kind, seed, most) => {
      const program = kind === 'a tree' ? irregularTree({ leaves, leafTime: 200, branching: 4, seed }) : flatJob({ leaves, leafTime: 200 })
      const grid = new VirtualGrid({ seed, program, latency: () => 0.2 })
      for (let member = 0; member < 20; member++) grid.join({ site: 's' })
      grid.settle()
      grid.submit({ id: 'job', input: rootInput(leaves) })
      const begin = grid.now
      let again = 0
      grid.after(10_000, () => grid.cut(({ id }) => Number(id.slice(1)) % 2 === 0))
      grid.after(40_000, () => {
        const replicas = grid.living.filter(({ id, scheduler }) => scheduler.replicas('job').includes(id))
        const paths = [...grid.runs.keys()].map((key) => key.slice('job '.length))
        const known = new Set(paths.filter((path) => replicas.some(({ scheduler }) => scheduler.hasResult('job', path))))
        grid.healInWaves(10_000, 300)
        grid.onBegin = ({ view }, _job, path) => {
          if (view.size === grid.living.length - 1 && known.has(path)) again++
        }
      })
      grid.until(() => grid.doneAt.has('job'), 600_000)
      const { twice } = measure(grid, 'job', begin)
      expect(valueOf(grid)).toEqual([leaves])
      expect(again).toBe(0)
      // Waiting members must not be taken for slow members. Otherwise other members would repeat
      // all tasks that the waiting members hold.
      expect(twice).toBeLessThan(most)
    })
  })
})
