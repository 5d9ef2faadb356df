import { describe, expect, it } from 'vitest'
import { randomOf, VirtualGroups, type Behaviour } from '../../test/virtual-groups.ts'
import { ownerOf } from './place.ts'

const GROUP = 'group-0000000000'
const ids = ['m0', 'm1', 'm2', 'm3', 'm4']
/** Before a merge a part of the seeds runs. `CASES=all` runs all. */
const SEEDS = process.env['CASES'] === 'all' ? 40 : 6
const fixed = { runs: 100, delay: () => 1, detection: () => 50, boundaries: { every: 100, epochs: 3 } }

/** The ranks of each epoch, as all ranks of it saw them. Throws if two living ones differ. */
function listsOf(world: VirtualGroups, what: string): Map<number, string> {
  const lists = new Map<number, string>()
  for (const [place, seen] of world.seen(GROUP)) {
    // The starter has stated their sites.
    const starter = seen.sites[0]?.[0]?.split(':')[0]
    expect([what, place, seen.sites]).toEqual([what, place, seen.epochs.map((list) => list.map((each) => `${starter}: ${ownerOf(each)}`))])
    for (const [epoch, list] of seen.lists) {
      if (world.isDead(place)) continue
      expect([what, epoch, lists.get(epoch) ?? list]).toEqual([what, epoch, list])
      expect([what, list.split(',').includes(place)]).toEqual([what, true])
      lists.set(epoch, list)
    }
  }
  return lists
}

