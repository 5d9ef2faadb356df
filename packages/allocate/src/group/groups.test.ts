import { describe, expect, it } from 'vitest'
import { randomOf, VirtualGroups, type Behaviour } from '../../test/virtual-groups.ts'

const ids = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(4, '0')}`)
const GROUP = 'group-0000000000'
/** Before a merge a part of the seeds runs. `CASES=all` runs all. */
const SEEDS = process.env['CASES'] === 'all' ? 1000 : 60
const fixed = { runs: 100, delay: () => 1, detection: () => 50 }

describe('a group', () => {
  it('starts at all of its ranks, and gives back what it held', () => {
    const world = new VirtualGroups(ids(8), fixed)
    world.want('m0000', { group: GROUP, candidates: ids(8), count: 4, spares: 2 })
    world.run()
    expect(world.results.get(GROUP)?.result).toEqual({ ranks: ids(4) })
    expect([...world.seen(GROUP)].map(([id, { ran }]) => [id, ran !== undefined])).toEqual(ids(4).map((id) => [id, true]))
    expect(new Map(world.outcomes.map(({ rank, outcome }) => [rank, outcome]))).toEqual(
      new Map(ids(4).map((id, at) => [at, { value: id }])),
    )
    for (const id of ids(8)) expect(world.isFree(id)).toBe(true)
  })

  it('fails at once if too few members can take a rank, and says why', () => {
    const world = new VirtualGroups(ids(4), fixed)
    world.want('m0000', { group: GROUP, candidates: ids(4), count: 4, amounts: { gpus: 1 } })
    world.run()
    expect(world.results.get(GROUP)).toEqual({
      at: 2,
      result: {
        code: 'NEVER',
        message: '4 ranks wanted, the members can take 0 (4: gpus is not offered here; offered are ranks)',
      },
    })
  })

  it('starts with fewer ranks if so many are enough', () => {
    const world = new VirtualGroups(ids(5), fixed)
    for (const id of ids(2)) world.lease(id, { ranks: 1 })
    world.want('m0000', { group: GROUP, candidates: ids(5), count: 5, atLeast: 3 }, 1000)
    world.run()
    expect(world.results.get(GROUP)).toMatchObject({ at: 1002, result: { ranks: ['m0002', 'm0003', 'm0004'] } })
  })

  it('that does not start in time holds nothing', () => {
    const world = new VirtualGroups(ids(4), fixed)
    world.lease('m0003', { ranks: 1 })
    world.want('m0000', { group: GROUP, candidates: ids(4), count: 4 }, 1000)
    world.run(1100)
    expect(world.results.get(GROUP)?.result).toEqual({
      code: 'TIMEOUT',
      message: 'too late: 3 of 4 held, 1 wait for capacity that others have',
    })
    expect(ids(3).every((id) => world.isFree(id))).toBe(true)
  })
})

describe('a group on members that take several ranks', () => {
  const three = { ranks: 3 }

  it('has one rank of each before any has two, and ranks of a member are neighbours', () => {
    const world = new VirtualGroups(ids(4), fixed, three)
    world.want('m0000', { group: GROUP, candidates: ids(4).toReversed(), count: 6 })
    world.run()
    // The best members, which stand first, have two.
    expect(world.results.get(GROUP)?.result).toEqual({ ranks: ['m0000', 'm0001', 'm0002', 'm0002/1', 'm0003', 'm0003/1'] })
    expect([...world.seen(GROUP).values()].filter(({ ran }) => ran !== undefined)).toHaveLength(6)
    for (const id of ids(4)) expect(world.isFree(id)).toBe(true)
  })

  it('takes no more of a member than it offers, and says how many are left', () => {
    const world = new VirtualGroups(ids(4), fixed, three)
    world.want('m0000', { group: GROUP, candidates: ids(4), count: 13 })
    world.run()
    expect(world.results.get(GROUP)?.result).toEqual({ code: 'NEVER', message: '13 ranks wanted, the members can take 12' })
    for (const id of ids(4)) expect(world.isFree(id)).toBe(true)
    world.want('m0000', { group: `${GROUP}1`, candidates: ids(4), count: 12 })
    world.run()
    expect(world.seen(`${GROUP}1`).size).toBe(12)
  })

  it('has second ranks of others in place of a member that is silent', () => {
    const world = new VirtualGroups(ids(4), { ...fixed, detection: () => 5000 }, three)
    world.kill('m0002')
    world.want('m0000', { group: GROUP, candidates: ids(4), count: 6 })
    world.run()
    expect(world.results.get(GROUP)).toMatchObject({ result: { ranks: { length: 6 } } })
    expect(world.results.get(GROUP)?.at).toBeLessThan(1100)
  })
})

describe('groups that want more members than there are', () => {
  it.each([
    [2, 1, 1],
    [4, 1, 1],
    [4, 50, 1],
    [4, 50, 4],
  ])('%i at once, %i ms apart, with %i ranks a member: each starts, none waits for ever, none shares a place', (groups, delay, ranks) => {
    const members = ids(20 / ranks)
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = randomOf(seed)
      const behaviour = { runs: 2000, delay: () => delay * (0.5 + random()), detection: () => 50 }
      const world = new VirtualGroups(members, behaviour, { ranks })
      const shuffled = (): string[] => members.toSorted(() => random() - 0.5)
      for (let at = 0; at < groups; at++)
        world.after(random() * 20, () => world.want(`m000${at}`, { group: `${GROUP}${at}`, candidates: shuffled(), count: 12, spares: 4 }))
      world.run()
      const spans = [...world.results].map(([group, { result }]) => {
        expect([seed, group, result]).toEqual([seed, group, { ranks: expect.any(Array) }])
        const runs = [...world.seen(group).values()].map(({ ran }) => ran ?? NaN)
        expect(runs).toHaveLength(12)
        return [Math.min(...runs), Math.max(...runs)] as const
      })
      expect(spans).toHaveLength(groups)
      spans.sort(([a], [b]) => a - b)
      for (const [at, [first]] of spans.entries()) {
        // Two groups of twelve do not fit into twenty places.
        if (at > 0) expect(first).toBeGreaterThanOrEqual((spans[at - 1]?.[1] ?? 0) + 1900)
        expect(first).toBeLessThan(at * 2000 + (at + 1) * 14 * delay + 40)
      }
      for (const id of members) expect(world.isFree(id)).toBe(true)
    }
  })
})

describe('a large group', () => {
  it('of 852 ranks at six sites starts within four seconds though each twentieth member refuses', () => {
    const members = ids(960)
    const random = randomOf(7)
    const world = new VirtualGroups(members, { runs: 1000, delay: () => 100 * (0.8 + 0.4 * random()), detection: () => 500 })
    for (const id of members) if (random() < 0.05) world.lease(id, { ranks: 1 })
    world.want('m0000', { group: GROUP, candidates: members, count: 852 })
    world.run()
    expect(world.results.get(GROUP)?.result).toMatchObject({ ranks: { length: 852 } })
    const runs = [...world.seen(GROUP).values()].map(({ ran }) => ran ?? NaN)
    expect(Math.max(...runs)).toBeLessThan(4000)
  })

  it('that wants all of them leaves nothing a second after it failed', () => {
    const members = ids(852)
    const world = new VirtualGroups(members, { runs: 1000, delay: () => 100, detection: () => 500 })
    for (const id of members.slice(800)) world.kill(id)
    world.want('m0000', { group: GROUP, candidates: members, count: 852 })
    world.run(600)
    expect(world.results.get(GROUP)?.result).toMatchObject({ code: 'NEVER' })
    world.run((world.results.get(GROUP)?.at ?? 0) + 1000 - world.now)
    expect(members.every((id) => world.isFree(id))).toBe(true)
  })
})

describe('a group of which a member dies at any message', () => {
  /**
   * Kills a member right before it would send its nth message. Returns false after the last one.
   */
  function killAt(victim: string, nth: number, seed: number, ranks: number, onLost?: 'shrink') {
    const random = randomOf(seed)
    const members = ids(ranks === 1 ? 5 : 3)
    const behaviour: Behaviour = {
      runs: 400,
      delay: () => 1 + 60 * random(),
      detection: () => 5 + 60 * random(),
      ...(onLost !== undefined && { onLost }),
    }
    const world = new VirtualGroups(members, behaviour, { ranks })
    let count = 0
    world.onSend = (from) => {
      // A rank that has ended takes no part in a later epoch.
      const isOver = onLost !== undefined && [...world.seen(GROUP).values()].some(({ ended }) => ended)
      if (from === victim && count++ === nth && !isOver) world.kill(victim)
    }
    // The last member is a spare. A starter has a rank, unless it is the last member.
    const starter = victim === 'm0004' ? victim : 'm0000'
    world.want(starter, { group: GROUP, candidates: members, count: ranks === 1 ? 4 : 5, spares: 1 })
    world.run(5000)
    return { world, members, wasKilled: count > nth }
  }

  const victims: [string, number][] = [
    ['m0000', 1],
    ['m0001', 1],
    ['m0003', 1],
    ['m0004', 1],
    ['m0000', 2],
    ['m0001', 2],
    ['m0002', 2],
  ]

  it.each(victims)('starts at all survivors or at none, whenever %s dies, with %i ranks a member', (victim, places) => {
    let cases = 0
    for (let seed = 1; seed <= 40; seed++)
      for (let nth = 0; nth < 100; nth++) {
        const { world, members, wasKilled } = killAt(victim, nth, seed, places)
        const what = `${victim} before message ${nth}, seed ${seed}`
        const ranks = [...world.seen(GROUP)].filter(([id]) => !world.isDead(id))
        const ran = ranks.filter(([, { ran: at }]) => at !== undefined)
        expect([what, ran.length]).toEqual([what, ranks.length])
        const lists = new Set(ranks.map(([, { epochs }]) => epochs[0]?.join()))
        expect([what, lists.size <= 1]).toEqual([what, true])
        const list = ranks[0]?.[1].epochs[0] ?? []
        // All living ranks of the list have it.
        expect([what, ranks.map(([id]) => id).toSorted()]).toEqual([what, list.filter((id) => !world.isDead(id)).toSorted()])
        for (const place of [victim, `${victim}/1`])
          if (list.includes(place) && world.isDead(victim) && world.seen(GROUP).get(place)?.ended !== true)
            for (const [, { lost }] of ranks) expect([what, lost.includes(place)]).toEqual([what, true])
        for (const id of members) if (!world.isDead(id)) expect([what, id, world.isFree(id)]).toEqual([what, id, true])
        cases++
        if (!wasKilled) break
      }
    expect(cases).toBeGreaterThan(150)
  })

  it.each(victims)('goes on with the same ranks at all survivors, whenever %s dies, with %i ranks a member', (victim, places) => {
    let shrunk = 0
    for (let seed = 1; seed <= 40; seed++)
      for (let nth = 0; nth < 100; nth++) {
        const { world, wasKilled } = killAt(victim, nth, seed, places, 'shrink')
        const what = `${victim} before message ${nth}, seed ${seed}`
        const ranks = [...world.seen(GROUP)].filter(([id]) => !world.isDead(id))
        const [first, ...epochs] = ranks[0]?.[1].epochs ?? []
        for (const [, each] of ranks) expect([what, each.epochs]).toEqual([what, first === undefined ? [] : [first, ...epochs]])
        // The ranks that go on are those that are left, in their order.
        const last = epochs.at(-1)
        if (last !== undefined) {
          expect([what, last]).toEqual([what, first?.filter((id) => !world.isDead(id))])
          shrunk++
        }
        if (!wasKilled) break
      }
    expect(shrunk).toBeGreaterThan(20)
  })

  it('agrees on the ranks that go on while three of six die one after the other', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed)
      const world = new VirtualGroups(ids(7), {
        runs: 3000,
        delay: () => 1 + 60 * random(),
        detection: () => 5 + 60 * random(),
        onLost: 'shrink',
      })
      world.want('m0006', { group: GROUP, candidates: ids(6), count: 6 })
      const victims = ids(6)
        .toSorted(() => random() - 0.5)
        .slice(0, 3)
      for (const id of victims) world.after(600 + 300 * random(), () => world.kill(id))
      world.run(2900)
      const ranks = [...world.seen(GROUP)].filter(([id]) => !world.isDead(id))
      expect(ranks).toHaveLength(3)
      for (const [, { epochs }] of ranks) {
        expect([seed, epochs]).toEqual([seed, ranks[0]?.[1].epochs])
        expect([seed, epochs.at(-1)]).toEqual([seed, ids(6).filter((id) => !victims.includes(id))])
      }
    }
  })
})
