import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { framesTo } from '../../test/bench.ts'
import { makeConfig, type ConfigOverrides } from '../base/config.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { Context } from '../context/context.ts'
import { earlyLinks, Link, probeLinkTime, settleTime } from '../context/links.ts'
import { factOf } from '../facts/fact.ts'
import { Rings } from './rings.ts'
import { LinkMaintenance, dialAgain, dialAgainMax, dialPause, politeness, quiet, quietAtMost } from './link-maintenance.ts'

const everyone = actors(120)
const self = everyone[60] as Actor
const others = everyone.filter((actor) => actor !== self)

/** LinkMaintenance alone. Dials succeed at once unless the test states otherwise. */
class Fixture {
  readonly context: Context<Uint8Array>
  readonly linkMaintenance: LinkMaintenance
  readonly rings: Rings
  readonly suspected = new Set<NodeId>()
  readonly dead = new Set<NodeId>()
  readonly dials: { readonly at: Milliseconds; readonly peer: NodeId }[] = []
  readonly closed: NodeId[] = []

  constructor(overrides: ConfigOverrides = {}) {
    const config = makeConfig(overrides)
    this.context = new Context({ id: self.id, pool, config, services: servicesOf(self.id) })
    this.context.now = 100_000
    this.context.view.merge(factOf({ statement: self.joined() }), 0, 0)
    this.rings = new Rings(self.id, config.links.rings, this.context.facts.registry, this.context.view)
    this.linkMaintenance = new LinkMaintenance(this.context, { isSuspected: (id) => this.suspected.has(id) }, { isUnderWay: false })
  }

  meet(...members: readonly Actor[]): void {
    for (const actor of members) {
      this.context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
      this.rings.add(actor.id)
    }
    this.linkMaintenance.update(this.rings.neighbours)
  }

  link(id: NodeId, isProbeLink = false): void {
    const link = new Link(id, true, this.context.now)
    link.isProbeLink = isProbeLink
    this.context.links.set(id, link)
    this.linkMaintenance.linkUp(id)
  }

  unlink(id: NodeId, goodbye = false): void {
    const link = this.context.links.get(id)
    if (link === undefined) throw new Error(`there is no link to ${id}`)
    link.goodbye ||= goodbye
    this.context.links.delete(id)
    this.linkMaintenance.linkLost(link)
  }

  advance(span: Milliseconds): void {
    const end = this.context.now + span
    while (this.context.timers.at('links') <= end) {
      this.context.now = Math.max(this.context.now, Math.ceil(this.context.timers.at('links')))
      this.context.effects = []
      this.context.timers.fire(this.context.now, () => this.linkMaintenance.due())
      for (const effect of this.context.effects) {
        if (effect.type === 'connect' && effect.peer !== undefined) {
          this.dials.push({ at: this.context.now, peer: effect.peer })
          if (!this.dead.has(effect.peer)) this.link(effect.peer)
        } else if (effect.type === 'disconnect') {
          expect(framesTo(effect.peer, this.context.effects).some((frame) => frame.goodbye !== undefined)).toBe(true)
          this.closed.push(effect.peer)
          this.unlink(effect.peer)
        }
      }
    }
    this.context.now = end
  }

  get linked(): ReadonlySet<NodeId> {
    return new Set(this.context.links.keys())
  }
}

let fixture: Fixture

beforeEach(() => {
  fixture = new Fixture()
})

