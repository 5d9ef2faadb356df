import { describe, expect, it } from 'vitest'
import type { RunResult } from '../report/result.ts'
import { parseScenario } from '../scenario/parse.ts'
import { runScenario } from './run.ts'
import type { TraceLine } from './trace.ts'
import { overlayDot } from '../report/overlay.ts'
import type { Overlay } from '../report/overlay.ts'

function run(text: string, seed = 1): RunResult & { readonly lines: readonly TraceLine[]; readonly overlay: Overlay } {
  const lines: TraceLine[] = []
  const { result, overlay } = runScenario({ scenario: parseScenario(text), seed, onLine: (line) => lines.push(line) })
  return { ...result, lines, overlay }
}

const did = (lines: readonly TraceLine[], what: RegExp): number[] =>
  lines.filter((line) => line.node === undefined && what.test(line.what)).map(({ time }) => time / 1_000)

describe('a run of a scenario', () => {
  it('follows from its seed', () => {
    const text =
      'nodes: 8\nduration: 40s\nsessions: { exponential: 20s, replaced: 2s, ends: { crash: 50% } }\nnetwork: { loss: 2%, nat: 30% }'
    const [one, again, other] = [run(text), run(text), run(text, 2)]
    expect(again).toEqual(one)
    expect(other.traceHash).not.toBe(one.traceHash)
    expect(one.nodes).toBeGreaterThan(8)
    expect(one.violation).toBeUndefined()
  })

  it('measures the detection of silent hosts apart from crashes, and none if the host is back in time', () => {
    const { detection, silenceDetection } = run('nodes: 10\nduration: 60s\nactions: [{ at: 10s, silence: 3 }]')
    expect(detection).toMatchObject({ count: 0, missed: 0 })
    expect(silenceDetection).toMatchObject({ count: 9, missed: 0 })
    expect(silenceDetection.p50).toBeGreaterThan(1_000)
    expect(silenceDetection.max).toBeLessThan(20_000)
    expect(run('nodes: 10\nduration: 30s\nactions: [{ at: 10s, silence: 3, for: 1s }]').silenceDetection).toMatchObject({
      count: 0,
      missed: 0,
    })
    expect(run('nodes: 10\nduration: 11s\nactions: [{ at: 10s, silence: 3 }]').silenceDetection).toMatchObject({ count: 0, missed: 9 })
  })

  it('starts its first nodes in the middle of their sessions, and newcomers at the beginning', () => {
    const { lines } = run('nodes: 40\nduration: 60s\nsessions: { constant: 20s, replaced: 1ms, ends: leave }')
    const ends = new Map(lines.flatMap(({ time, what }) => (/leaves/u.test(what) ? [[what.split(' ')[1], time] as const] : [])))
    const old = [...ends].filter(([node]) => Number(node) < 40).map(([, time]) => time)
    expect(old).toHaveLength(40)
    expect(Math.max(...old)).toBeLessThanOrEqual(20_000)
    for (const quarter of [0, 5_000, 10_000, 15_000])
      expect(old.filter((time) => time >= quarter && time < quarter + 5_000).length).toBeGreaterThan(4)
    const starts = new Map(lines.flatMap(({ time, what }) => (/starts/u.test(what) ? [[what.split(' ')[1], time] as const] : [])))
    const later = [...ends].filter(([node]) => Number(node) >= 40).map(([node, time]) => time - (starts.get(node) as number))
    expect(later.length).toBeGreaterThan(40)
    for (const length of later) expect(length).toBeCloseTo(20_000, 0)
  })

  it('compares the views of nodes with the truth', () => {
    const result = run('nodes: 10\nduration: 20s\nactions: [{ at: 10s, kill: 3..4 }]\nelections: { master: 100% }')
    const at = (second: number): number => result.samples.time.indexOf(second * 1_000)
    expect([5, 9, 15].map((second) => result.samples.nodes[at(second)])).toEqual([10, 10, 8])
    expect([5, 9, 15].map((second) => result.samples.perceived[at(second)])).toEqual([10, 10, 8])
    expect(result.samples.right[at(15)]).toBe(8)
    // Two of ten nodes crash, and each of the eight others is notified of both.
    expect(result.detection).toMatchObject({ count: 16, missed: 0 })
    expect(result.detection.max).toBeLessThan(1_500)
    expect(result.allKnewAll).toHaveLength(2)
    expect(result.allKnewAll[0]?.[1]).toBe(10_000)
    expect(result.elections['master']?.agreed.at(-1)?.[1]).toBeNull()
    expect(result.received.byPurpose['statements']).toBeGreaterThan(0)
    expect(result.overlay.links).toContainEqual([0, 1])
    expect(result.overlay.links.flat()).not.toContain(3)
    expect(overlayDot(result.overlay)).toMatch(/^graph overlay \{[^]*\n {2}0 -- 1\n[^]*\}\n$/u)
  })

  it.each([
    ['arrivals: { every: 2s }', 'nodes: 4\nduration: 10s', /node \d starts/u, [0, 2, 4, 6]],
    [
      'stop, which ends by itself',
      'nodes: 4\nduration: 20s\nactions: [{ at: 2s, stop: 1, for: 3s }]',
      /node 1 (no longer )?stops/u,
      [2, 5],
    ],
    [
      'an action that repeats',
      'nodes: 9\nduration: 20s\nactions: [{ at: 2s, every: 3s, until: 9s, kill: { count: 1 } }]',
      /crashes/u,
      [2, 5, 8],
    ],
    ['more nodes over a time', 'nodes: 2\nduration: 20s\nactions: [{ at: 4s, join: 200%, over: 4s }]', /node [2-9] starts/u, [4, 5, 6, 7]],
    ['a partition that heals by itself', 'nodes: 4\nduration: 50s\nactions: [{ at: 2s, partition: 50%, for: 20s }]', /partition/u, [2, 22]],
    ['flapping', 'nodes: 6\nduration: 30s\nactions: [{ at: 2s, flap: 3, period: 2s, for: 5s }]', /link/u, [2, 4, 6, 7]],
    ['one way that is cut', 'nodes: 6\nduration: 30s\nactions: [{ at: 2s, cut: { from: 1, to: 2..3 }, for: 3s }]', /2 ways/u, [2, 5]],
    [
      'loss, cables, stalls, doubts and withdrawals',
      'nodes: 6\nduration: 40s\nelections: { m: 100% }\nactions: [{ at: 1s, loss: 10%, on: 1, for: 2s }, { at: 2s, silence: 2, for: 1s }, { at: 3s, stall: 3, for: 1s }, { at: 4s, maybeDead: 4, by: all }, { at: 5s, withdraw: m, by: { winner: m } }]',
      /loses|cut off|stalls|withdraws/u,
      [1, 2, 3, 3, 3, 5],
    ],
  ])('carries out %s', (title, text, what, times) => {
    const result = run(`${text}${title.startsWith('arrivals') ? `\n${title}` : ''}`)
    expect(result.violation).toBeUndefined()
    expect(did(result.lines, what)).toEqual(times)
  })

  it('expects no winner without candidates', () => {
    const { verdicts } = run('nodes: 2\nduration: 9s\nelections: { m: 0.001% }\nexpect: [{ oneWinner: { election: m, within: 3s } }]')
    expect(verdicts).toMatchObject([{ held: true, seen: 'nobody stands' }])
  })

  it('expects no winner once all candidates have left', () => {
    const text = 'nodes: 3\nduration: 30s\nexpect: [{ oneWinner: { election: m, within: 3s } }]'
    const stands = '{ at: 2s, elect: m, by: 0..1 }'
    const { verdicts } = run(`${text}\nactions: [${stands}, { at: 9s, leave: 0 }, { at: 10s, kill: 1 }]`)
    expect(verdicts).toMatchObject([{ held: true, seen: 'no candidate is left' }])
    const some = run(`${text}\nactions: [${stands}, { at: 9s, leave: 0 }]`)
    expect(some.verdicts).toMatchObject([{ held: true, seen: expect.stringMatching(/^after/u) }])
  })

  it('expects nothing of a pool that all members have left', () => {
    const { violation, duration } = run('nodes: 3\nduration: 90s\nactions: [{ at: 5s, leave: all }]')
    expect([violation, duration]).toEqual([undefined, 90_000])
  })

  it('expects nothing of a node alone on its side of a partition, and everything after the partition', () => {
    const { violation, verdicts } = run(`
      nodes: 8
      duration: 4m
      elections: { m: 100% }
      actions: [{ at: 10s, partition: 7, for: 2m }]
      expect: [{ allKnowAll: { after: 10s, within: 20s } }, { allKnowAll: { within: 20s } }, { oneWinner: { election: m, within: 20s } }, noFalseDeaths]
    `)
    expect(violation).toBeUndefined()
    expect(verdicts.map(({ held }) => held)).toEqual([true, true, true, true])
  })

  it.each([
    ['the other one on its side crashes', '[{ at: 10s, partition: 0..1 }, { at: 10.5s, kill: 0 }]', 8],
    ['the other one on its side leaves', '[{ at: 10s, partition: 0..1 }, { at: 10.5s, leave: 0 }]', 8],
    ['the cables of all others are pulled', '[{ at: 20s, silence: 1..9 }]', 0],
    ['the cables of the two that are left are pulled', '[{ at: 10s, kill: 3..9 }, { at: 30s, silence: 1..2 }]', 0],
    ['they crash after that', '[{ at: 20s, silence: 1..9 }, { at: 25s, kill: 1..9 }]', 0],
    ['the others, which nobody can dial, crash', '[{ at: 20s, kill: 1..9 }]\nnetwork: { nat: 100% }', 0],
  ])('expects nothing of a node that can not look for anybody any more: %s', (_, actions, right) => {
    const { violation, samples } = run(`nodes: 10\nduration: 2m\nactions: ${actions}`)
    expect(violation).toBeUndefined()
    expect(samples.right.at(-1)).toBe(right)
  })

  it.each([
    ['that crash', '[{ at: 20s, kill: 1..9 }]'],
    ['that its side had buried before', '[{ at: 10s, partition: 0..1 }, { at: 60s, kill: 0 }]'],
    ['that crashed out of sight, when the partition ends', '[{ at: 10s, partition: 1..9, for: 20s }, { at: 15s, kill: 1..9 }]'],
  ])('expects a right view of the last node after nodes %s', (_, actions) => {
    const { violation, verdicts } = run(`nodes: 10\nduration: 3m\nactions: ${actions}\nexpect: [{ allKnowAll: { within: 30s } }]`)
    expect(violation).toBeUndefined()
    expect(verdicts).toMatchObject([{ held: true }])
  })

  it.each(['oldest', 'random'])('lets newcomers enter through an introducer that they reach: %s', (introducers) => {
    const { violation, verdicts, samples } = run(`
      nodes: 10
      duration: 3m
      introducers: ${introducers}
      actions: [{ at: 10s, partition: 0..4 }, { at: 30s, join: 3 }]
      expect: [{ allKnowAll: { within: 5s } }]
    `)
    expect(violation).toBeUndefined()
    expect(verdicts).toMatchObject([{ held: true }])
    expect(samples.right.at(-1)).toBe(13)
  })

  it('lets newcomers enter through the last node on their side', () => {
    const { violation, verdicts } = run(`
      nodes: 10
      duration: 3m
      actions: [{ at: 20s, silence: 1..9 }, { at: 40s, join: 1 }]
      expect: [{ allKnowAll: { within: 20s } }]
    `)
    expect(violation).toBeUndefined()
    expect(verdicts).toMatchObject([{ held: true }])
  })

  it('also counts the links of a node between two samples', () => {
    const { verdicts, links } = run('nodes: 50\nduration: 30s\nsample: 1m\nexpect: [{ linksPerNode: { atMost: 1 } }]')
    expect(verdicts).toMatchObject([{ held: false, seen: String(links.most) }])
    expect(links.most).toBeGreaterThan(8)
  })

  it('lets nodes come and go by a trace file', () => {
    const scenario = parseScenario('nodes: 3\nduration: 30s\narrivals: { trace: t.csv }', {
      read: (file) => ({ file, text: 'at,event,node\n0,join,a\n1,join,b\n2,join,c\n10,crash,b\n12,leave,c\n30,end,\n' }),
    })
    const { result } = runScenario({ scenario, seed: 1 })
    expect([5, 11, 15].map((second) => result.samples.nodes[second - 1])).toEqual([3, 2, 1])
    expect(result.detection.count).toBe(2)
  })

  it('reports for each expectation whether it was met, and the observation', () => {
    const { verdicts } = run(`
      nodes: 10
      duration: 20s
      elections: { master: 100% }
      actions: [{ at: 10s, kill: { winner: master } }]
      expect:
        - allKnowAll: { after: 0s, within: 5s }
        - allKnowAll: { after: 10s, within: 1ms }
        - oneWinner: { election: master, after: 10s, within: 3s }
        - oneWinner: { election: master, after: 10s, within: 1ms }
        - reigns: { election: master, atMost: 1 }
        - bytesPerNode: { atMost: 1KB }
        - linksPerNode: { atMost: 9 }
        - dialsPerSecond: { atMost: 5, after: 15s }
        - dialsPerSecond: { atMost: 1 }
        - dialsPerSecond: { atMost: 9, of: node }
        - dialsPerSecond: { atMost: 0.001, of: node }
        - detection: { within: 3s }
        - detection: { within: 1ms }
        - noFalseDeaths`)
    const held = verdicts.map((verdict) => (verdict.held ? 'y' : 'n')).join('')
    expect(held).toBe('ynynnnyynynyny')
    expect(verdicts[0]?.what).toBe('all know all within 5s of 0s')
    expect(verdicts[1]?.seen).toMatch(/^after 0\.\d+s$/u)
  })
})
