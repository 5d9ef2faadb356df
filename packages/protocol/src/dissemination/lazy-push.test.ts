import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, wireFact, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn, framesTo } from '../../test/bench.ts'
import type { Effect } from '../base/effect.ts'
import { factOf } from '../facts/fact.ts'
import { pack, unpack, type Item } from '../facts/items.ts'
import type { Statement } from '../facts/statement.ts'
import { askAgain, askedOfOne } from './lazy-push.ts'
import { pageBytes } from './page.ts'

const [self, alice, bob, carol, ...crowd] = actors(60) as [Actor, Actor, Actor, Actor, ...Actor[]]
/** News is gathered for less than this. */
const gathered = 200

const ascending = (a: number, b: number): number => a - b
const itemOf = (statement: Statement): Item => {
  const { position, low } = factOf({ statement })
  return { position, version: low }
}
const offerOf = (...statements: readonly Statement[]) => ({ offer: { items: pack(statements.map(itemOf)) } })
const positions = (statements: readonly Statement[]): number[] => statements.map((statement) => itemOf(statement).position).sort(ascending)
/** Positions of facts that were offered to a peer, or requested from it. */
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

  it('is offered to all links but the one that it came from, and is not published', () => {
    const effects = [...bench.receive(alice, facts(joins, true)), ...bench.advance(gathered)]
    expect(offered(bob, effects).sort(ascending)).toEqual(expect.arrayContaining(positions(joins.slice(10))))
    expect(offered(carol, effects).sort(ascending)).toEqual(offered(bob, effects).sort(ascending))
    expect(offered(alice, effects)).toEqual([])
    expect(broadcastsIn(effects)).toEqual([])
  })

  it('is sent to peers that ask, and only the requested facts', () => {
    bench.receive(alice, facts(joins, true))
    const effects = bench.receive(bob, { want: { items: pack(joins.slice(3, 6).map(itemOf)) } })
    const told = framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
    expect(told).toEqual(joins.slice(3, 6).map((statement) => wireFact(statement)))
    expect(framesTo(bob.id, effects)[0]?.facts?.fresh).toBe(true)
  })

  it('that a peer offers is requested once, and passed on in the same way', () => {
    const named = bench.receive(alice, offerOf(...joins))
    expect(asked(alice, named).sort(ascending)).toEqual(positions(joins))
    expect(asked(bob, bench.receive(bob, offerOf(...joins)))).toEqual([])
    const effects = [...bench.receive(alice, facts(joins, true)), ...bench.advance(gathered)]
    expect(offered(carol, effects).sort(ascending)).toEqual(expect.arrayContaining(positions(joins.slice(10))))
    expect(broadcastsIn(effects)).toEqual([])
  })

  it('is not offered to the peer that offered it first, nor requested if it is known', () => {
    bench.receive(alice, facts(joins, true))
    const effects = [...bench.receive(bob, offerOf(...joins)), ...bench.advance(gathered)]
    expect(asked(bob, effects)).toEqual([])
    expect(offered(bob, effects)).toEqual([])
    expect(offered(carol, effects).length).toBeGreaterThan(40)
  })

  it('is requested from the next peer that offered it if the first does not answer', () => {
    bench.receive(alice, offerOf(...joins))
    bench.receive(bob, offerOf(...joins))
    expect(asked(bob, bench.advance(askAgain - 1))).toEqual([])
    expect(asked(bob, bench.advance(1)).sort(ascending)).toEqual(positions(joins))
    expect(asked(carol, bench.advance(askAgain))).toEqual([])
    // No other peer offered the facts, so the next peer that offers them gets the request.
    expect(asked(carol, bench.receive(carol, offerOf(...joins))).sort(ascending)).toEqual(positions(joins))
  })

  it('is requested from the next peer at once if the link to the first is gone', () => {
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
  ])('%s is penalized and changes nothing', (_, frame) => {
    const before = bench.audit(bob)
    bench.receive(alice, frame)
    expect(bench.notifications.filter((notification) => notification.type === 'warning')).toMatchObject([{ code: 'PEER_MISBEHAVED' }])
    expect(bench.audit(bob)).toEqual(before)
  })

  it('of facts that do not exist takes bounded memory, and is forgotten', () => {
    const madeUp = (first: number) => ({
      offer: { items: pack(Array.from({ length: askedOfOne }, (_, i) => ({ position: (first + i) * 7919, version: i }))) },
    })
    expect(asked(alice, bench.receive(alice, madeUp(0)))).toHaveLength(askedOfOne)
    expect(asked(alice, bench.receive(alice, madeUp(askedOfOne)))).toEqual([])
    bench.advance(askAgain + 1)
    expect(asked(alice, bench.receive(alice, madeUp(askedOfOne)))).toHaveLength(askedOfOne)
  })

  it('of facts or versions that do not exist prevents no request to other peers', () => {
    const joins = crowd.map((actor) => actor.joined())
    for (let i = 0; i < 20; i++) {
      const items = Array.from({ length: 4_000 }, (_, j) => ({ position: (i * 4_000 + j) * 7919, version: j }))
      bench.receive(alice, { offer: { items: pack(items) } })
    }
    bench.advance(askAgain + 1)
    const lies = joins.map((statement) => ({ ...itemOf(statement), version: 1 }))
    bench.receive(alice, { offer: { items: pack(lies) } })
    expect(asked(bob, bench.receive(bob, offerOf(...joins)))).toHaveLength(joins.length)
    bench.receive(alice, { offer: { items: pack(lies) } })
    bench.receive(bob, facts(joins.slice(1), true))
    // Facts that honest members offered stay requested, and the request goes to the next peer.
    bench.receive(carol, offerOf(...joins))
    expect(asked(carol, bench.advance(askAgain))).toEqual(positions(joins.slice(0, 1)))
  })
})

