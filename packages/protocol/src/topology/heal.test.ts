import { describe, expect, it } from 'vitest'
import { actors, death, facts, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { Bench } from '../../test/bench.ts'
import { makeConfig } from '../base/config.ts'
import type { Member, Milliseconds, NodeId } from '../base/values.ts'
import { Context } from '../context/context.ts'
import { factOf } from '../facts/fact.ts'
import { Healer } from './heal.ts'

const everyone = actors(60)
const [self, alice, bob, carol] = everyone as [Actor, Actor, Actor, Actor]
const memberOf = (actor: Actor): Member => ({
  id: actor.id,
  incarnation: 1,
  addresses: [Uint8Array.of(1)],
  location: '',
  tag: new Uint8Array(0),
  constants: new Map(),
  reach: 'direct',
  joinedAt: 0,
})

class Fixture {
  readonly config = makeConfig({ limits: { lost: 40 } })
  readonly context = new Context({ id: self.id, pool, config: this.config, services: servicesOf(self.id) })
  readonly healer = new Healer(this.context)
  readonly dials: { readonly at: Milliseconds; readonly peer: NodeId | undefined }[] = []

  constructor(size: number) {
    this.context.now = 1_000_000
    for (const actor of everyone.slice(0, size)) this.context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  }

  advance(span: Milliseconds): this {
    const end = this.context.now + span
    while (this.context.timers.at('healing') <= end) {
      this.context.now = Math.max(this.context.now, Math.ceil(this.context.timers.at('healing')))
      this.context.effects = []
      this.context.timers.fire(this.context.now, () => this.healer.due())
      for (const effect of this.context.effects) if (effect.type === 'connect') this.dials.push({ at: this.context.now, peer: effect.peer })
    }
    this.context.now = end
    return this
  }
}

describe('lost members', () => {
  it('are dialled again soon, at their former addresses', () => {
    const fixture = new Fixture(2)
    fixture.healer.lost(memberOf(bob))
    fixture.advance(20_000)
    expect(fixture.dials.length).toBeGreaterThan(0)
    expect(fixture.dials[0]?.peer).toBe(bob.id)
  })

  it('are dialled less and less often, but at least every half minute or so, for a day', () => {
    const fixture = new Fixture(2)
    fixture.healer.lost(memberOf(bob))
    fixture.advance(600_000)
    const late = fixture.dials.slice(-5)
    for (let i = 1; i < late.length; i++) {
      const gap = (late[i]?.at as number) - (late[i - 1]?.at as number)
      expect(gap).toBeGreaterThanOrEqual(20_000)
      expect(gap).toBeLessThanOrEqual(60_000)
    }
    const before = fixture.dials.length
    fixture.advance(fixture.config.healing.memory)
    expect(fixture.dials.length).toBeGreaterThan(before)
    const total = fixture.dials.length
    fixture.advance(600_000)
    expect(fixture.dials.length).toBe(total)
    expect(fixture.context.timers.at('healing')).toBe(Infinity)
  })

  it('cost the pool a bounded number of attempts, whatever its size', () => {
    const size = 40
    let attempts = 0
    for (let run = 0; run < 10; run++) {
      const fixture = new Fixture(size)
      for (let skip = 0; skip < run; skip++) fixture.context.random()
      for (const actor of everyone.slice(size)) fixture.healer.lost(memberOf(actor))
      attempts += fixture.advance(400_000).dials.length
    }
    const { healing } = makeConfig()
    const rounds = 400_000 / healing.interval
    // For one of `size` members: its share of the whole pool's attempts.
    expect(attempts / 10).toBeLessThanOrEqual(((rounds * healing.attempts) / size) * 1.5)
    expect(attempts).toBeGreaterThan(0)
  })

  it('are no longer dialled once they are back, left, or linked', () => {
    const fixture = new Fixture(2)
    fixture.healer.lost(memberOf(bob))
    fixture.healer.found(bob.id)
    expect(fixture.advance(600_000).dials).toEqual([])
  })

  it('are dialled at the next turn, before all others, if a peer believes them alive', () => {
    const fixture = new Fixture(40)
    for (const actor of everyone.slice(40)) fixture.healer.lost(memberOf(actor))
    const { interval } = fixture.config.healing
    fixture.advance(interval)
    for (const contested of everyone.slice(50)) {
      const before = fixture.dials.length
      fixture.healer.contested(contested.id)
      fixture.advance(1.5 * interval)
      expect(fixture.dials[before]?.peer).toBe(contested.id)
    }
  })

  it('are dialled no sooner for being contested again', () => {
    const fixture = new Fixture(40)
    const contested = everyone[50] as Actor
    fixture.healer.lost(memberOf(contested))
    const { interval } = fixture.config.healing
    for (let turn = 0; turn < 20; turn++) {
      fixture.healer.contested(contested.id)
      fixture.advance(interval)
    }
    expect(fixture.dials.length).toBeGreaterThan(1)
    expect(fixture.dials.length).toBeLessThan(8)
  })

  it('are dialled in quick succession once one of them has come back', () => {
    const fixture = new Fixture(40)
    const [first, ...rest] = everyone.slice(40, 50) as [Actor, ...Actor[]]
    for (const actor of [first, ...rest]) fixture.healer.lost(memberOf(actor))
    const { interval } = fixture.config.healing
    fixture.advance(2 * interval)
    fixture.healer.contested(first.id)
    fixture.advance(1.5 * interval)
    const before = fixture.dials.length
    fixture.healer.found(first.id)
    for (const { id } of rest) {
      fixture.healer.contested(id)
      fixture.advance(500)
    }
    expect(fixture.dials.length - before).toBe(rest.length)
  })

  it('are dialled as rarely as before one turn after many were contested at once', () => {
    const fixture = new Fixture(40)
    const lost = everyone.slice(40)
    for (const actor of lost) fixture.healer.lost(memberOf(actor))
    const { interval } = fixture.config.healing
    fixture.advance(interval)
    for (const { id } of lost) fixture.healer.contested(id)
    fixture.advance(1.5 * interval)
    const before = fixture.dials.length
    fixture.advance(20 * interval)
    expect(fixture.dials.length - before).toBeLessThan(8)
  })

  it('are remembered in bounded numbers, and never include this node', () => {
    const fixture = new Fixture(1)
    fixture.healer.lost(memberOf(self))
    expect(fixture.context.timers.at('healing')).toBe(Infinity)
    for (const actor of everyone.slice(1)) fixture.healer.lost(memberOf(actor))
    expect(fixture.healer.recentlyLost()).toBe(40)
    fixture.context.now += 60_000
    expect(fixture.healer.recentlyLost()).toBe(0)
  })
})

describe('after a partition', () => {
  function apart(): Bench {
    const bench = new Bench(self)
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.meet(carol, { linked: false })
    for (const actor of [alice, bob]) {
      bench.reach.set(actor.id, 'silent')
      bench.unlink(actor)
    }
    bench.reach.set(carol.id, 'silent')
    bench.overhears(death(alice, [bob, carol]), death(bob, [alice, carol]), death(carol, [alice, bob]))
    bench.until(() => bench.members.length === 1, 120_000)
    expect(bench.members).toEqual([self.id])
    bench.advance(600_000)
    return bench
  }

  it('a node finds the others again within twenty seconds of the heal, plus or minus its longest wait', () => {
    const bench = apart()
    for (const actor of [alice, bob, carol]) bench.reach.set(actor.id, 'up')
    const time = bench.until(() => bench.node.links.size > 0, 60_000, 100)
    expect(time).toBeDefined()
    expect(time).toBeLessThanOrEqual(35_000)
  })

  it('a node learns of its death and of new lives: it enters anew, and reports each end before the new life', () => {
    const bench = apart()
    bench.link(alice, { known: 1, ended: true, incarnation: 1 })
    expect(bench.node.self?.incarnation).toBe(2)
    bench.receive(alice, facts([alice.joined({ incarnation: 2 }), bob.joined({ incarnation: 2 })]))
    expect(bench.members).toEqual([self, alice, bob].map(({ id }) => id).sort())
    for (const actor of [alice, bob]) {
      expect(bench.changes.filter((change) => change.includes(actor.id))).toEqual([
        `joined:${actor.id}:1`,
        `died:${actor.id}:1`,
        `joined:${actor.id}:2`,
      ])
    }
  })

  it('a member that left is not dialled', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.receive(alice, facts([bob.left()]))
    bench.unlink(bob)
    const dials = bench.advance(600_000).filter((effect) => effect.type === 'connect' && effect.peer === bob.id)
    expect(dials).toEqual([])
  })
})

