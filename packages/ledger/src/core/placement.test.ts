import { expect, it } from 'vitest'
import { chooseVoters, type Eligible } from './placement.ts'

const member = (id: string, rank: number, given: Partial<Eligible> = {}): Eligible => ({
  seat: `${id}/1`,
  isDurable: false,
  isDirect: true,
  site: 'a',
  rank,
  ...given,
})
const of = (count: number, given: Partial<Eligible> = {}): Eligible[] =>
  Array.from({ length: count }, (_, at) => member(`m${at}`, at, given))
const names = (seats: readonly string[]): string => seats.map((seat) => seat.split('/')[0]).join(' ')

it.each([
  [0, 0],
  [1, 1],
  [2, 1],
  [3, 3],
  [4, 3],
  [5, 5],
  [6, 5],
  [9, 5],
])('of %i members %i vote, at most five', (count, voters) => {
  expect(chooseVoters(of(count), [], 5)).toHaveLength(voters)
})

it('the first members vote, and keep their seats when others come', () => {
  const members = of(7)
  const present = chooseVoters(members.slice(2), [], 3)
  expect(names(present)).toBe('m2 m3 m4')
  expect(names(chooseVoters(members, present, 3))).toBe('m2 m3 m4')
})

it('one that died is replaced, and the others stay', () => {
  const members = of(7)
  const present = chooseVoters(members, [], 5)
  expect(
    names(
      chooseVoters(
        members.filter(({ rank }) => rank !== 1),
        present,
        5,
      ),
    ),
  ).toBe('m0 m2 m3 m4 m5')
})

it('a seat of the same member with another store is another seat', () => {
  const members = [...of(2), member('m2', 2, { seat: 'm2/2' })]
  expect(chooseVoters(members, ['m0/1', 'm1/1', 'm2/1'], 3)).toContain('m2/2')
})

it('stores that outlive their process come first, and members behind detours last', () => {
  const members = [member('tab', 0, { isDirect: false, isDurable: true }), ...of(3), member('file', 9, { isDurable: true })]
  expect(names(chooseVoters(members, [], 3))).toBe('file m0 m1')
})

it('no site has a majority if there are three sites', () => {
  const members = ['a', 'a', 'a', 'a', 'b', 'c'].map((site, rank) => member(`m${rank}`, rank, { site }))
  const present = ['m0/1', 'm1/1', 'm2/1', 'm3/1', 'm4/1']
  const chosen = chooseVoters(members, present, 5)
  expect(chosen.filter((seat) => ['m4/1', 'm5/1'].includes(seat))).toHaveLength(2)
  const three = chooseVoters(members, ['m0/1', 'm1/1', 'm2/1'], 3)
  expect(names(three.toSorted())).toBe('m0 m4 m5')
})

it('two sites share the seats as they are', () => {
  const members = ['a', 'a', 'a', 'b'].map((site, rank) => member(`m${rank}`, rank, { site }))
  expect(names(chooseVoters(members, ['m0/1', 'm1/1', 'm2/1'], 3))).toBe('m0 m1 m2')
})

it('a machine at a third site does not make two crowded sites push each other out', () => {
  const members = ['a', 'a', 'a', 'b', 'b', 'b', 'c'].map((site, rank) => member(`m${rank}`, rank, { site, isDurable: site !== 'c' }))
  for (const most of [3, 5, 7]) {
    const chosen = chooseVoters(members, ['m0/1'], most)
    expect(chosen).toHaveLength(most)
    for (const site of ['a', 'b'])
      expect(2 * chosen.filter((seat) => members.some((each) => each.seat === seat && each.site === site)).length).toBeLessThan(most)
  }
})
