import { describe, expect, it } from 'vitest'
import { runChaos } from './chaos.ts'
import { optimum, search, searchInput } from '../jobs/programs/search.ts'
import { VirtualGrid } from './grid.ts'
import { bytesNumber, flatJob, irregularTree, rootInput } from '../jobs/programs/trees.ts'

const LEAVES = 120
/** Before a merge a part of the seeds runs. `CASES=all` runs all. */
const isAll = process.env['CASES'] === 'all'
const seeds = isAll ? [1, 2] : [1]

interface Setup {
  readonly seed: number
  readonly votes: number
  readonly members: number
  readonly leaves?: number
  readonly liars?: number
  readonly disturb?: (grid: VirtualGrid) => void
}

function run({ seed, votes, members, leaves = LEAVES, liars = 0, disturb }: Setup): {
  grid: VirtualGrid
  results: unknown[]
  executions: number
} {
  const program = irregularTree({ leaves, leafTime: 125, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency: (from, to) => (from === to ? 0.1 : 20) })
  for (let member = 0; member < members; member++) grid.join({ site: `s${member % 2}`, lies: member % members >= members - liars })
  grid.settle()
  grid.submit({ id: 'job', input: rootInput(leaves), votes })
  disturb?.(grid)
  grid.until(() => grid.doneAt.has('job') && grid.isDoneEverywhere('job'), 600_000)
  const results = grid.living.map(({ ended }) => {
    const outcome = ended.get('job')?.outcome
    return outcome !== undefined && 'value' in outcome ? bytesNumber(outcome.value) : outcome
  })
  let [cost, once] = [0, 0]
  for (const each of grid.runs.values()) {
    cost += each.count * each.cost
    once += each.cost
  }
  return { grid, results: [...new Set(results)], executions: cost / once }
}

