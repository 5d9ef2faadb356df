import { describe, expect, it } from 'vitest'
import { parseScenario, runScenario, type RunResult } from '../src/index.ts'

const pool = `
nodes: 16
network: { sites: { a: { to: { b: 20ms } }, b: {} } }
duration: 40s
expect: [sameResult, { jobDone: { within: 25s } }]
`

function run(more: string, seed = 1): RunResult {
  return runScenario({ scenario: parseScenario(pool + more), seed }).result
}

describe('a job of a pool', () => {
  it.each([
    ['a tree', 'tree: { leaves: 2000, leaf: { exponential: 50ms } }'],
    ['one wide task', 'flat: { leaves: 1000, leaf: 50ms }'],
    ['branch and bound', 'search: { depth: 6, node: 10ms..110ms }'],
    ['an index space', 'space: { indices: 1000000, index: 0.05ms..0.15ms, piece: 200ms }'],
    ['a driver with rounds', 'driver: { tasks: 40, rounds: 20, task: 100ms }'],
  ])('of the shape of %s ends with its one result, and no task is repeated', (_, shape) => {
    const { violation, verdicts, computed } = run(`jobs:\n  - { at: 10s, by: 3, ${shape} }`)
    expect(violation).toBeUndefined()
    expect(verdicts.filter(({ held }) => !held)).toEqual([])
    expect(computed?.jobs['job 1']?.doneTwice).toBe(0)
    expect(computed?.efficiency).toBeGreaterThan(0.4)
  })

  it('has the same history each time, and another one with another seed', () => {
    const job = 'jobs:\n  - { at: 10s, tree: { leaves: 500, leaf: 10ms..90ms } }'
    expect(run(job)).toEqual(run(job))
    expect(run(job).traceHash).not.toBe(run(job, 2).traceHash)
  })

  it('changes the history of a pool', () => {
    const none = runScenario({ scenario: parseScenario('nodes: 16\nduration: 40s'), seed: 1 }).result
    const [some, more] = [100, 101].map((leaves) => run(`jobs:\n  - { at: 10s, tree: { leaves: ${leaves}, leaf: 50ms } }`))
    expect(new Set([none.traceHash, some?.traceHash, more?.traceHash]).size).toBe(3)
  })

  it('takes longer with slow or few workers', () => {
    const job = 'jobs:\n  - { at: 10s, tree: { leaves: 1000, leaf: 20ms..80ms } }\n'
    const took = (more: string): number => {
      const { submittedAt = 0, doneAt = Infinity } = run(job + more).computed?.jobs['job 1'] ?? {}
      return doneAt - submittedAt
    }
    const plain = took('')
    expect(took('compute: { workers: 2 }')).toBeLessThan(plain * 0.7)
    expect(took('compute: { speed: { b: 0.2 } }')).toBeGreaterThan(plain * 1.3)
    expect(took('compute: { stragglers: { share: 100%, slower: 2 } }')).toBeGreaterThan(plain * 1.7)
  })

  it('has its result with votes though some members lie', () => {
    const { violation, verdicts } = run(
      'compute: { liars: 15% }\njobs:\n  - { at: 10s, votes: 2, tree: { leaves: 200, leaf: 50ms..200ms } }',
    )
    expect(violation).toBeUndefined()
    expect(verdicts.filter(({ held }) => !held)).toEqual([])
  })

  it('goes on when its submitter, the holder of the root and others die', () => {
    const { violation, verdicts } = run(`jobs:
  - { at: 10s, by: 3, name: tree, tree: { leaves: 2000, leaf: 20ms..80ms } }
actions:
  - { at: 12s, kill: 3 }
  - { at: 13s, kill: { root: tree } }
  - { at: 14s, kill: 30% }`)
    expect(violation).toBeUndefined()
    expect(verdicts.filter(({ held }) => !held)).toEqual([])
  })
})
