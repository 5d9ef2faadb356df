import { describe, expect, it } from 'vitest'
import { VirtualGroups } from '../../test/virtual-groups.ts'
import { MOST_LISTED, MOST_NAMED } from './listed-groups.ts'
import { Leases } from './leases.ts'

const hold = (group: string, date: number, amounts: Record<string, number> = { ranks: 1 }) =>
  ({ type: 'hold', asked: { group, place: 0, holder: 'starter', date, amounts, for: 1000 }, wall: 100 }) as const

/** A granter that offers one place for ranks, and gpus. */
function granter(): Leases {
  const leases = new Leases()
  for (const name of ['ranks', 'gpus']) leases.handle({ type: 'offer', name, total: 1 }, 0)
  return leases
}

describe('the list of holds', () => {
  it('names the groups and leases for whose capacity a group waits, and no others', () => {
    const leases = granter()
    leases.handle(hold('old', 1), 0)
    leases.handle(hold('middle', 2), 0)
    leases.handle(hold('young', 3), 0)
    leases.handle(hold('other', 0, { gpus: 1 }), 0)
    expect(leases.holds(0).map(({ group, state, groups }) => [group, state, groups])).toEqual([
      ['old', 'held', []],
      ['middle', 'waiting', ['old']],
      ['young', 'waiting', ['old', 'middle']],
      ['other', 'held', []],
    ])
    // A locked hold stays, also before an older group.
    leases.handle({ type: 'lock', group: 'old', attempt: 1 }, 0)
    leases.handle(hold('oldest', 0), 0)
    expect(leases.holds(0).find(({ group }) => group === 'oldest')).toMatchObject({ state: 'waiting', groups: ['old'] })
  })

  it('names the group that runs, and leases of other members by number', () => {
    const leases = granter()
    leases.handle(hold('runs', 1), 0)
    leases.handle({ type: 'lock', group: 'runs', attempt: 1 }, 0)
    leases.handle({ type: 'start', group: 'runs', self: 'm' }, 0)
    const asked = { amounts: { gpus: 1 }, for: 1000, from: 0, background: false, key: 'k' }
    leases.handle({ type: 'ask', request: 0, holder: 'h', asked }, 0)
    leases.handle({ type: 'ask', request: 0, holder: 'h', asked: { ...asked, key: 'later', from: 5000 } }, 0)
    leases.handle(hold('waits', 2, { ranks: 1, gpus: 1 }), 0)
    expect(leases.holds(0)).toEqual([{ group: 'waits', state: 'waiting', amounts: { ranks: 1, gpus: 1 }, groups: ['runs'], leases: [2] }])
    expect(leases.list().map(({ number, group }) => [number, group])).toEqual([
      [1, 'runs'],
      [2, undefined],
      [3, undefined],
    ])
  })

  it('has a bounded number of entries and of names, however many groups ask', () => {
    const leases = granter()
    for (let at = 0; at < 1000; at++)
      leases.handle({ ...hold(`group${at}`, at), asked: { ...hold(`group${at}`, at).asked, holder: `starter${at % 20}` } }, 0)
    const list = leases.holds(0)
    expect(list).toHaveLength(MOST_LISTED)
    expect(Math.max(...list.map(({ groups }) => groups.length))).toBe(MOST_NAMED)
  })
})

describe('the groups of a member', () => {
  it('are listed while they hold, while they run, and not after their end', () => {
    const ids = ['a', 'b', 'c']
    const world = new VirtualGroups(ids, { runs: 1000, delay: () => 1, detection: () => 50 })
    const [first, second] = ['group-0000000001', 'group-0000000002']
    world.want('a', { group: first, candidates: ids, count: 2 })
    world.want('c', { group: second, candidates: ids, count: 2 })
    world.run(500)
    expect(world.groupsOf('a').starts()).toEqual([
      { group: first, program: 'p', state: 'running', count: 2, held: 2, waits: 0, refused: 0, ended: 0 },
    ])
    expect(world.groupsOf('c').starts()).toEqual([
      { group: second, program: 'p', state: 'holding', count: 2, held: 1, waits: 2, refused: 0, ended: 0 },
    ])
    expect(ids.map((id) => world.groupsOf(id).ranks())).toEqual([
      [
        { part: first, group: first, program: 'p', starter: 'a', isRunning: true, rank: 0, of: 2 },
        { part: second, group: second, program: 'p', starter: 'c', isRunning: false },
      ],
      [
        { part: first, group: first, program: 'p', starter: 'a', isRunning: true, rank: 1, of: 2 },
        { part: second, group: second, program: 'p', starter: 'c', isRunning: false },
      ],
      [{ part: second, group: second, program: 'p', starter: 'c', isRunning: false }],
    ])
    world.run()
    for (const id of ids) expect([world.groupsOf(id).starts(), world.groupsOf(id).ranks()]).toEqual([[], []])
  })
})
