import { expect, it } from 'vitest'
import { runScenario } from '../runner/run.ts'
import { parseScenario } from '../scenario/parse.ts'

const scenario = parseScenario(`
description: Members join in the first seconds of a job. Some are its first replica at once.
nodes: 8
network: { delay: 20ms }
jobs:
  - { at: 20s, by: 1, name: tree, tree: { leaves: 1200, leaf: 50ms..350ms } }
actions:
  - { at: 21s, every: 1s, until: 29s, join: 1 }
  - { at: 28s, kill: { root: tree } }
duration: 50s
expect:
  - doneTwice: { atMost: 1% }
`)

it('members that join just after a submission do not begin the job anew', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const { violation, verdicts } = runScenario({ scenario, seed }).result
    expect(violation).toBeUndefined()
    expect(verdicts.map(({ seen, held }) => (held ? 'held' : `seed ${seed}: ${seen}`))).toEqual(['held'])
  }
})