describe('many offers', () => {
  const pauses = (effects: readonly Effect[]): number => effects.filter(({ type }) => type === 'pause').length
  const manyItems = (first: number) =>
    pack(Array.from({ length: askedOfOne }, (_, i) => ({ position: (first * askedOfOne + i) * 7919, version: 1 })))

  it.each([
    ['a member', alice],
    ['a peer that never joined', crowd[0] as Actor],
  ])('of %s slow it down, and then count for nothing', (_, peer) => {
    bench.link(peer)
    bench.advance(120_000)
    let frames = 0
    // Sixteen items cost as much as one range, and ten seconds' worth of 5,000 ranges come at once.
    while (pauses(bench.receive(peer, { offer: { items: manyItems(frames) } })) === 0 && frames < 1_000) frames += 1
    expect(frames).toBe(Math.floor((5_000 * 10 * 16) / askedOfOne))
    for (let i = 0; i <= frames; i++) bench.receive(peer, { offer: { items: manyItems(0) } })
    expect(bench.receive(peer, { offer: { items: manyItems(0) } })).toEqual([])
  })

  it('of few items slow nobody down', () => {
    bench.advance(120_000)
    for (let second = 0; second < 100; second++) {
      expect(pauses(bench.receive(alice, { offer: { items: manyItems(second) } }))).toBe(0)
      bench.advance(1_000)
    }
  })
})

describe('an answer to a request', () => {
  it('has the size of a page, and offers the remaining facts', () => {
    const large = actors(400, 9).map((actor) => actor.joined({ tag: new Uint8Array(1_000) }))
    bench.receive(alice, facts(large.slice(0, 200)))
    bench.receive(alice, facts(large.slice(200)))
    const waiting = new Set(large.map((statement) => itemOf(statement).position))
    let pages = 0
    let items = large.map(itemOf)
    for (; waiting.size > 0 && pages < 10; pages++) {
      const effects = bench.receive(bob, { want: { items: pack(items) } })
      const bytes = effects.reduce((sum, effect) => sum + (effect.type === 'send' && effect.to === bob.id ? effect.data.length : 0), 0)
      expect(bytes).toBeLessThan(pageBytes * 1.1)
      for (const { facts: told } of framesTo(bob.id, effects))
        for (const { statement } of told?.facts ?? []) if (statement !== undefined) waiting.delete(itemOf(bob.read(statement)).position)
      items = framesTo(bob.id, effects).flatMap(({ offer }) => (offer === undefined ? [] : unpack(offer.items)))
    }
    expect([waiting.size, pages]).toEqual([0, 2])
  })

  it('that offers the remaining facts again leads to a request for them', () => {
    const joins = crowd.map((actor) => actor.joined())
    bench.receive(alice, offerOf(...joins))
    bench.receive(alice, facts(joins.slice(0, 10), true))
    expect(asked(alice, bench.receive(alice, offerOf(...joins.slice(10)))).sort(ascending)).toEqual(positions(joins.slice(10)))
  })
})
