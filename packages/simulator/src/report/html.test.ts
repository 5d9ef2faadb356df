import { describe, expect, it } from 'vitest'
import { parseScenario } from '../scenario/parse.ts'
import { runScenario } from '../runner/run.ts'
import { htmlReport } from './html.ts'

/** Returns the first two cells of each row of the table. */
function rows(expectation: string): [string | undefined, string | undefined][] {
  const scenario = parseScenario(`nodes: 3\nduration: 5s\nexpect: [${expectation}]`)
  const report = htmlReport(scenario, [{ ...runScenario({ scenario, seed: 1 }), seed: 1, set: [], took: 1 }], [], 'jel simulate')
  return [...report.matchAll(/<tr[^>]*><td>(.*?)<\/td><td>(.*?)<\/td>/gu)].map(([, first, what]) => [first, what])
}

describe('the report of a run', () => {
  it('states that promises and expectations held, and gives no verdict on figures', () => {
    const [promises, expected, ...figures] = rows('allKnowAll')
    expect([promises, expected]).toEqual([
      ['held', 'no promise is broken'],
      ['held', 'all know all at the end'],
    ])
    expect(figures.length).toBeGreaterThan(2)
    expect(new Set(figures.map(([first]) => first))).toEqual(new Set(['']))
  })

  it('lists what did not hold', () => {
    expect(rows('linksPerNode: { atMost: 1 }')[1]).toEqual(['broken', 'at most 1 links a node'])
  })
})
