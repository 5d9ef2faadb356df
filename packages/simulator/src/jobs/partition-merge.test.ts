import { expect, it } from 'vitest'
import { runScenario } from '../runner/run.ts'
import { parseScenario } from '../scenario/parse.ts'

const scenario = (submitted: string, cuts: readonly string[], lasts: string, atMost: string) =>
  parseScenario(`
description: The two halves of a small pool are apart for a while, and a job is young or at work.
nodes: 8
network: { sites: { a: { to: { b: 20ms } }, b: {} } }
jobs:
  - { at: ${submitted}, by: 1, name: tree, tree: { leaves: 1200, leaf: 50ms..350ms } }
actions:
${cuts.map((at) => `  - { at: ${at}, partition: [{ site: [a] }, { site: [b] }], for: ${lasts} }`).join('\n')}
duration: 80s
expect:
  - doneTwice: { atMost: ${atMost} }
`)

/** Returns what each seed did twice, if it was too much. */
function tooMuch(...args: Parameters<typeof scenario>): string[] {
  return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((seed) => {
    const { violation, verdicts } = runScenario({ scenario: scenario(...args), seed }).result
    expect(violation).toBeUndefined()
    return verdicts.filter(({ held }) => !held).map(({ seen }) => `seed ${seed}: ${seen}`)
  })
}

// The halves pronounce each other dead just before the cut ends. So they repeat nothing meanwhile.
it('no two living members do one task after a short partition', () => {
  expect(tooMuch('5s', ['15s'], '5s', '1%')).toEqual([])
})

it('a job that is submitted just before the end of a partition begins once', () => {
  expect(tooMuch('28s', ['10s'], '20s', '1%')).toEqual([])
})

// Seeds 2 and 5 do most: the halves are apart long enough to repeat tasks.
it('a second partition makes no member begin the tasks of living members', () => {
  expect(tooMuch('5s', ['8s', '18s'], '5s', '10%')).toEqual([])
})
