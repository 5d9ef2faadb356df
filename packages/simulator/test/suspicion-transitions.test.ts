import { resolve } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { Suspicion, transitions } from '@jel/protocol/internals'
import { loadScenario, runScenario } from '../src/index.ts'

/**
 * Two links that go down and up, and two sites that lose the third, through which they reached each
 * other. Each transition happens in one of them.
 */
const runs: readonly (readonly [string, readonly string[]])[] = [
  ['flapping-link', ['nodes=12', 'duration=70s']],
  [
    'three-sites',
    [
      'nodes={ A: 6, B: 6, C: 3 }',
      'elections={}',
      'actions=[{ at: 15s, cut: { from: { site: A }, to: { site: B }, ways: both }, for: 60s }, { at: 30s, kill: { site: C } }]',
      'duration=100s',
    ],
  ],
]

/** In these cases a finding may come again. */
const repeated = ['probing missed', 'indirect missed', 'accused missed', 'relayed proven']

afterEach(() => void vi.restoreAllMocks())

it('a suspicion takes all transitions of its table, and no finding comes in a wrong state', () => {
  const taken = new Set<string>()
  const ignored = new Set<string>()
  const enter = Reflect.get<Suspicion, 'enter'>(Suspicion.prototype, 'enter')
  vi.spyOn(Suspicion.prototype, 'enter').mockImplementation(function (this: Suspicion, finding, now) {
    const from = this.state
    const isChange = enter.call(this, finding, now)
    if (isChange) taken.add(`${from} ${finding} ${this.state}`)
    else ignored.add(`${from} ${finding}`)
    return isChange
  })
  const all = Object.entries(transitions).flatMap(([from, next]) => Object.entries(next).map(([finding, to]) => `${from} ${finding} ${to}`))
  for (let seed = 1; seed <= 10 && taken.size < all.length; seed++)
    for (const [name, set] of runs) {
      const file = resolve(import.meta.dirname, `../scenarios/${name}.yaml`)
      runScenario({ scenario: loadScenario(file, [...set, 'expect=[]']), seed })
    }
  expect([...taken].sort()).toEqual(all.sort())
  expect([...ignored].filter((each) => !repeated.includes(each))).toEqual([])
})
