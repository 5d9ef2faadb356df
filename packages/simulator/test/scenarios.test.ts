import { describe, expect, it } from 'vitest'
import { loadScenario, runScenario, shippedScenarios } from '../src/index.ts'

/** Scenarios that no other test runs. */
const scenarios = [
  'three-sites',
  'three-sites-one-way',
  'three-sites-reject',
  'three-sites-long',
  'three-sites-unequal',
  'three-sites-crash',
  'three-sites-narrow',
  'small-remainder',
  'address-change',
  'stand-again',
  'sleepers',
  'hostile-replay',
  'hostile-suspicions',
  'hostile-silent-candidate',
  'hostile-double-signer',
  'hostile-reconnects',
  'hostile-moving',
  'expiry',
  'hostile-epochs',
  'hostile-ages',
  'hostile-offers',
  'hostile-forgeries',
  'hostile-records',
]

/**
 * Expectations that are not met yet, by scenario. They are figures, never promises. Remove an entry
 * once its expectation is met.
 */
const missed: Readonly<Record<string, string>> = {
  'three-sites-unequal': 'a second',
  'hostile-suspicions': 'a second (mean)',
  'hostile-moving': 'a second (mean)',
}

/** Settings that shorten a scenario. `jel simulate NAME` runs it in full length. */
const shorter: Readonly<Record<string, readonly string[]>> = {
  sleepers: [
    'nodes=7',
    'actions=[{ at: 2m, sleep: 5..6, for: 25h }, { at: 1h, kill: 3 }, { at: 2h, leave: 4 }, { at: 3h, join: 1 }, { at: 25h2m, partition: 5..6, for: 60s }]',
  ],
  expiry: [
    'nodes=6',
    'actions=[{ at: 2m, sleep: 4, for: 20h }, { at: 2m, sleep: 5, for: 30h }, { at: 10m, kill: 2 }, { at: 10m, leave: 3 }, { at: 31h, join: 1 }]',
  ],
  'hostile-offers': ['nodes=16', 'actions.1.join=10', 'duration=75s', 'expect.0.allKnowAll.until=75s'],
  'hostile-suspicions': ['actions.0.to=80s', 'expect.2.bytesPerSecond.until=80s', 'duration=100s', 'expect.0.allKnowAll.until=100s'],
  'hostile-records': ['actions.0.to=105s', 'expect.3.bytesPerSecond.until=105s', 'duration=120s', 'expect.0.allKnowAll.until=120s'],
  'hostile-ages': ['nodes=12', 'actions.0.count=1'],
  'small-remainder': ['actions.0.for=2m', 'duration=4m'],
  'three-sites-narrow': ['duration=140s', 'expect.0.allKnowAll.until=140s'],
  'three-sites-unequal': ['duration=150s', 'expect.0.allKnowAll.until=150s'],
}

/** Further seeds. They showed faults that seed 1 did not show. */
const more: Readonly<Record<string, readonly number[]>> = {
  'three-sites-crash': [3],
}

/**
 * Further settings before a merge, beside those of `shorter`: smaller pools and briefer attacks.
 * With `CASES=all` they do not apply.
 */
const smaller: Readonly<Record<string, readonly string[]>> = {
  'hostile-offers': ['nodes=12', 'actions.1.join=6', 'actions.1.at=40s', 'duration=55s', 'expect.0.allKnowAll.until=55s'],
  'three-sites-narrow': ['nodes={ A: 30, B: 18, C: 3 }'],
  'small-remainder': ['nodes=40'],
  'hostile-records': [
    'actions.0.from=60s',
    'actions.0.to=70s',
    'duration=85s',
    'expect.3.bytesPerSecond.from=60s',
    'expect.3.bytesPerSecond.until=70s',
    'expect.0.allKnowAll.until=85s',
  ],
}
const isAll = process.env['CASES'] === 'all'

/** Returns the settings of a scenario in this run. */
function settingsOf(name: string): string[] {
  return [...(shorter[name] ?? []), ...(isAll ? [] : (smaller[name] ?? []))]
}

const runs = scenarios.flatMap((name) => [1, ...(more[name] ?? [])].map((seed) => [name, seed] as const))

describe.each(runs)('%s, seed %i', (name, seed) => {
  it('breaks no promise and meets its expectations', { timeout: 120_000 }, () => {
    const scenario = loadScenario(shippedScenarios().get(name) ?? '', settingsOf(name))
    const { violation, verdicts } = runScenario({ scenario, seed }).result
    expect(violation).toBeUndefined()
    const known = missed[name]
    const failed = verdicts.filter(({ held }) => !held)
    expect(failed.filter(({ what }) => known === undefined || !what.includes(known))).toEqual([])
    expect(failed.length > 0).toBe(known !== undefined)
  })
})
