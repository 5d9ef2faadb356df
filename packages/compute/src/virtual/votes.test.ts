import { describe, expect, it } from 'vitest'
import { runChaos } from './chaos.ts'
import { VirtualGrid } from './grid.ts'
import { bytesNumber, irregularTree, rootInput } from './trees.ts'

const LEAVES = 1000

interface Setup {
  readonly seed: number
  readonly votes: number
  readonly members: number
  readonly liars?: number
  readonly disturb?: (grid: VirtualGrid) => void
}

function run({ seed, votes, members, liars = 0, disturb }: Setup): { grid: VirtualGrid; results: unknown[]; executions: number } {
  const program = irregularTree({ leaves: LEAVES, leafTime: 50, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency: (from, to) => (from === to ? 0.1 : 20) })
  for (let member = 0; member < members; member++) grid.join({ site: `s${member % 2}`, lies: member % members >= members - liars })
  grid.settle()
  grid.submit({ id: 'job', input: rootInput(LEAVES), votes })
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
  it.each([2, 3])('computes each task at %i members, and hardly at more', (votes) => {
    const { results, executions } = run({ seed: 1, votes, members: 12 })
    expect(results).toEqual([LEAVES])
    expect(executions).toBeGreaterThanOrEqual(votes)
    expect(executions).toBeLessThan(votes * 1.08)
  })

  it.each([1, 2, 3, 4, 5])('has the right result though a quarter of the members lies, who are found out: seed %i', (seed) => {
    const { grid, results, executions } = run({ seed, votes: 2, members: 12, liars: 3 })
    expect(results).toEqual([LEAVES])
    const outvoted = new Set(grid.warnings.filter(({ code }) => code === 'MEMBER_OUTVOTED').map(({ message }) => message.slice(0, 5)))
    expect([...outvoted].sort()).toEqual(['m0009', 'm0010', 'm0011'])
    expect(executions).toBeLessThan(2.5)
  })

  it('without votes would have another one', () => {
    expect(run({ seed: 1, votes: 1, members: 12, liars: 3 }).results).not.toEqual([LEAVES])
  })

  it.each([1, 2, 3])('goes on when members die, the one with the root first: seed %i', (seed) => {
    const disturb = (grid: VirtualGrid): void => {
      for (const at of [800, 2500, 4000]) {
        grid.after(at, () => {
          const keeper = grid.living[0]?.scheduler.replicas('job')[0]
          const victim = grid.living.find(({ id }) => id === keeper)
          if (victim !== undefined) grid.kill(victim)
        })
      }
    }
    const { results } = run({ seed, votes: 2, members: 12, liars: 2, disturb })
    expect(results).toEqual([LEAVES])
  })

  it('ends with one result though members are killed, cut apart and united, and one of eight lies', { timeout: 120_000 }, () => {
    const { results, expected } = runChaos(24, 2)
    expect(results).toEqual([expected])
  })

  it('takes a coverage that one member claims for one vote', () => {
    const forged = { path: '', outcome: { value: new TextEncoder().encode('666') }, shared: new Map() }
    const name = (id: string): Uint8Array => new TextEncoder().encode(id)
    const disturb = (grid: VirtualGrid): void => {
      grid.after(500, () => {
        const liar = grid.living[11] as VirtualGrid['members'][number]
        const votes = ['m0011', 'm0010', 'm0009', 'm0008'].map((by) => ({ by, signature: name(liar.id) }))
        for (const to of grid.living) grid.say(liar, to.id, { type: 'result', job: 'job', entries: [{ ...forged, votes }] })
      })
    }
    expect(run({ seed: 1, votes: 2, members: 12, disturb }).results).toEqual([LEAVES])
  })
})
