import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, wireFact, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn, framesTo } from '../../test/bench.ts'
import { makeConfig } from '../base/config.ts'
import type { Effect } from '../base/io.ts'
import { factOf } from '../facts/fact.ts'
import { pack, unpack, type Item } from '../facts/items.ts'
import type { Statement } from '../facts/statement.ts'

const [self, alice, bob, carol, ...crowd] = actors(60) as [Actor, Actor, Actor, Actor, ...Actor[]]
const { offers } = makeConfig()

const ascending = (a: number, b: number): number => a - b
const itemOf = (statement: Statement): Item => {
  const { position, low } = factOf({ statement })
  return { position, version: low }
}
const offerOf = (...statements: readonly Statement[]) => ({ offer: { items: pack(statements.map(itemOf)) } })
const positions = (statements: readonly Statement[]): number[] => statements.map((statement) => itemOf(statement).position).sort(ascending)
/** Positions of what was offered to, asked of, or told to somebody. */
const offered = (to: Actor, effects: readonly Effect[]): number[] =>
  framesTo(to.id, effects).flatMap(({ offer }) => (offer === undefined ? [] : unpack(offer.items).map(({ position }) => position)))
const asked = (of: Actor, effects: readonly Effect[]): number[] =>
  framesTo(of.id, effects).flatMap(({ want }) => (want === undefined ? [] : unpack(want.items).map(({ position }) => position)))

let bench: Bench

beforeEach(() => {
  bench = new Bench(self)
  for (const actor of [alice, bob, carol]) bench.meet(actor)
  bench.advance(5_000)
})

describe('a crowd of newcomers', () => {
  const joins = crowd.map((actor) => actor.joined())

  it('is named to all links but the one that told it, and not published', () => {
    const effects = [...bench.receive(alice, facts(joins, true)), ...bench.advance(2 * offers.delay)]
    expect(offered(bob, effects).sort(ascending)).toEqual(expect.arrayContaining(positions(joins.slice(10))))
    expect(offered(carol, effects).sort(ascending)).toEqual(offered(bob, effects).sort(ascending))
    expect(offered(alice, effects)).toEqual([])
    expect(broadcastsIn(effects)).toEqual([])
  })

  it('is told to who asks, and only what was asked for', () => {
    bench.receive(alice, facts(joins, true))
    const effects = bench.receive(bob, { want: { items: pack(joins.slice(3, 6).map(itemOf)) } })
    const told = framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
    expect(told).toEqual(joins.slice(3, 6).map((statement) => wireFact(statement)))
    expect(framesTo(bob.id, effects)[0]?.facts?.fresh).toBe(true)
  })

  it('that somebody names is asked for, once, and passed on as it came', () => {
    const named = bench.receive(alice, offerOf(...joins))
    expect(asked(alice, named).sort(ascending)).toEqual(positions(joins))
    expect(asked(bob, bench.receive(bob, offerOf(...joins)))).toEqual([])
    const effects = [...bench.receive(alice, facts(joins.slice(0, 2), true)), ...bench.advance(2 * offers.delay)]
    expect(offered(carol, effects).sort(ascending)).toEqual(positions(joins.slice(0, 2)))
    expect(broadcastsIn(effects)).toEqual([])
  })

  it('is not named to who named it first, nor asked for when it is known', () => {
    bench.receive(alice, facts(joins, true))
    const effects = [...bench.receive(bob, offerOf(...joins)), ...bench.advance(2 * offers.delay)]
    expect(asked(bob, effects)).toEqual([])
    expect(offered(bob, effects)).toEqual([])
    expect(offered(carol, effects).length).toBeGreaterThan(40)
  })

  it('is asked of the next who named it when the first does not answer', () => {
    bench.receive(alice, offerOf(...joins))
    bench.receive(bob, offerOf(...joins))
    expect(asked(bob, bench.advance(offers.timeout - 1))).toEqual([])
    expect(asked(bob, bench.advance(1)).sort(ascending)).toEqual(positions(joins))
    expect(asked(carol, bench.advance(offers.timeout))).toEqual([])
    // Nobody is left who named it: whoever names it again is asked.
    expect(asked(carol, bench.receive(carol, offerOf(...joins))).sort(ascending)).toEqual(positions(joins))
  })

  it('is asked of the next at once when the link to the first is gone', () => {
    bench.receive(alice, offerOf(...joins))
    bench.receive(bob, offerOf(...joins))
    expect(asked(bob, bench.unlink(alice)).sort(ascending)).toEqual(positions(joins))
  })
})

describe('a hostile offer', () => {
  it.each([
    ['of half an item', { offer: { items: new Uint8Array(5) } }],
    ['of too many', { offer: { items: new Uint8Array(11 * 5_000) } }],
    ['from outside of the space', { offer: { items: pack([{ position: 2 ** 53 - 1, version: 1 }]) } }],
    ['to give half an item', { want: { items: new Uint8Array(5) } }],
    ['to give too many', { want: { items: new Uint8Array(11 * 5_000) } }],
  ])('%s is a strike, and changes nothing', (_, frame) => {
    const before = bench.audit(bob)
    bench.receive(alice, frame)
    expect(bench.notifications.filter((notification) => notification.type === 'warning')).toMatchObject([{ code: 'PEER_MISBEHAVED' }])
    expect(bench.audit(bob)).toEqual(before)
  })

  it('of what does not exist takes bounded memory, and is forgotten', () => {
    const small = new Bench(self, { config: { limits: { members: 100 } } })
    small.meet(alice)
    const items = Array.from({ length: 1_000 }, (_, i) => ({ position: i * 7919, version: i }))
    expect(asked(alice, small.receive(alice, { offer: { items: pack(items) } }))).toHaveLength(100)
    small.advance(offers.timeout + 1)
    expect(asked(alice, small.receive(alice, { offer: { items: pack(items) } }))).toHaveLength(100)
  })
})
