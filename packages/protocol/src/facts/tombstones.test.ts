import { describe, expect, it, vi } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { makeConfig } from '../base/config.ts'
import { factOf } from './fact.ts'
import { RangeFingerprints } from './range-fingerprints.ts'
import { FactSet } from './fact-set.ts'
import { View } from './membership-view.ts'
import { Registry } from './registry.ts'
import { shortLife } from './tombstones.ts'

const most = 50
const people = actors(1_000)
const [victim, bob, carol, dave, eve] = people as [Actor, Actor, Actor, Actor, Actor]
const crowd = people.slice(5)

function viewOf(members = most): View {
  return new View(new FactSet(new Registry()), makeConfig({ limits: { members } }))
}

function comes(view: View, actor: Actor, now: number, incarnation = 1): void {
  view.merge(factOf({ statement: actor.joined({ incarnation }) }), now, 0)
}

function goes(view: View, actor: Actor, now: number, incarnation = 1): void {
  view.merge(factOf({ statement: actor.left(incarnation) }), now, 0)
}

describe('the memory of ended lives', () => {
  it('is not flushed by members that come and go: a replay resurrects nobody', () => {
    const view = viewOf()
    const joined = factOf({ statement: victim.joined() })
    view.merge(joined, 0, 0)
    view.merge(factOf({ certificate: death(victim, [bob, carol, dave, eve]) }), 0, 0)
    crowd.slice(0, 2 * most).forEach((actor, i) => {
      comes(view, actor, 1_000 * i)
      goes(view, actor, 1_000 * i + shortLife - 1)
    })
    expect(view.isNews(joined)).toBe(false)
  })

  it('is not flushed by members that come and go more than once', () => {
    const view = viewOf()
    comes(view, victim, 0)
    goes(view, victim, 0)
    for (const incarnation of [1, 2, 3]) {
      crowd.slice(0, 2 * most).forEach((actor, i) => {
        const now = incarnation * 10 * shortLife + i
        comes(view, actor, now, incarnation)
        goes(view, actor, now, incarnation)
      })
    }
    expect(view.hasEnded(victim.id, 1)).toBe(true)
  })

  it('is not scanned for each old end that somebody makes up', () => {
    const dues: number[] = []
    const config = makeConfig({ limits: { members: most } })
    const view = new View(new FactSet(new Registry()), config, (at) => dues.push(at))
    crowd.slice(0, 10).forEach((actor, i) => {
      view.merge(factOf({ statement: actor.left() }), i, config.tombstones.lifetime)
      view.tombstones.expire(i)
    })
    // The first end caused a scan. The next scan comes ten seconds later.
    expect(dues[0]).toBeLessThanOrEqual(0)
    expect(Math.min(...dues.slice(2))).toBeGreaterThanOrEqual(10_000)
  })

  it('keeps a single short life like any other', () => {
    const view = viewOf()
    crowd.slice(0, most).forEach((actor, i) => goes(view, actor, i))
    comes(view, victim, 1_000)
    goes(view, victim, 1_001)
    crowd.slice(most, 2 * most - 1).forEach((actor, i) => goes(view, actor, 2_000 + i))
    expect(view.hasEnded(victim.id, 1)).toBe(true)
    goes(view, crowd[2 * most] as Actor, 3_000)
    expect(view.hasEnded(victim.id, 1)).toBe(false)
  })

  it.each([0, shortLife])('is not searched as a whole for each end once it is full, and lives lasted %i ms', (lasted) => {
    const many = 400
    const view = viewOf(many)
    const live = (actor: Actor, i: number): void => {
      comes(view, actor, i)
      goes(view, actor, i + lasted)
    }
    crowd.slice(0, many).forEach(live)
    const scans = vi.spyOn(RangeFingerprints.prototype, 'places')
    crowd.slice(many, 2 * many).forEach((actor, i) => live(actor, many + i))
    expect(scans.mock.calls.length).toBeLessThanOrEqual(many / 4)
    scans.mockRestore()
  })

  it('drops the oldest of long lives, whenever they are searched', () => {
    const many = 400
    const view = viewOf(many)
    const ends = crowd.slice(0, 2 * many)
    for (const [i, actor] of ends.entries()) {
      view.merge(factOf({ statement: actor.left() }), 1_000 * i, 0)
      expect(view.knows(actor.id)).toBe(true)
      if (i >= many) expect([view.knows(ends[i - many]!.id), view.knows(ends[i - many + 1]!.id)]).toEqual([false, true])
    }
  })
})