describe('a job that is voted on', () => {
  it.each([2, 3])('computes each task at %i members, and rarely at more', (votes) => {
    const { results, executions } = run({ seed: 1, votes, members: 12, leaves: 250 })
    expect(results).toEqual([250])
    expect(executions).toBeGreaterThanOrEqual(votes)
    expect(executions).toBeLessThan(votes * 1.08)
  })

  it.each(seeds)('has the right result though a quarter of the members lies, and outvotes the liars: seed %i', (seed) => {
    const { grid, results, executions } = run({ seed, votes: 2, members: 12, liars: 3 })
    expect(results).toEqual([LEAVES])
    const outvoted = new Set(grid.warnings.filter(({ code }) => code === 'MEMBER_OUTVOTED').map(({ message }) => message.slice(0, 5)))
    expect([...outvoted].sort()).toEqual(['m0009', 'm0010', 'm0011'])
    expect(executions).toBeLessThan(2.5)
  })

  it('fails if the values of its tasks take too much room', () => {
    const program = flatJob({ leaves: 200, leafTime: 125 })
    const grid = new VirtualGrid({ seed: 1, program, latency: () => 1, config: { tableBytes: 500 } })
    for (let member = 0; member < 6; member++) grid.join({ site: 's' })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(200), votes: 3 })
    grid.until(() => grid.doneAt.has('job') && grid.isDoneEverywhere('job'), 600_000)
    for (const { ended } of grid.living) expect(ended.get('job')?.outcome).toMatchObject({ failure: { code: 'JOB_TOO_WIDE' } })
  })

  it('has a wrong result without votes', () => {
    expect(run({ seed: 1, votes: 1, members: 12, liars: 3 }).results).not.toEqual([LEAVES])
  })

  it.each(seeds)('goes on when members die, the holder of the root first: seed %i', (seed) => {
    const disturb = (grid: VirtualGrid): void => {
      for (const at of [400, 1200, 2000]) {
        grid.after(at, () => {
          const firstReplica = grid.living[0]?.scheduler.replicas('job')[0]
          const victim = grid.living.find(({ id }) => id === firstReplica)
          if (victim !== undefined) grid.kill(victim)
        })
      }
    }
    const { results } = run({ seed, votes: 2, members: 12, liars: 2, disturb })
    expect(results).toEqual([LEAVES])
  })

  it.each([['the optimum', 24] as const, ['the sum', 25] as const].slice(0, isAll ? 2 : 1))(
    'ends with %s though members are killed, cut apart and united, and one of eight lies',
    { timeout: 120_000 },
    (_, seed) => {
      const { results, expected } = runChaos(seed, 2)
      expect(results).toEqual([expected])
    },
  )

  describe('and searches with a bound', () => {
    const searchRun = (seed: number, liars: number): { best: unknown[]; expected: number; executions: number; outvoted: string[] } => {
      const options = { depth: 5, branching: 4, nodeTime: 60, seed }
      const grid = new VirtualGrid({ seed, program: search(options), latency: (from, to) => (from === to ? 0.1 : 20) })
      for (let member = 0; member < 12; member++) grid.join({ site: `s${member % 2}`, lies: member >= 12 - liars })
      grid.settle()
      grid.submit({ id: 'job', input: searchInput, votes: 2 })
      grid.until(() => grid.doneAt.has('job') && grid.isDoneEverywhere('job'), 600_000)
      const best = new Set(grid.living.map(({ ended }) => ended.get('job')?.shared.get('best')?.key))
      const counts = [...grid.runs.values()].map(({ count }) => count)
      const outvoted = new Set(grid.warnings.filter(({ code }) => code === 'MEMBER_OUTVOTED').map(({ message }) => message.slice(0, 5)))
      return {
        best: [...best],
        expected: optimum(options),
        executions: counts.reduce((a, b) => a + b, 0) / counts.length,
        outvoted: [...outvoted].sort(),
      }
    }

    it('begins a task everywhere with the same bound, so that honest members agree', () => {
      const { best, expected, executions, outvoted } = searchRun(1, 0)
      expect(best).toEqual([expected])
      expect(outvoted).toEqual([])
      expect(executions).toBeLessThan(2.2)
    })

    it('finds the optimum though a quarter of the members offers unreachable bounds', () => {
      const { best, expected, outvoted } = searchRun(2, 3)
      expect(best).toEqual([expected])
      expect(outvoted).toEqual(['m0009', 'm0010', 'm0011'])
    })
  })

  it('does not fail when one member votes for many outcomes in turn', () => {
    const disturb = (grid: VirtualGrid): void => {
      grid.after(500, () => {
        const liar = grid.living[11] as VirtualGrid['members'][number]
        const votes = [{ by: liar.id, leaf: true, signature: new TextEncoder().encode(liar.id) }]
        const entries = Array.from({ length: 40 }, (_, number) => ({
          path: '',
          outcome: { value: Uint8Array.of(number) },
          shared: new Map(),
          votes,
        }))
        for (const to of grid.living) liar.send(to.id, { type: 'result', job: 'job', entries })
      })
    }
    expect(run({ seed: 1, votes: 2, members: 12, disturb }).results).toEqual([LEAVES])
  })

  it('counts a claimed result of one member as one vote', () => {
    const forged = { path: '', outcome: { value: new TextEncoder().encode('666') }, shared: new Map() }
    const name = (id: string): Uint8Array => new TextEncoder().encode(id)
    const disturb = (grid: VirtualGrid): void => {
      grid.after(500, () => {
        const liar = grid.living[11] as VirtualGrid['members'][number]
        const votes = ['m0011', 'm0010', 'm0009', 'm0008'].map((by) => ({ by, leaf: true, signature: name(liar.id) }))
        for (const to of grid.living) liar.send(to.id, { type: 'result', job: 'job', entries: [{ ...forged, votes }] })
      })
    }
    expect(run({ seed: 1, votes: 2, members: 12, disturb }).results).toEqual([LEAVES])
  })
})
