import type { Member } from '@jel/jel'
import { expect, it } from 'vitest'
import { nodeJson } from './events.ts'
import { Roster, type MemberFilter } from './roster.ts'

function member(id: string, location = 'here', tag = ''): Member {
  return { id, incarnation: 1, joinedAt: 0, addresses: [], location, tag: Buffer.from(tag), constants: new Map() }
}

/** The ids of the members that a roster lists. */
function ids(roster: Roster, filter?: MemberFilter): string[] {
  return roster.list(filter).map(({ id }) => id)
}

it('lists who is here, and who went, the last first, with since when', () => {
  const here = [member('a'), member('b')]
  const roster = new Roster(() => here)
  const all = ['a', 'b', 'c', 'd'].map((id) => member(id))
  for (const [index, each] of all.entries()) roster.take({ event: 'joined', node: nodeJson(each) }, index)
  roster.take({ event: 'died', node: nodeJson(member('c')) }, 10)
  roster.take({ event: 'left', node: nodeJson(member('d')) }, 20)
  expect(ids(roster)).toEqual(['a', 'b'])
  expect(roster.list({ state: 'all' }).map(({ id, state, since }) => [id, state, since])).toEqual([
    ['a', 'here', 0],
    ['b', 'here', 1],
    ['d', 'left', 20],
    ['c', 'died', 10],
  ])
  expect(ids(roster, { state: 'died' })).toEqual(['c'])
})

it('finds members by the coarse end of their location, and by an expression for their tag', () => {
  const roster = new Roster(() => [member('a', 'n1@rack2@delft', 'gpu=2'), member('b', 'n2@rack12@delft', 'cpu')])
  expect(ids(roster, { location: 'delft' })).toEqual(['a', 'b'])
  expect(ids(roster, { location: 'rack2@delft' })).toEqual(['a'])
  expect(ids(roster, { tag: '^gpu' })).toEqual(['a'])
  expect(ids(roster, { tag: 'pu', location: 'rack12@delft' })).toEqual(['b'])
  expect(() => ids(roster, { tag: '(' })).toThrow(RangeError)
})

it('remembers a bounded number of those that went, the last ones', () => {
  const roster = new Roster(() => [])
  for (let i = 0; i < 2000; i++) roster.take({ event: 'died', node: nodeJson(member(`n${i}`)) }, i)
  const gone = ids(roster, { state: 'died' })
  expect(gone).toHaveLength(1024)
  expect(gone[0]).toBe('n1999')
})