describe('the links that a node maintains', () => {
  it('go to its neighbours and a few random members, bounded at any size of the pool', () => {
    fixture.meet(...others)
    fixture.advance(30_000)
    for (const id of fixture.rings.neighbours) expect(fixture.linked).toContain(id)
    expect(fixture.linked.size).toBe(fixture.rings.neighbours.size + fixture.context.config.links.random)
  })

  it('go to all members of a small pool', () => {
    fixture.meet(...others.slice(0, 4))
    fixture.advance(30_000)
    expect(fixture.linked.size).toBe(4)
  })

  it('are one or two until the view is quiet', () => {
    for (const actor of others.slice(0, 40)) {
      fixture.meet(actor)
      fixture.advance(quiet / 8)
    }
    expect(fixture.linked.size).toBeLessThanOrEqual(earlyLinks)
    fixture.advance(30_000)
    expect(fixture.linked.size).toBeGreaterThan(earlyLinks)
  })

  it('are built after some time in a pool that is never quiet', () => {
    const start = fixture.context.now
    for (const actor of others) {
      fixture.meet(actor)
      fixture.advance(quietAtMost / 20)
      if (fixture.context.now - start > quietAtMost * 2.5) break
    }
    expect(fixture.linked.size).toBeGreaterThan(earlyLinks)
  })

  it('that were opened to probe a suspect are closed before others, and sooner', () => {
    const { max } = makeConfig({}).links
    const fixture = new Fixture({ links: { random: 0 } })
    fixture.meet(...others.slice(0, 100))
    const strangers = others.slice(0, 100).filter(({ id }) => !fixture.rings.neighbours.has(id))
    const old = strangers.slice(0, max)
    for (const { id } of old) fixture.link(id)
    fixture.advance(settleTime)
    const before = fixture.closed.length
    const probed = strangers.slice(max, max + 5)
    for (const { id } of probed) fixture.link(id, true)
    fixture.advance(probeLinkTime - 100)
    expect(fixture.closed.slice(before)).toEqual([])
    fixture.advance(200)
    expect(probed.filter(({ id }) => fixture.linked.has(id))).toEqual([])
  })

  it('are closed as surplus without a suspicion of their peers', () => {
    const { max } = fixture.context.config.links
    const crowd = others.slice(0, max + 10)
    fixture.meet(...crowd)
    for (const actor of crowd) fixture.link(actor.id)
    const links = [...fixture.context.links.values()]
    fixture.advance(settleTime * 2)
    expect(fixture.closed.length).toBeGreaterThanOrEqual(10)
    expect(links.filter(({ goodbye }) => goodbye).map(({ peer }) => peer)).toEqual(expect.arrayContaining(fixture.closed))
  })

  it('to random members are replaced if a member says goodbye because it has more than it needs', () => {
    fixture.meet(...others)
    fixture.advance(30_000)
    const chosen = [...fixture.linked].filter((peer) => !fixture.rings.neighbours.has(peer))
    expect(chosen).toHaveLength(fixture.context.config.links.random)
    for (const peer of chosen) fixture.unlink(peer, true)
    fixture.advance(5_000)
    const now = [...fixture.linked].filter((peer) => !fixture.rings.neighbours.has(peer))
    expect(now).toHaveLength(chosen.length)
    expect(now.filter((peer) => chosen.includes(peer))).toEqual([])
  })

  it('are built one after the other', () => {
    fixture.meet(...others)
    fixture.advance(30_000)
    const gaps = fixture.dials.slice(1).map(({ at }, i) => at - (fixture.dials[i]?.at as number))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(dialPause * 0.5 - 1)
  })

  it('are dialled by the member with the lower id first', () => {
    fixture.meet(...others)
    fixture.advance(politeness * 0.6)
    for (const { peer } of fixture.dials.slice(earlyLinks)) expect(peer > self.id).toBe(true)
    fixture.advance(30_000)
    expect(fixture.dials.some(({ peer }) => peer < self.id)).toBe(true)
  })

  it('are rebuilt when one is lost', () => {
    fixture.meet(...others.slice(0, 4))
    fixture.advance(30_000)
    const lost = (others[1] as Actor).id
    fixture.unlink(lost)
    fixture.advance(5_000)
    expect(fixture.linked).toContain(lost)
  })

  it('are dialled less and less often if nobody answers, and not at all while the detector dials', () => {
    const [gone, suspected] = others as [Actor, Actor]
    fixture.dead.add(gone.id)
    fixture.suspected.add(suspected.id)
    fixture.meet(...others.slice(0, 4))
    fixture.advance(200_000)
    const times = fixture.dials.filter(({ peer }) => peer === gone.id).map(({ at }) => at)
    const waits = times.slice(1).map((at, i) => at - (times[i] as number))
    expect(waits.length).toBeGreaterThan(6)
    for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(Math.min(dialAgain * 2 ** i, dialAgainMax))
    for (const wait of waits) expect(wait).toBeLessThan(dialAgainMax * 1.5)
    expect(fixture.dials.map(({ peer }) => peer)).not.toContain(suspected.id)
  })

  it('to random members change now and then', () => {
    fixture.meet(...others)
    fixture.advance(30_000)
    const before = fixture.linked
    fixture.advance(fixture.context.config.links.randomLifetime * 6)
    expect([...fixture.linked].some((id) => !before.has(id))).toBe(true)
  })

  it('come to rest', () => {
    fixture.meet(...others)
    fixture.advance(60_000)
    expect(fixture.context.timers.at('links') - fixture.context.now).toBeGreaterThan(10_000)
  })
})

describe('links that others opened', () => {
  it('are closed with a goodbye, but only above the bound, and not while they are young', () => {
    const { max } = fixture.context.config.links
    fixture.meet(...others)
    fixture.advance(20_000)
    for (const { id } of others) if (!fixture.linked.has(id) && fixture.linked.size < max) fixture.link(id)
    fixture.advance(settleTime * 3)
    expect(fixture.closed).toEqual([])
    for (const { id } of others) if (!fixture.linked.has(id) && fixture.linked.size < max + 10) fixture.link(id)
    fixture.advance(settleTime - 1)
    expect(fixture.linked.size).toBeGreaterThanOrEqual(max)
    fixture.advance(settleTime * 2)
    expect(fixture.linked.size).toBeLessThanOrEqual(max)
    expect(fixture.closed.length).toBeGreaterThan(0)
    for (const id of fixture.closed) expect(fixture.rings.neighbours).not.toContain(id)
    for (const id of fixture.rings.neighbours) expect(fixture.linked).toContain(id)
  })
})

describe('a node that reaches nobody', () => {
  it('dials all members that it does not suspect, one after the other, though its links are up', () => {
    const fixture = new Fixture()
    fixture.meet(...others.slice(0, 40))
    fixture.advance(60_000)
    const linked = new Set(fixture.context.links.keys())
    expect(linked.size).toBeLessThan(20)
    for (const id of linked) fixture.suspected.add(id)
    for (const { id } of others) fixture.dead.add(id)
    for (let turn = 0; turn < 100; turn++) {
      fixture.linkMaintenance.isolated()
      fixture.advance(1_000)
      for (const { peer } of fixture.dials) fixture.suspected.add(peer)
    }
    for (const { id } of others.slice(0, 40)) expect(fixture.dials.map(({ peer }) => peer)).toContain(id)
  })
})
