import { describe, expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import type { GridMember } from './grid-member.ts'
import { VirtualGrid } from './grid.ts'
import { bytesNumber, flatJob, rootInput } from '../jobs/programs/trees.ts'

const SEEDS = seeds('1-10')
const LEAVES = 100
const program = flatJob({ leaves: LEAVES, leafTime: 500 })

/** @param keepers members without workers */
function gridOf(seed: number, work = program, workers = 8, keepers = 0): VirtualGrid {
  const grid = new VirtualGrid({ seed, program: work, latency: () => 5 })
  for (let member = 0; member < workers + keepers; member++)
    grid.join({ site: 's', ...(member >= workers && { workers: 0, accepts: false }) })
  grid.settle()
  return grid
}

/** Returns how a job ended, as all of its replicas state it. */
function outcomeOf(grid: VirtualGrid, job: string): string | number {
  const replicas = (grid.living[0] as GridMember).scheduler.replicas(job)
  const said = grid.living
    .filter(({ id }) => replicas.includes(id))
    .map(({ scheduler }) => {
      const { ended, entry } = scheduler.job(job) ?? {}
      if (entry === undefined) return ended ?? 'open'
      return 'value' in entry.outcome ? bytesNumber(entry.outcome.value) : entry.outcome.failure.code
    })
  const [first, ...others] = new Set(said)
  expect(others).toEqual([])
  return first as string | number
}

/** Kills the member that holds the job first, if it still lives. */
function killFirst(grid: VirtualGrid, job: string): void {
  const [first] = (grid.living[0] as GridMember).scheduler.replicas(job)
  const member = grid.living.find(({ id }) => id === first)
  if (member !== undefined) grid.kill(member)
}

describe('a job that begins after another one', () => {
  it.each(SEEDS)('begins once that has its result, also if both first replicas die: seed %i', (seed) => {
    const grid = gridOf(seed)
    grid.submit({ id: 'first', input: rootInput(LEAVES) })
    grid.submit({ id: 'second', input: rootInput(LEAVES), after: ['first'] })
    grid.run(2000)
    killFirst(grid, 'second')
    grid.run(1000)
    killFirst(grid, 'first')
    for (let second = 0; second < 60 && !grid.doneAt.has('first'); second++) {
      expect(grid.worked.get('second') ?? 0).toBe(0)
      grid.run(100)
    }
    grid.until(() => grid.doneAt.has('second'), 60_000)
    grid.run(5000)
    expect([outcomeOf(grid, 'first'), outcomeOf(grid, 'second')]).toEqual([LEAVES, LEAVES])
    // It begins at once: 100 leaves of half a second take six workers 8.5 s.
    expect((grid.doneAt.get('second') as number) - (grid.doneAt.get('first') as number)).toBeLessThan(12_000)
  })

  it.each(SEEDS)('fails at all members if that is cancelled: seed %i', (seed) => {
    const grid = gridOf(seed)
    grid.submit({ id: 'first', input: rootInput(LEAVES) })
    grid.submit({ id: 'second', input: rootInput(LEAVES), after: ['first'] })
    grid.submit({ id: 'third', input: rootInput(LEAVES), after: ['second'] })
    grid.run(1000)
    grid.setDesired('first', 'cancel')
    grid.run(20_000)
    expect(['first', 'second', 'third'].map((job) => outcomeOf(grid, job))).toEqual([
      'cancelled',
      'JOB_DEPENDENCY_FAILED',
      'JOB_DEPENDENCY_FAILED',
    ])
    expect(grid.worked.get('second') ?? 0).toBe(0)
  })

  it.each(SEEDS)('begins at replicas that had no part in that one, and have no workers: seed %i', (seed) => {
    const grid = gridOf(seed, flatJob({ leaves: 3, leafTime: 500 }), 4, 20)
    grid.submit({ id: 'first', input: rootInput(3) })
    grid.submit({ id: 'second', input: rootInput(3), after: ['first'] })
    grid.until(() => grid.doneAt.has('second'), 10_000)
    expect((grid.doneAt.get('second') as number) - (grid.doneAt.get('first') as number)).toBeLessThan(5000)
  })

  it('begins at newcomers, which came after one of the earlier jobs had ended', () => {
    const grid = gridOf(1, program, 6)
    grid.submit({ id: 'short', input: rootInput(3) })
    grid.submit({ id: 'long', input: rootInput(LEAVES) })
    grid.submit({ id: 'last', input: rootInput(3), after: ['short', 'long'] })
    grid.until(() => grid.doneAt.has('short'), 20_000)
    for (let member = 0; member < 30; member++) grid.join({ site: 's' })
    for (const member of grid.living.slice(0, 6)) {
      grid.run(1000)
      grid.kill(member)
    }
    grid.until(() => grid.doneAt.has('last'), 60_000)
    expect(outcomeOf(grid, 'long')).toBe(LEAVES)
    expect((grid.doneAt.get('last') as number) - (grid.doneAt.get('long') as number)).toBeLessThan(5000)
  })

  it('waits for several, and begins after a minute without one that nobody knows', () => {
    const grid = gridOf(1)
    grid.submit({ id: 'one', input: rootInput(LEAVES) })
    grid.submit({ id: 'last', input: rootInput(LEAVES), after: ['one', 'expired'] })
    grid.run(59_000)
    expect([outcomeOf(grid, 'one'), grid.worked.get('last') ?? 0]).toEqual([LEAVES, 0])
    grid.run(20_000)
    expect(outcomeOf(grid, 'last')).toBe(LEAVES)
  })

  it('is not begun twice by a replica that joins after the first one has expired', () => {
    const grid = gridOf(2)
    grid.submit({ id: 'first', input: rootInput(LEAVES) })
    grid.submit({ id: 'second', input: rootInput(LEAVES), after: ['first'] })
    grid.until(() => grid.doneAt.has('first'), 60_000)
    grid.run(1000)
    grid.expire('first')
    killFirst(grid, 'second')
    grid.run(30_000)
    expect(outcomeOf(grid, 'second')).toBe(LEAVES)
  })
})

describe('a job with a limit of its time', () => {
  const minutes = flatJob({ leaves: 6, leafTime: 60_000 })

  it.each(SEEDS.flatMap((seed) => [1, 2].map((votes) => [seed, votes] as const)))(
    'fails at all members when the time is over, also if the holder of the root dies: seed %i, %i votes',
    (seed, votes) => {
      const grid = gridOf(seed, minutes, 8, 20)
      grid.submit({ id: 'long', input: rootInput(6), maxTime: 30_000, votes })
      grid.run(15_000)
      killFirst(grid, 'long')
      grid.run(14_000)
      expect(outcomeOf(grid, 'long')).toBe('open')
      grid.run(15_000)
      expect(outcomeOf(grid, 'long')).toBe('JOB_TIMED_OUT')
    },
  )

  it('has its time from its first task on, not while it waits for another job', () => {
    const grid = gridOf(1)
    grid.submit({ id: 'first', input: rootInput(LEAVES) })
    grid.submit({ id: 'short', input: rootInput(LEAVES), maxTime: 8000, after: ['first'] })
    grid.run(25_000)
    expect([outcomeOf(grid, 'first'), outcomeOf(grid, 'short')]).toEqual([LEAVES, LEAVES])
  })

  it('has its whole time again after a suspension', () => {
    const grid = gridOf(1)
    grid.submit({ id: 'job', input: rootInput(LEAVES), maxTime: 8000 })
    grid.run(3000)
    grid.setDesired('job', 'suspend')
    grid.run(30_000)
    grid.setDesired('job', 'run')
    grid.run(10_000)
    expect(outcomeOf(grid, 'job')).toBe(LEAVES)
  })
})
