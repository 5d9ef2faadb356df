import { describe, expect, it } from 'vitest'
import { claims, seenOf, verdictOf, type Claim, type Verdict } from './claims.ts'
import { contenders, type Contender } from './contender.ts'
import { experiments } from './experiment.ts'
import { Outcome } from './outcome.ts'
import type { TrialResult } from './trial.ts'

const nothing = { mean: 0, service: 0 }

function trial(contender: Contender, seed: number, rest: Partial<TrialResult>): TrialResult {
  const { experiment = 'figure-5' } = rest
  // prettier-ignore
  return { experiment, contender, seed, scale: 1, nodes: 100, agreed: [], payload: nothing, wire: nothing, received: nothing, events: 0, cpuSeconds: 0, ...rest }
}

/**
 * Results of Figure 5. `times`: when peer bootstrap reaches 99 %, one time for each seed. Serial
 * send takes 20 s.
 */
function outcome(times: readonly number[], more: readonly TrialResult[] = []): Outcome {
  const results = times.flatMap((nearly, i) =>
    contenders.map((contender) =>
      trial(contender, i + 1, { nearly: contender === 'serial-send' ? 20 : contender === 'peer-bootstrap' ? nearly : 5 }),
    ),
  )
  return new Outcome([...results, ...more], 1)
}

const claim = (what: RegExp): Claim => claims.find((each) => what.test(each.what)) as Claim
const slowest = claim(/^serial send is the slowest/u)
const verdict = (times: readonly number[]): Verdict => verdictOf(slowest, outcome(times))

describe('the verdict on a claim', () => {
  it('is "holds" or "does not hold" if all seeds agree', () => {
    expect(verdict([10, 11, 12])).toBe('holds')
    expect(verdict([30, 31, 32])).toBe('does not hold')
  })

  it('is "cannot be said" if seeds disagree, and after a tie', () => {
    expect(verdict([10, 30])).toBe('cannot be said')
    expect(verdict([19, 21])).toBe('cannot be said')
  })

  it('is "not run" if no trial was run, or if one is missing', () => {
    expect(verdict([])).toBe('not run')
    expect(verdictOf(slowest, new Outcome([trial('serial-send', 1, { nearly: 3 })], 1))).toBe('not run')
  })

  it('is "cannot be said" for fitted values, with the reason', () => {
    const fitted = claim(/^the average traffic per node/u)
    expect(verdictOf(fitted, outcome([1]))).toBe('cannot be said')
    expect(seenOf(fitted, outcome([1]))).toMatch(/fitted/u)
  })

  it('shows "never" for a time that was not reached', () => {
    const results = contenders.map((contender) => trial(contender, 1, contender === 'serial-send' ? {} : { nearly: 5 }))
    expect(verdictOf(slowest, new Outcome(results, 1))).toBe('holds')
    expect(seenOf(slowest, new Outcome(results, 1))).toMatch(/^serial send never, peer bootstrap 5.0 s/u)
  })
})

describe('a variation', () => {
  const base = ['serial-send', 'peer-bootstrap'].flatMap((contender) =>
    [1, 2].map((seed) => trial(contender as Contender, seed, { nearly: 1 })),
  )
  const varied = trial('serial-send', 1, { nearly: 9, variation: 'spread-5s' })

  it('replaces only the trials that were run with it', () => {
    const found = new Outcome([...base, varied], 1, 'spread-5s')
    expect(found.of('figure-5', 'serial-send')).toEqual([varied])
    expect(found.of('figure-5', 'peer-bootstrap')).toHaveLength(2)
  })

  it('does not change the results of the unchanged scenario', () => {
    expect(new Outcome([varied, ...base], 1).of('figure-5', 'serial-send')).toEqual(base.slice(0, 2))
  })
})

it('all claims are judged by existing experiments and their contenders', () => {
  const asked = new Set<string>()
  const of = claims.flatMap((each) => {
    each.judge?.((experiment, contender) => {
      asked.add(`${experiment} ${contender}`)
      return trial(contender, 1, { experiment, nearly: 1, curve: [] })
    })
    return each.of
  })
  for (const name of of) expect(experiments[name].name).toBe(name)
  for (const each of asked) {
    const [experiment, contender] = each.split(' ') as [keyof typeof experiments, Contender]
    expect(experiments[experiment].contenders).toContain(contender)
  }
})
