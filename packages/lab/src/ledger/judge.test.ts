import { describe, expect, it } from 'vitest'
import { judgeRanks, judgeSequences, longestPause, REIGN, type Entry } from './judge.ts'

const entries = (...texts: (string | undefined)[]): Entry[] =>
  texts.flatMap((text, at) => (text === undefined ? [] : [{ index: at + 1, text }]))
const whole = (...texts: (string | undefined)[]) => ({ entries: entries(...texts), isWhole: true })
const away = (...texts: (string | undefined)[]) => ({ entries: entries(...texts), isWhole: false })
const NONE = { different: 0, lacking: 0, late: 0, lost: 0, twice: 0 }

describe('sequences', () => {
  it('are one if a member lacks only what came while it was away', () => {
    expect(judgeSequences([whole('a', 'b', 'c', 'd'), away('a', undefined, undefined, 'd')], entries('a', 'b'))).toEqual(NONE)
  })

  it('differ if two members tell other entries of one index', () => {
    expect(judgeSequences([away('a', 'b'), away('a', 'x')], [])).toEqual({ ...NONE, different: 1 })
  })

  it('differ if two members name other winners of one election', () => {
    expect(judgeSequences([away(`red${REIGN}a`), away(`red${REIGN}b`)], [])).toEqual({ ...NONE, different: 1 })
  })

  it('have a fault if a member that was never away lacks an entry', () => {
    expect(judgeSequences([whole('a', 'b', 'c'), whole('a', undefined, 'c')], [])).toEqual({ ...NONE, lacking: 1 })
  })

  it('have a fault if two events share an index, but not if two reigns do', () => {
    const told = (...texts: string[]) => [{ entries: texts.map((text) => ({ index: 1, text })), isWhole: true }]
    expect(judgeSequences(told('a', 'b'), [])).toEqual({ ...NONE, different: 1 })
    expect(judgeSequences(told(`red${REIGN}a`, `blue${REIGN}a`), [])).toEqual(NONE)
  })

  it('have a fault if a member tells an entry late', () => {
    const [a, b, c] = entries('a', 'b', 'c') as [Entry, Entry, Entry]
    expect(judgeSequences([{ entries: [a, c, b], isWhole: true }], [])).toEqual({ ...NONE, late: 1 })
  })

  it('have a fault if an event is not where its caller was told, or nowhere', () => {
    expect(judgeSequences([whole('a', 'b')], [...entries('b'), { index: 3, text: 'c' }])).toEqual({ ...NONE, lost: 2 })
  })

  it('have a fault if an event is placed twice', () => {
    expect(judgeSequences([whole('a', 'b', 'a')], entries('a'))).toEqual({ ...NONE, twice: 1 })
  })
})

describe('ranks', () => {
  const ids = (...all: string[]) => all.map((id, rank) => ({ id, rank }))

  it('have no fault if all members tell each rank once, of the same members', () => {
    expect(judgeRanks([ids('a', 'b', 'c'), ids('a', 'b', 'c')], 3)).toEqual({ ranks: 0, different: 0 })
  })

  it('have a fault if a rank is missing, or belongs to two members', () => {
    expect(judgeRanks([ids('a', 'b')], 3)).toEqual({ ranks: 1, different: 0 })
    expect(judgeRanks([[...ids('a', 'b', 'c'), { id: 'd', rank: 1 }]], 3)).toEqual({ ranks: 1, different: 0 })
  })

  it('have a fault if two members tell other ranks of one', () => {
    expect(judgeRanks([ids('a', 'b'), ids('b', 'a')], 2)).toEqual({ ranks: 0, different: 2 })
  })
})

describe('the longest pause', () => {
  it('is also that before the first time and after the last', () => {
    expect(longestPause([5, 6, 9], 0, 10)).toBe(5)
    expect(longestPause([1, 2, 4], 0, 10)).toBe(6)
    expect(longestPause([1, 5, 8], 0, 10)).toBe(4)
    expect(longestPause([], 0, 10)).toBe(10)
    expect(longestPause([-3, 12], 0, 10)).toBe(10)
  })
})