describe('an introducer', () => {
  const introducer = { id: bob.id, address: Uint8Array.of(1) }

  it('is dialled after it left, less and less often, until it is a member again: it may know nobody then', () => {
    const fixture = new Fixture(2)
    fixture.healer.start([introducer])
    fixture.healer.left(memberOf(carol))
    expect(fixture.context.timers.at('healing')).toBe(Infinity)
    fixture.healer.left(memberOf(bob))
    fixture.advance(86_400_000)
    expect(new Set(fixture.dials.map(({ peer }) => peer))).toEqual(new Set([bob.id]))
    const [one = Number.NaN, other = Number.NaN] = fixture.dials.slice(-2).map(({ at }) => at)
    expect(other - one).toBeGreaterThan(200_000)
    expect(other - one).toBeLessThan(400_000)
    expect(fixture.dials[2]?.at).toBeLessThan(1_000_000 + 60_000)
    fixture.healer.found(bob.id)
    const before = fixture.dials.length
    fixture.advance(86_400_000)
    expect(fixture.dials.length).toBe(before)
    expect(fixture.context.timers.at('healing')).toBe(Infinity)
  })

  it('is dialled even after other lost members are forgotten', () => {
    const fixture = new Fixture(2)
    fixture.healer.start([introducer])
    for (const actor of [bob, carol]) fixture.healer.lost(memberOf(actor))
    fixture.advance(fixture.config.healing.memory + 60_000)
    expect(fixture.healer.size).toBe(0)
    const before = fixture.dials.length
    fixture.advance(3_600_000)
    const later = fixture.dials.slice(before)
    expect(later.length).toBeGreaterThan(5)
    expect(new Set(later.map(({ peer }) => peer))).toEqual(new Set([bob.id]))
  })
})
