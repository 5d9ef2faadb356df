import { expect, it } from 'vitest'
import { TokenTurns } from './token-turns.ts'

it('the token goes round among all that want it, however often some of them ask', () => {
  const turns = new TokenTurns()
  const [got, free] = [[] as string[], { at: 0 }]
  for (let now = 0; now < 20_000; now++) {
    // Two ask each millisecond, and keep the token for its term. The others ask each 50 ms.
    const asking = ['greedy', 'hasty', ...(now % 50 === 0 ? ['one', 'other'] : [])]
    for (const member of asking) {
      if (!turns.asks(member, now) || now < free.at) continue
      turns.took(member)
      got.push(member)
      free.at = now + 1000
    }
  }
  expect(got.slice(0, 4).toSorted()).toEqual(['greedy', 'hasty', 'one', 'other'])
  for (const [at, member] of got.entries()) expect(member).toBe(got[at % 4])
  expect(got.length).toBeGreaterThan(15)
})

it('a member that asks no more keeps nobody from the token for longer than a second', () => {
  const turns = new TokenTurns()
  turns.took('a')
  expect(turns.asks('b', 0)).toBe(true)
  expect(turns.asks('a', 999)).toBe(false)
  expect(turns.asks('a', 1000)).toBe(true)
})