describe('a group that grows', () => {
  it('starts with those that are there, and takes others in when all ranks ask for it', () => {
    const world = new VirtualGroups(ids, fixed)
    for (const id of ids.slice(2)) world.lease(id, { ranks: 1 })
    world.want('m0', { group: GROUP, candidates: ids, count: 4, grows: true })
    world.after(150, () => {
      for (const id of ['m2', 'm3']) world.release(id)
    })
    world.after(160, () => world.offer('m0', GROUP, ids))
    world.run()
    expect(world.results.get(GROUP)).toMatchObject({ result: { ranks: ['m0', 'm1'] } })
    expect([...listsOf(world, 'all')]).toEqual([
      [0, 'm0,m1'],
      [1, 'm0,m1'],
      [2, 'm0,m1,m2,m3'],
      [3, 'm0,m1,m2,m3'],
    ])
    expect(world.outcomes.map(({ rank }) => rank).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
    for (const id of ids.slice(0, 4)) expect([id, world.isFree(id)]).toEqual([id, true])
  })

  it('has a newcomer in place of a rank that was lost, behind the others', () => {
    const world = new VirtualGroups(ids, { ...fixed, onLost: 'shrink' })
    world.want('m0', { group: GROUP, candidates: ids.slice(0, 4), count: 4, grows: true })
    world.after(20, () => world.kill('m1'))
    world.after(90, () => world.offer('m0', GROUP, ids))
    world.run()
    expect([...listsOf(world, 'all')]).toEqual([
      [0, 'm0,m1,m2,m3'],
      [1, 'm0,m2,m3'],
      [2, 'm0,m2,m3,m4'],
      [3, 'm0,m2,m3,m4'],
    ])
  })

  it('has no more ranks than were wanted, and newcomers that wait end with it', () => {
    const world = new VirtualGroups(ids, { ...fixed, boundaries: { every: 1000, epochs: 0 } })
    world.want('m0', { group: GROUP, candidates: ids.slice(0, 2), count: 4, grows: true })
    world.after(20, () => world.offer('m0', GROUP, ids))
    world.run(50)
    expect(ids.map((id) => world.isFree(id))).toEqual([false, false, false, false, true])
    world.run()
    expect([...listsOf(world, 'all')]).toEqual([[0, 'm0,m1']])
    expect(ids.map((id) => world.isFree(id))).toEqual([true, true, true, true, true])
  })

  it('takes newcomers that an older group had, and that it lost while they were locked', () => {
    const world = new VirtualGroups(ids.slice(0, 3), { ...fixed, boundaries: { every: 400, epochs: 3 } })
    world.want('m0', { group: GROUP, candidates: ids.slice(0, 2), count: 3, grows: true })
    // The other group is older, and takes the hold before its lock.
    world.after(20, () => world.offer('m0', GROUP, ids.slice(0, 3)))
    world.after(21.5, () => world.want('m1', { group: `${GROUP}1`, candidates: ['m2'], count: 1, date: -5 }))
    world.after(300, () => world.stop('m1', `${GROUP}1`))
    world.run()
    expect(world.results.get(`${GROUP}1`)?.result).toEqual({ ranks: ['m2'] })
    expect(listsOf(world, 'all').get(3)).toBe('m0,m1,m2')
    expect(ids.slice(0, 3).map((id) => world.isFree(id))).toEqual([true, true, true])
  })
})

describe('a group that grows, of which a member dies at any message', () => {
  // The last member has no rank.
  const victims: [string, string, number][] = ['m0', 'm1', 'm2', 'm3'].flatMap((victim) => [
    [victim, 'm0', 1],
    [victim, 'm4', 1],
    [victim, 'm0', 2],
  ])
  victims.push(['m4', 'm4', 1])

  it.each(victims)('has the same ranks at all survivors, whenever %s dies (started by %s, %i ranks a member)', (victim, starter, ranks) => {
    let [cases, grown] = [0, 0]
    for (let seed = 1; seed <= SEEDS; seed++)
      for (let nth = 0; nth < 200; nth++) {
        const random = randomOf(seed * 7 + ranks)
        const world = new VirtualGroups(
          ids,
          {
            runs: 300,
            delay: () => 1 + 40 * random(),
            detection: () => 5 + 40 * random(),
            boundaries: { every: 150, epochs: 3 },
            ...(seed % 2 === 0 && { onLost: 'shrink' }),
          },
          { ranks },
        )
        let count = 0
        world.onSend = (from) => {
          if (from === victim && count++ === nth) world.kill(victim)
        }
        const members = ids.slice(0, 4)
        world.want(starter, { group: GROUP, candidates: members.slice(0, 2), count: ranks === 1 ? 4 : 6, grows: true })
        for (const at of [100, 300, 500]) world.after(at, () => world.offer(starter, GROUP, members))
        world.run(20_000)
        const what = `${victim} before message ${nth}, seed ${seed}`
        const lists = listsOf(world, what)
        const living = [...world.seen(GROUP)].filter(([place]) => !world.isDead(place))
        expect([what, world.early]).toEqual([what, []])
        // No call hangs, and all give back what they held.
        for (const [place, { ended }] of living) expect([what, place, ended]).toEqual([what, place, true])
        for (const id of ids) if (!world.isDead(id)) expect([what, id, world.isFree(id)]).toEqual([what, id, true])
        // A member has a part in an epoch if all others say so.
        for (const [epoch, list] of lists)
          for (const place of list.split(','))
            if (!world.isDead(place) && world.seen(GROUP).get(place)?.lists.get(epoch) !== list) {
              // A newcomer heard of the death of the starter before it heard that it was taken in.
              expect([what, place, world.isDead(starter)]).toEqual([what, place, true])
              expect([what, place, world.seen(GROUP).get(place)?.lists.size ?? 0]).toEqual([what, place, 0])
            }
        if (nth >= count) expect([what, lists.get(3)?.split(',').length]).toEqual([what, ranks === 1 ? 4 : 6])
        cases++
        if ([...lists.values()].some((list) => list.split(',').some((each) => ['m2', 'm3'].includes(ownerOf(each))))) grown++
        if (count <= nth) break
      }
    expect(cases).toBeGreaterThan(SEEDS)
    expect(grown).toBeGreaterThan(SEEDS / 2)
  })

  it('has the same ranks at all survivors if two members die one after the other', () => {
    let grown = 0
    for (let seed = 1; seed <= 50 * SEEDS; seed++) {
      const random = randomOf(seed)
      const behaviour: Behaviour = {
        runs: 300,
        delay: () => 1 + 40 * random(),
        detection: () => 5 + 40 * random(),
        boundaries: { every: 150, epochs: 3 },
        ...(seed % 2 === 0 && { onLost: 'shrink' }),
      }
      const world = new VirtualGroups(ids, behaviour, { ranks: 1 + (seed % 3) })
      const starter = seed % 4 === 0 ? 'm4' : 'm0'
      const victims = ids.toSorted(() => random() - 0.5).slice(0, 2)
      world.want(starter, { group: GROUP, candidates: ids.slice(0, 2), count: 4, grows: true })
      for (const at of [100, 300, 500]) world.after(at, () => world.offer(starter, GROUP, ids.slice(0, 4)))
      for (const id of victims) world.after(900 * random(), () => world.kill(id))
      world.run(20_000)
      const what = `${victims.join()} of ${starter}, seed ${seed}`
      const lists = listsOf(world, what)
      expect([what, world.early.filter((each) => !world.isDead(each))]).toEqual([what, []])
      for (const [place, { ended }] of world.seen(GROUP))
        if (!world.isDead(place)) expect([what, place, ended]).toEqual([what, place, true])
      for (const id of ids) if (!world.isDead(id)) expect([what, id, world.isFree(id)]).toEqual([what, id, true])
      if ([...lists.values()].some((list) => list.split(',').some((each) => ['m2', 'm3'].includes(ownerOf(each))))) grown++
    }
    expect(grown).toBeGreaterThan(10 * SEEDS)
  })

  /**
   * Kills a member right before it would send its nth message. Returns undefined after its last
   * one.
   */
  function killAt(victim: string, nth: number, seed: number, first: number): { world: VirtualGroups; at: number } | undefined {
    const random = randomOf(seed)
    const behaviour = {
      runs: 10_000,
      delay: () => 1 + 60 * random(),
      detection: () => 1 + 40 * random(),
      boundaries: { every: 400, epochs: 1 },
    }
    const world = new VirtualGroups(ids, behaviour)
    let [count, at] = [0, NaN]
    world.onSend = (from) => {
      if (from !== victim || count++ !== nth) return
      at = world.now
      world.kill(victim)
    }
    world.want(victim, { group: GROUP, candidates: ids.slice(0, first), count: 4, grows: true })
    world.after(100, () => world.offer(victim, GROUP, ids.slice(0, 4)))
    world.run(4000)
    return count > nth ? { world, at } : undefined
  }

  it('lets all of its newcomers run, or none, if the only rank that took them in dies', () => {
    let [all, none] = [0, 0]
    for (let seed = 1; seed <= 5 * SEEDS; seed++)
      for (let nth = 0; ; nth++) {
        const killed = killAt('m0', nth, seed, 1)
        if (killed === undefined) break
        const { world } = killed
        const ran = [...world.seen(GROUP)].filter(([place, seen]) => place !== 'm0' && seen.ran !== undefined)
        if (ran.length === 0) none++
        else all++
        const listed = new Set(ran.flatMap(([, { lists }]) => [...lists.values()].flatMap((list) => list.split(','))))
        listed.delete('m0')
        expect([nth, seed, ran.map(([place]) => place)]).toEqual([nth, seed, [...listed].toSorted()])
      }
    expect(all).toBeGreaterThan(0)
    expect(none).toBeGreaterThan(SEEDS)
  })

  it('lets newcomers go within two seconds if its starter dies before any rank heard of them', () => {
    let told = 0
    for (let seed = 1; seed <= 5 * SEEDS; seed++)
      for (let nth = 0; ; nth++) {
        const killed = killAt('m4', nth, seed, 1)
        if (killed === undefined) break
        const { world, at } = killed
        if (at > 1900) break
        const list = world.seen(GROUP).get('m0')?.epochs.at(-1) ?? []
        for (const id of ['m1', 'm2', 'm3'])
          if (!list.includes(id)) expect([nth, seed, id, world.isFree(id)]).toEqual([nth, seed, id, true])
        if (world.seen(GROUP).get('m1')?.epochs.length === 2 && !list.includes('m1')) told++
      }
    expect(told).toBeGreaterThan(0)
  })
})
