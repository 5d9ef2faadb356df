import type { Member } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import { select } from './allocation.ts'
import type { Context } from './command.ts'

/** Members of a pool with reliable joins, with the values of `--rank`. */
function at(scores: readonly (number | undefined)[]): Context {
  const member = (rank: number): Member =>
    ({
      id: `member${rank}`,
      incarnation: 1,
      addresses: [],
      location: 'here',
      tag: new Uint8Array(),
      reach: 'direct',
      joinedAt: 0,
      rank,
    }) as unknown as Member
  const selected = scores.map((score, place) => ({ member: member(place), rank: score }))
  const explain = async (): Promise<object> =>
    await Promise.resolve({ selected, considered: selected.length, matching: selected.length, conditions: [] })
  return { agent: { allocator: { explain } }, signal: new AbortController().signal } as unknown as Context
}

const given = {
  where: undefined,
  rank: undefined,
  count: undefined,
  location: undefined,
  nearest: undefined,
  pattern: undefined,
  timeout: undefined,
}

describe('jel select in a pool with reliable joins', () => {
  it('has the order of joining as rank, and the value of --rank as score', async () => {
    const { nodes } = await select.run(given, at([2.5, undefined]))
    expect(nodes).toMatchObject([{ rank: 0, score: 2.5 }, { rank: 1 }])
    expect(nodes[1]).not.toHaveProperty('score')
  })

  it('shows no order of joining as the score', async () => {
    const answer = { event: 'selected', ...(await select.run(given, at([undefined, undefined]))) } as const
    const lines = await select.shell?.text?.(answer, 0)
    expect(lines?.map((line) => line.trimEnd().split(/ {2,}/u))).toEqual([
      ['ID', 'LOCATION', 'SCORE'],
      ['member0', 'here'],
      ['member1', 'here'],
    ])
  })
})
