import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { Client } from './client.ts'
import { FakeLedger, type Bug } from '../../test/fake-ledger.ts'
import { History } from '../linearizability/history.ts'
import { judge } from '../linearizability/judge.ts'

/** Seven clients at random, one call at a time. Members end, and others come. */
async function run(seed: number, bug?: Bug): Promise<{ readonly problems: readonly string[]; readonly history: History }> {
  const random = createRandom(seed)
  const ledger = new FakeLedger(random, bug)
  let now = 0
  const history = new History(() => ++now)
  const stops: AbortController[] = []
  let left = 400
  const start = (name: string): Promise<void> => {
    const stop = new AbortController()
    stops.push(stop)
    const sleep = async (): Promise<void> => {
      // Each pause lets all others act, in the order of their starts.
      await new Promise(setImmediate)
      if (--left <= 0) for (const each of stops) each.abort()
      if (random() > 0.01) return
      stop.abort()
      ledger.end(name)
      runs.push(start(`${name}+`))
    }
    return new Client(name, ledger.enter(name), history, { sleep, random }).run(stop.signal)
  }
  const runs: Promise<void>[] = []
  for (let member = 0; member < 7; member++) runs.push(start(`member${member}`))
  for (const each of runs) await each
  for (const { told } of ledger.lives) told.until = ledger.index
  return { problems: judge(history, ledger.lives).map(({ text }) => text), history }
}

describe('the verdict on a run', () => {
  it.each([1, 2, 3, 4, 5])('is good if all was right: seed %i', async (seed) => {
    const { problems, history } = await run(seed)
    expect(problems).toEqual([])
    // All kinds of operations and outcomes must be there.
    expect(history.counts.acknowledged).toBeGreaterThan(200)
    expect(history.counts.unknown).toBeGreaterThan(5)
    for (const type of ['elect', 'confirm', 'withdraw'])
      expect(history.elections.filter(({ input }) => input.type === type).length).toBeGreaterThan(10)
  })

  it.each<[Bug, RegExp]>([
    ['loses a message', /and is missing at/u],
    ['places a message twice', /has several places/u],
    ['tells a member less', /lacks/u],
    ['answers a confirm of the past', /no order explains|was not told of epoch/u],
    ['lets two win', /has two winners/u],
    ['lets a stranger win', /no order explains/u],
    ['gives an index twice', /were both told|after/u],
  ])('is bad if the ledger %s', async (bug, problem) => {
    const all = await Promise.all([1, 2, 3].map(async (seed) => await run(seed, bug)))
    for (const { problems } of all) expect(problems.join('\n')).toMatch(problem)
  })
})
