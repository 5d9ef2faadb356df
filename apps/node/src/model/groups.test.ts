import { describe, expect, it } from 'vitest'
import type { LeasesJson } from '../events/events.ts'
import { groupsOf, groupText, rankText } from './groups.ts'

const rank = (group: string, starter: string, state: 'waits' | 'held' | 'running', more: object = {}) => ({
  group,
  program: `program of ${group}`,
  starter,
  state,
  groups: [],
  leases: [],
  ...more,
})
const start = (group: string, more: object = {}) => ({
  group,
  program: `program of ${group}`,
  state: 'holding' as const,
  count: 2,
  held: 1,
  waits: 1,
  refused: 0,
  ended: 0,
  ...more,
})

describe('the groups of a pool', () => {
  const members: LeasesJson[] = [
    { member: 'a', totals: {}, leases: [], starts: [start('busy', { state: 'running', held: 2, waits: 0 })] },
    {
      member: 'b',
      ranks: [rank('busy', 'a', 'running', { rank: 1, of: 2 }), rank('late', 'd', 'waits', { groups: ['busy'], leases: [7] })],
    },
    { member: 'c', ranks: [rank('busy', 'a', 'running', { rank: 0, of: 2 }), rank('late', 'd', 'held')] },
    { member: 'd', starts: [start('late')] },
    { member: 'e', reason: 'no answer' },
  ]

  it('come with those that wait first, and with their members by rank', () => {
    expect(groupsOf(members)).toEqual([
      {
        ...start('late'),
        starter: 'd',
        members: [
          { member: 'b', state: 'waits', groups: ['busy'], leases: [7] },
          { member: 'c', state: 'held' },
        ],
      },
      {
        ...start('busy', { state: 'running', held: 2, waits: 0 }),
        starter: 'a',
        members: [
          { member: 'c', state: 'running', rank: 0, of: 2 },
          { member: 'b', state: 'running', rank: 1, of: 2 },
        ],
      },
    ])
  })

  it('are known by their ranks alone if the starter does not answer', () => {
    const found = groupsOf(members.filter(({ starts }) => starts === undefined))
    expect(found.map(({ group, starter, state, count, held, waits }) => [group, starter, state, count, held, waits])).toEqual([
      ['late', 'd', 'holding', undefined, 1, 1],
      ['busy', 'a', 'running', undefined, 2, 0],
    ])
    expect(found.map(groupText)).toEqual(['holding: 1 held, 1 waits', 'running: 2 ranks on 2 members'])
  })

  it('show the title that their starter gives, and how many members have how many ranks', () => {
    const both = [0, 1].map((at) => rank('busy', 'a', 'running', { rank: at, of: 2 }))
    const titled = start('busy', { title: 'solve.js', state: 'running', held: 2, waits: 0 })
    const [found] = groupsOf([{ member: 'a', starts: [titled], ranks: both }]) as [ReturnType<typeof groupsOf>[number]]
    expect(found).toMatchObject({ program: 'solve.js' })
    expect(found).not.toHaveProperty('title')
    expect(groupText(found)).toBe('running: 2 ranks on 1 member')
  })

  it('never wait for themselves: a second rank stands behind the first one', () => {
    const [found] = groupsOf([{ member: 'b', ranks: [rank('late', 'd', 'waits', { groups: ['late', 'busy'], leases: [7] })] }])
    expect(found?.members).toEqual([{ member: 'b', state: 'waits', groups: ['busy'], leases: [7] }])
  })

  it('keep their starter and members though another member makes the same name up', () => {
    const liar: LeasesJson = { member: 'z', starts: [start('late', { program: 'mine' })], ranks: [rank('late', 'z', 'running')] }
    for (const all of [
      [liar, ...members],
      [...members, liar],
    ]) {
      const late = groupsOf(all).filter(({ group }) => group === 'late')
      expect(new Map(late.map(({ starter, members: own }) => [starter, own.map(({ member }) => member)]))).toEqual(
        new Map([
          ['d', ['b', 'c']],
          ['z', ['z']],
        ]),
      )
    }
  })

  it('say how many hold a place of how many, and for whom a member waits', () => {
    const groups = groupsOf(members)
    const known = new Map(groups.map((group) => [group.group, group]))
    const [late, runs] = groups as [(typeof groups)[number], (typeof groups)[number]]
    expect(groupText(late)).toBe('holding: 1 of 2 held, 1 waits')
    expect(groupText({ ...late, state: 'locked', held: 1, waits: 2, refused: 1 })).toBe('locked: 1 of 2 held, 2 wait, 1 refuses')
    expect(groupText({ ...runs, ended: 1 })).toBe('running: 2 ranks on 2 members, 1 ended')
    expect(late.members.map((member) => rankText(member, known))).toEqual(['waits for program of busy busy (running), lease 7', 'held'])
    expect(runs.members.map((member) => rankText(member, known))).toEqual(['rank 0 of 2, running', 'rank 1 of 2, running'])
    expect(rankText({ member: 'x', state: 'waits', groups: ['a-group-of-nobody'] }, known)).toBe('waits for group a-group-')
    expect(rankText({ member: 'x', state: 'waits' }, known)).toBe('waits')
  })
})
