import { describe, expect, it } from 'vitest'
import { judgeRanks } from './judge.ts'

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
