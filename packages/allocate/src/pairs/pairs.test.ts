import type { Member } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { selectForPattern } from './select-pattern.ts'
import type { Selection } from '../select.ts'
import { couplesOf, Pairs, type Measure } from './pairs.ts'
import { isOfToken, mayHaveToken } from './probe-token.ts'

const members = (count: number, siteOf: (at: number) => string = () => 'delft'): Member[] =>
  Array.from({ length: count }, (_, at) => ({ id: `member-${at}`, location: `n${at}@${siteOf(at)}` }) as Member)

const turn = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 1))

/** Measures each pair by a function, and counts what runs at once. */
function measured(bandwidthOf: (one: string, other: string) => number | undefined) {
  const [running, calls] = [new Set<readonly [string, string]>(), [] as string[]]
  let most = 0
  let overlaps = 0
  const measure: Measure = async (from, to) => {
    const pair = [from, to] as const
    for (const [a, b] of running) if ([a, b].includes(from) || [a, b].includes(to)) overlaps++
    running.add(pair)
    most = Math.max(most, running.size)
    calls.push(from)
    await turn()
    running.delete(pair)
    const bandwidth = bandwidthOf(from, to)
    if (bandwidth === undefined) throw new Error('it is far')
    return { bandwidth, roundTrip: 1, took: 1, at: performance.now() }
  }
  return { measure, calls, most: () => most, overlaps: () => overlaps }
}

const selection = (all: readonly Member[]): Selection => ({
  selected: all.map((member) => ({ member, rank: undefined })),
  considered: all.length,
  matching: all.length,
  conditions: [],
})

describe('pairs of members', () => {
  it('are measured one at a time at a site, by both ends in turn, and at once at different sites', async () => {
    const one = measured(() => 1)
    expect(await new Pairs().measure(couplesOf(members(5)), one.measure, 10_000)).toEqual([])
    expect([one.calls.length, one.most()]).toEqual([10, 1])
    expect(new Set(one.calls).size).toBe(5)
    const four = measured(() => 1)
    const all = members(8, (at) => `site${at % 4}`)
    await new Pairs().measure(couplesOf(all), four.measure, 10_000)
    expect([four.calls.length, four.most(), four.overlaps()]).toEqual([28, 4, 0])
  })

  it('that fail or come too late are unknown, with the reason', async () => {
    const pairs = new Pairs()
    const some = measured((_, to) => (to === 'member-2' ? undefined : 1))
    expect(await pairs.measure([[members(3)[0], members(3)[2]] as never], some.measure, 10_000)).toEqual([
      { members: ['member-0', 'member-2'], reason: 'it is far' },
    ])
    expect(pairs.get('member-2', 'member-0')).toBeUndefined()
    expect(await pairs.measure(couplesOf(members(2)), some.measure, 0)).toEqual([
      { members: ['member-0', 'member-1'], reason: 'it was not measured within 0 ms' },
    ])
  })

  it('are found in either order', async () => {
    const pairs = new Pairs()
    await pairs.measure(couplesOf(members(2)), measured(() => 7).measure, 10_000)
    expect(pairs.get('member-1', 'member-0')).toMatchObject({ bandwidth: 7, members: ['member-0', 'member-1'] })
    expect(pairs.get('member-0', 'member-1')?.bandwidth).toBe(7)
  })
})

describe('a selection for a pattern', () => {
  const pattern = async (all: readonly Member[], count: number, measure: Measure, within = 10_000, pairs = new Pairs()) =>
    await selectForPattern(selection(all), { count, pattern: 'ring', within }, pairs, measure)

  it('puts members side by side whose pairs are fast, and names the slowest one', async () => {
    // Fast are only the edges of the ring 0, 3, 1, 4.
    const fast = new Map([
      ['0 3', 9],
      ['1 3', 8],
      ['1 4', 7],
      ['0 4', 9],
    ])
    const width = (a: string, b: string): number =>
      fast.get(
        [a, b]
          .map((id) => id.slice(-1))
          .sort()
          .join(' '),
      ) ?? 1
    const { selected, placed } = await pattern(members(6), 4, measured(width).measure)
    expect(selected.map(({ member }) => member.id.slice(-1))).toEqual(['0', '3', '1', '4'])
    expect(placed).toMatchObject({ slowest: { members: ['member-1', 'member-4'], bandwidth: 7 }, isBest: true, unknown: [] })
  })

  it('measures only what it does not know', async () => {
    const [pairs, first, second] = [new Pairs(), measured(() => 1), measured(() => 1)]
    await pattern(members(4), 3, first.measure, 10_000, pairs)
    await pattern(members(5), 3, second.measure, 10_000, pairs)
    expect([first.calls.length, second.calls.length]).toEqual([6, 4])
  })

  it('uses no unknown pair, and names them', async () => {
    const some = measured((a, b) => (a === 'member-0' || b === 'member-0' ? undefined : 5))
    const { selected, placed } = await pattern(members(4), 3, some.measure)
    expect(selected.map(({ member }) => member.id)).toEqual(['member-1', 'member-2', 'member-3'])
    expect(placed.unknown.map(({ members: [one, other] }) => `${one} ${other}`)).toEqual([
      'member-0 member-1',
      'member-0 member-2',
      'member-0 member-3',
    ])
    await expect(pattern(members(4), 4, some.measure)).rejects.toMatchObject({
      code: 'UNKNOWN_PAIR',
      message:
        '4 members match, and each placement needs one of 3 unknown pairs (member-0 and member-1: it is far; member-0 and member-2: it is far; member-0 and member-3: it is far)',
    })
    await expect(pattern(members(3), 3, some.measure, 0)).rejects.toThrow('it was not measured within 0 ms')
  })

  it('needs no pairs where nothing is exchanged', async () => {
    const none = measured(() => undefined)
    const given = await selectForPattern(selection(members(3)), { count: 2, pattern: [], within: 1000 }, new Pairs(), none.measure)
    expect([given.selected.length, given.placed.slowest, none.calls.length]).toEqual([2, undefined, 0])
  })
})

describe('the probe token', () => {
  const ask = { amounts: { probe: 1 }, for: 5000, from: 0, background: false, key: 'k' }

  it.each([
    ['later', { from: 1 }],
    ['for long', { for: 5001 }],
    ['in part', { amounts: { probe: 0.5 } }],
    ['beside others', { amounts: { probe: 1, cpus: 1 } }],
    ['in the background', { background: true }],
  ])('is not leased %s', (_, other) => {
    const message = { ask: { ...ask, ...other } }
    expect([isOfToken(message, undefined), mayHaveToken(message)]).toEqual([true, false])
  })

  it('is leased at once for a short term, and neither renewed nor had by a change', () => {
    expect([isOfToken({ ask }, undefined), mayHaveToken({ ask })]).toEqual([true, true])
    for (const message of [{ renew: 1 }, { change: { cpus: 1 } }]) {
      expect([isOfToken(message, { probe: 1 }), mayHaveToken(message)]).toEqual([true, false])
      expect(isOfToken(message, { cpus: 1 })).toBe(false)
    }
    expect(isOfToken({ change: { probe: 1 } }, { cpus: 1 })).toBe(true)
    expect(isOfToken({ release: true }, { probe: 1 })).toBe(false)
  })
})
