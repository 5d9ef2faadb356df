import { describe, expect, it } from 'vitest'
import type { Outcome } from './outcome.ts'
import type { Verdict } from './result.ts'
import { summaryOf } from './summary.ts'
import { parseScenario } from '../scenario/parse.ts'
import { runScenario } from '../runner/run.ts'
import { htmlReport } from './html.ts'
import { reportPlots } from './plots.ts'

const scenario = parseScenario('nodes: 2\nduration: 2s')
const { result, overlay } = runScenario({ scenario, seed: 1 })
const outcome = (verdict: Partial<Verdict>, set: readonly string[] = []): Outcome => ({
  seed: 1,
  set,
  took: 1,
  overlay,
  result: { ...result, verdicts: [{ what: 'all know all', held: true, seen: '', ...verdict }] },
})
const took = (value: number, held = true): Partial<Verdict> => ({ held, seen: `after ${value} ms`, value })
const seen = (...verdicts: Partial<Verdict>[]): string | undefined =>
  summaryOf(verdicts.map((verdict) => outcome(verdict))).lines.find(({ what }) => what === 'all know all')?.seen

describe('the summary of several runs', () => {
  it('shows the worst run, not the first', () => {
    expect(seen(took(4), took(9), took(7))).toBe('after 9 ms at worst')
  })

  it('shows missed expectations before met ones', () => {
    expect(seen(took(9), took(3, false), took(5, false))).toBe('after 5 ms at worst')
    expect(seen(took(9), { held: false, seen: 'never' }, took(5, false))).toBe('never')
  })

  it('shows the observation of a single run', () => {
    expect(seen(took(4))).toBe('after 4 ms')
  })
})

describe('the report of a sweep', () => {
  const swept = ['nodes=2', 'nodes=4', 'nodes=8'].flatMap((set, i) => [1, 2, 3].map((value) => outcome(took(10 * i + value), [set])))

  it('has a table for each setting instead of one for all', () => {
    const report = htmlReport(scenario, swept, [], 'jel simulate')
    const cells = [...report.matchAll(/<h2>(nodes=\d)<\/h2>|<td>all know all<\/td><td>(.*?)<\/td><td>(.*?)<\/td>/gu)]
    expect(cells.map(([, set, runs, worst]) => set ?? `${runs}: ${worst}`)).toEqual([
      'nodes=2',
      '3/3: after 3 ms at worst',
      'nodes=4',
      '3/3: after 13 ms at worst',
      'nodes=8',
      '3/3: after 23 ms at worst',
    ])
  })

  it('draws a line for each setting if there are too many runs for a line each', async () => {
    const [plot = ''] = await reportPlots(swept)
    for (const name of ['nodes=2', 'nodes=4', 'nodes=8']) expect(plot).toContain(name)
    expect(plot).not.toContain('median of the runs')
  })

  it('draws median, least and most if nothing was swept', async () => {
    const [plot = ''] = await reportPlots(swept.map((each) => ({ ...each, set: [] })))
    for (const name of ['median of the runs', 'least', 'most']) expect(plot).toContain(name)
  })
})
