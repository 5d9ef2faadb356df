import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { problems } from '../../test/problems.ts'
import { loadScenario } from './load.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-scenario-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a trace file', () => {
  const good = 'at,event,node\n0,join,a\n0.5,join,b\n3m,crash,a\n60m,end,\n'
  const load = (trace: string, nodes = 'nodes: 2\n'): string => {
    writeFileSync(join(folder, 'churn.csv'), trace)
    writeFileSync(join(folder, 'churn.yaml'), `${nodes}duration: 1h\narrivals: { trace: churn.csv }\n`)
    return problems(() =>
      expect(loadScenario(join(folder, 'churn.yaml')).arrivals).toMatchObject({
        events: [{ at: 0 }, { at: 500, node: 1 }, { at: 180_000, event: 'crash', node: 0 }],
      }),
    )
  }

  it('lists the times at which nodes come and go', () => {
    expect(load(good)).toBe('no problem')
  })

  it('determines the number of nodes', () => {
    expect(load(good, '')).toBe('no problem')
    expect(loadScenario(join(folder, 'churn.yaml')).nodes).toBe(2)
  })

  it('is detected as cut off at any place', () => {
    const end = good.indexOf('end,') + 3
    for (let length = 0; length < end; length++) expect(load(good.slice(0, length))).toMatch(/churn\.csv:\d: .*(expected|cut off)/u)
  })

  it.each([
    ['0,join,a\n60m,end,', /:1: expected the header at,event,node/u],
    ['at,event,node\n5,join,a\n4,join,b\n9,end,', /:3: 4 is before the line above/u],
    ['at,event,node\n5,jion,a\n9,end,', /:2: expected join, leave, crash or end, not "jion"/u],
    ['at,event,node\n5,crash,a\n9,end,', /:2: node "a" never joined/u],
    ['at,event,node\n1,join,a\n2,leave,a\n3,crash,a\n9,end,', /:4: node "a" is gone already/u],
    ['at,event,node\n1,join,a\n2,join,a\n9,end,', /:3: node "a" joined before/u],
    ['at,event,node\n-1,join,a\n9,end,', /:2: a duration can't be negative/u],
    ['at,event,node\n1,join,a\n9,end,', /churn\.yaml:1:1: nodes: expected 1, as many as join in/u],
    ['at,event,node\n1,join,a\n9,end,\n10,join,b', /:4: expected nothing after the line with end/u],
  ])('is refused with the line of the problem: %j', (trace, expected) => {
    expect(load(trace)).toMatch(expected)
  })

  it('must exist', () => {
    writeFileSync(join(folder, 'lost.yaml'), 'nodes: 2\nduration: 1h\narrivals:\n  trace: none.csv\n')
    expect(problems(() => loadScenario(join(folder, 'lost.yaml')))).toMatch(/lost\.yaml:4:3: arrivals\.trace: can't be read: ENOENT/u)
  })
})
