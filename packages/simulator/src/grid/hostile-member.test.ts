import { describe, expect, it } from 'vitest'
import { VirtualGrid } from './grid.ts'
import { HostileMember } from '../../test/hostile-member.ts'
import { bytesNumber, irregularTree, rootInput } from '../jobs/programs/trees.ts'

const MEMBERS = 12
const SEED = 1

interface Attack {
  readonly lies: boolean
  readonly jobs: number
}

/**
 * One of twelve members is hostile if there is an attack. The honest members know the owner of the
 * job.
 */
function run(leaves: number, votes: number, attack?: Attack): { result: unknown; time: number } {
  const program = irregularTree({ leaves, leafTime: 1000, branching: 4, seed: SEED })
  const grid = new VirtualGrid({ seed: SEED, program, latency: () => 0.5 })
  for (let member = 1; member < MEMBERS; member++) grid.join({ site: 's' })
  const hostile = attack && new HostileMember(grid, 's', 'job', attack.lies)
  grid.until(() => grid.living.every(({ view, takes }) => takes !== undefined || view.size === grid.living.length - 1), 60_000)
  const begin = grid.now
  grid.submit({ id: 'job', input: rootInput(leaves), votes })
  hostile?.start(attack?.jobs ?? 0)
  grid.until(() => grid.isDoneEverywhere('job') && grid.doneAt.has('job'), 600_000)
  const outcomes = grid.living.filter(({ takes }) => takes === undefined).map(({ ended }) => ended.get('job')?.outcome)
  const results = new Set(outcomes.map((each) => (each !== undefined && 'value' in each ? bytesNumber(each.value) : each)))
  return { result: [...results], time: (grid.doneAt.get('job') ?? 0) - begin }
}

describe('a job with one fully hostile member', { timeout: 120_000 }, () => {
  it('has the right result with votes, in less than twice the time', () => {
    const { result, time } = run(250, 2, { lies: true, jobs: 5 })
    const before = run(250, 2).time
    expect(result).toEqual([250])
    expect(time).toBeLessThan(2 * before)
  })

  it('has the right result without votes if no member lies: others run the tasks that the hostile member only holds', () => {
    const { result, time } = run(1000, 1, { lies: false, jobs: 5 })
    const before = run(1000, 1).time
    expect(result).toEqual([1000])
    expect(time).toBeLessThan(2 * before)
  })

  it('without votes has the claimed result of one member, the same everywhere', () => {
    expect(run(500, 1, { lies: true, jobs: 0 }).result).toEqual([666])
  })
})
