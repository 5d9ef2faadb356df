import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Actor, actors, pool, servicesOf } from '../../test/actors.ts'
import { makeConfig } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import { Context } from '../context/context.ts'
import { Link } from '../context/links.ts'
import { Fact } from '../facts/fact.ts'
import { readFact } from '../frames/protobuf-codec.ts'
import { factBytes } from '../frames/encoded-size.ts'
import * as wire from '../wire/messages.js'
import { pageBytes, pageItems } from './page.ts'
import { fanout, list } from './range-reconciliation.ts'
import { intervalMax, intervals, oneAtATime, AntiEntropy, timeout } from './anti-entropy.ts'

const config = makeConfig()
const [alice, bob, carol] = actors(3) as [Actor, Actor, Actor]

/** Facts that differ in key and version. Their content does not matter here. */
const author = new Actor(alice.id)
const keyOf = (fact: { statement?: wire.Statement | undefined }): string => `k${fact.statement?.body.join('.')}`
const library = new Map<string, Fact>()
function fact(name: number, version = 0): Fact {
  const id = `${name}:${version}`
  let known = library.get(id)
  if (known === undefined) {
    const body = new TextEncoder().encode(`fact ${name}`)
    const statement = author.says(1000 + version, body)
    known = placed(new Fact(keyOf({ statement: { ...statement, signer: new Uint8Array(32), body } as wire.Statement }), { statement }))
    library.set(id, known)
  }
  return known
}

/** Facts with names from here on have one position. */
const crowded = 1_000_000
function placed(item: Fact): Fact {
  const text = 'statement' in item.content ? new TextDecoder().decode(item.content.statement.body) : ''
  return Number(text.slice(5)) < crowded ? item : Object.defineProperty<Fact>(item, 'position', { value: 2 ** 40 })
}

class Side {
  readonly context: Context<Uint8Array>
  readonly reconciler: AntiEntropy
  /** Bytes and messages that this side sent. */
  bytes = 0
  messages = 0
  /** Maximum number of bytes sent in one turn. */
  largest = 0

  constructor(self: Actor, peer: Actor, facts: readonly Fact[] = [], settings = config) {
    this.context = new Context({ id: self.id, pool, config: settings, services: servicesOf(self.id) })
    this.context.links.set(peer.id, new Link(peer.id, true, 0))
    this.reconciler = new AntiEntropy(this.context)
    for (const item of facts) this.context.facts.put(item)
  }

  get completed(): number {
    return this.context.outcomes.length
  }

  /** Returns the frames to be sent. */
  take(): wire.Frame[] {
    const { effects } = this.context
    this.context.effects = []
    const sent = effects.reduce((sum, effect) => sum + (effect.type === 'send' ? effect.data.length : 0), 0)
    this.largest = Math.max(this.largest, sent)
    return effects.flatMap((effect) => {
      if (effect.type !== 'send') return []
      expect(effect.data.length).toBeLessThanOrEqual(config.limits.frameBytes)
      this.bytes += effect.data.length
      this.messages += 1
      return [wire.Frame.decode(effect.data)]
    })
  }

  hear(from: Actor, frame: wire.Frame): void {
    if (frame.reconcile !== undefined) this.reconciler.receive(from.id, frame.reconcile)
    for (const message of frame.facts?.facts ?? []) {
      const { fact } = readFact(message, config.limits)
      const item = placed(new Fact(keyOf(message), fact.content))
      const present = this.context.facts.get(item.key)
      // As in any merge, one version wins. Both sides choose the same.
      if (present === undefined || present.low < item.low) this.context.facts.put(item)
    }
  }

  get state(): unknown {
    return this.context.facts.ranges.range(0, hashSpace).map(({ key, low }) => `${key}:${low}`)
  }
}

/** Runs one reconciliation between two sides. The first side begins it. */
function reconcile(one: Side, other: Side): { rounds: number; bytes: number } {
  one.reconciler.begin(bob.id)
  let rounds = 0
  for (;;) {
    const there = one.take()
    for (const frame of there) other.hear(alice, frame)
    const back = other.take()
    for (const frame of back) one.hear(bob, frame)
    if (there.length + back.length === 0) return { rounds, bytes: one.bytes + other.bytes }
    rounds += 2
    expect(rounds).toBeLessThan(100)
  }
}

function pair(mine: readonly Fact[], theirs: readonly Fact[]): [Side, Side] {
  return [new Side(alice, bob, mine), new Side(bob, alice, theirs)]
}

/**
 * Bytes for each difference: the facts themselves, the fingerprints on the way to them, and at the
 * end the lists of one more split range.
 */
const levels = Math.ceil(Math.log(2_000 / list) / Math.log(fanout))
const perDifference = 2 * 150 + levels * fanout * 36 + fanout * list * 12

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i)

describe('a reconciliation', () => {
  it('leaves both sides with the same facts, whatever they had before', () => {
    const names = fc.uniqueArray(fc.nat(400), { maxLength: 200 })
    fc.assert(
      fc.property(names, names, fc.uniqueArray(fc.nat(400), { maxLength: 40 }), (mine, theirs, updated) => {
        const newer = new Set(updated)
        const [one, other] = pair(
          mine.map((name) => fact(name, newer.has(name) ? 1 : 0)),
          theirs.map((name) => fact(name)),
        )
        reconcile(one, other)
        expect(other.state).toEqual(one.state)
        expect(one.context.facts.ranges.count).toBe(new Set([...mine, ...theirs]).size)
        expect([one.completed, other.completed]).toEqual([1, 1])
      }),
      { numRuns: 60 },
    )
  })

  it.each([0, 1, 10, 100])('among 2,000 facts costs bytes in proportion to the %i that differ', (different) => {
    const common = numbers(2_000).map((name) => fact(name))
    const shuffled = numbers(different, 10_000)
    const mine = shuffled.filter((_, i) => i % 2 === 0).map((name) => fact(name))
    const theirs = shuffled.filter((_, i) => i % 2 === 1).map((name) => fact(name))
    const [one, other] = pair([...common, ...mine], [...common, ...theirs])
    const { bytes, rounds } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect(bytes).toBeLessThanOrEqual(60 + different * perDifference)
    expect(rounds).toBeLessThanOrEqual(16)
  })

  it('is never called complete while facts are missing, even if a frame lacks room for all differing ranges', () => {
    const tight = makeConfig({ limits: { rangesPerFrame: 40 } })
    const mine = numbers(1_500).map((name) => fact(name))
    const theirs = numbers(1_500).map((name) => fact(name % 5 === 0 ? name + 5_000 : name))
    const one = new Side(alice, bob, mine, tight)
    const other = new Side(bob, alice, theirs, tight)
    reconcile(one, other)
    expect([one.completed, other.completed]).toEqual([1, 1])
    expect(other.state).toEqual(one.state)
  })

  it.each([
    ['a newcomer begins', true],
    ['the pool begins', false],
  ])('sends a state of any size page by page if %s', (_, newcomerBegins) => {
    const everything = numbers(8_000).map((name) => fact(name))
    const bytes = everything.reduce((sum, each) => sum + factBytes(each), 0)
    const [one, other] = newcomerBegins ? pair([fact(9_999)], everything) : pair(everything, [fact(9_999)])
    const { rounds } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect([one.completed, other.completed]).toEqual([1, 1])
    expect(bytes).toBeGreaterThan(3 * pageBytes)
    expect(rounds / 2).toBeLessThan(bytes / pageBytes + 3)
    expect(Math.max(one.largest, other.largest)).toBeLessThan(pageBytes * 1.2)
  })

  it.each([0, 10, 3_000])('ends also if more facts than a page lists have one position, and %i others another one', (others) => {
    const count = pageItems + 500
    const names = [...numbers(others), ...numbers(count, crowded)]
    const [one, other] = pair(
      names.map((name) => fact(name, name % 50 === 0 ? 1 : 0)),
      names.filter((name) => name % 7 > 0).map((name) => fact(name)),
    )
    reconcile(one, other)
    expect(new Set(other.state as string[])).toEqual(new Set(one.state as string[]))
    expect([one.completed, other.completed]).toEqual([1, 1])
  })

  it('of two large, entirely different states continues page by page, both ways', () => {
    const [one, other] = pair(
      numbers(5_000).map((name) => fact(name)),
      numbers(5_000, 5_000).map((name) => fact(name)),
    )
    const { rounds } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect(one.context.facts.ranges.count).toBe(10_000)
    expect(rounds).toBeLessThan(8 * (5_000 / pageItems + 2))
    expect(Math.max(one.largest, other.largest)).toBeLessThan(pageBytes * 1.2)
  })

  it('of a crowd of differences costs hardly more than the facts themselves', () => {
    const [one, other] = pair(
      numbers(1_000).map((name) => fact(name)),
      numbers(1_000, 5_000).map((name) => fact(name)),
    )
    const { bytes } = reconcile(one, other)
    expect(one.context.facts.ranges.count).toBe(2_000)
    expect(other.state).toEqual(one.state)
    expect(bytes).toBeLessThan(2_000 * 2 * 130)
  })

  it('does not resend a whole state for one fact with another version', () => {
    const common = numbers(2_000).map((name) => fact(name))
    const [one, other] = pair([...common, fact(9_999, 1)], [...common, fact(9_999, 0)])
    const { bytes } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect(bytes).toBeLessThan(60 + perDifference)
  })

  it.each([
    ['the newcomer begins', true],
    ['the pool begins', false],
  ])('gives a newcomer the pool in few rounds if %s', (_, newcomerBegins) => {
    const newcomer = [fact(5_000)]
    const everything = numbers(500).map((name) => fact(name))
    const [one, other] = newcomerBegins ? pair(newcomer, everything) : pair(everything, newcomer)
    const { bytes, rounds } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect(rounds).toBeLessThanOrEqual(4)
    expect(bytes).toBeLessThan(500 * 150)
  })

  it.each([
    ['the side with few facts begins', true],
    ['the side with many facts begins', false],
  ])('requests no part of facts that only one side has if %s', (_, littleBegins) => {
    const much = numbers(2_000).map((name) => fact(name))
    const little = much.slice(0, 100)
    const [one, other] = littleBegins ? pair(little, much) : pair(much, little)
    const { bytes, rounds } = reconcile(one, other)
    expect(other.state).toEqual(one.state)
    expect(rounds).toBeLessThanOrEqual(4)
    expect(bytes).toBeLessThan(1_900 * 130)
  })

  it('of two empty sides ends as well', () => {
    const [one, other] = pair([], [])
    reconcile(one, other)
    expect([one.completed, other.completed]).toEqual([1, 1])
  })

  it('with the same peer is not begun twice at a time, unless the first got no answer for long', () => {
    const [one] = pair([], [])
    one.reconciler.begin(bob.id)
    one.reconciler.begin(bob.id)
    expect(one.take().length).toBe(1)
    one.context.now += timeout
    one.reconciler.begin(bob.id)
    expect(one.take().length).toBe(1)
    one.reconciler.linkLost(bob.id)
    one.reconciler.begin(bob.id)
    expect(one.take().length).toBe(1)
  })
})

describe('the pace of reconciliation', () => {
  /** Returns the times at which reconciliations begin within a span. */
  function beginnings(side: Side, span: number): number[] {
    const times: number[] = []
    const end = side.context.now + span
    while (side.context.timers.at('reconciliation') <= end) {
      side.context.now = Math.max(side.context.now, Math.ceil(side.context.timers.at('reconciliation')))
      side.context.timers.fire(side.context.now, () => side.reconciler.due())
      for (const frame of side.take()) if (frame.reconcile?.round === 1) times.push(side.context.now)
      side.reconciler.receive(bob.id, { round: 2, ranges: [] })
    }
    return times
  }

  it('is quick after a change and slows down to the longest interval while nothing changes', () => {
    const [one] = pair([], [])
    for (const link of one.context.links.values()) link.entered = true
    one.reconciler.quicken('other')
    const times = beginnings(one, 10 * intervalMax)
    expect(times[0]).toBeLessThanOrEqual(intervals.other * 1.5)
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(intervalMax * 1.5)
    for (const gap of gaps.slice(-4)) expect(gap).toBeGreaterThanOrEqual(intervalMax * 0.5)
    const before = one.context.now
    one.reconciler.quicken('broadcast')
    const next = beginnings(one, intervalMax)[0] as number
    expect(next - before).toBeLessThanOrEqual(intervals.broadcast * 1.5)
  })

  it('begins no reconciliation while one is under way, unless that one takes long', () => {
    const [one] = pair([], [])
    one.context.links.set(carol.id, new Link(carol.id, true, 0))
    for (const link of one.context.links.values()) link.entered = true
    one.reconciler.begin(bob.id)
    const begun = one.context.now
    one.take()
    one.reconciler.quicken('other')
    const times: number[] = []
    while (times.length === 0) {
      one.context.now = Math.max(one.context.now, Math.ceil(one.context.timers.at('reconciliation')))
      one.context.timers.fire(one.context.now, () => one.reconciler.due())
      one.reconciler.quicken('other')
      times.push(...one.take().map(() => one.context.now - begun))
    }
    expect(times[0]).toBeGreaterThanOrEqual(oneAtATime)
    expect(times[0]).toBeLessThanOrEqual(oneAtATime + intervals.other * 1.5)
  })

  it('leaves out peers that have not entered', () => {
    const [one] = pair([], [])
    one.reconciler.quicken('other')
    one.context.now += 1_000
    one.reconciler.due()
    expect(one.take()).toEqual([])
  })
})

describe('a hostile reconciliation is refused and changes nothing', () => {
  const none = new Uint8Array(0)
  const bare: wire.Range = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: false }
  const facts = numbers(50).map((name) => fact(name))
  const half = hashSpace / 2

  it.each<[string, wire.Reconcile]>([
    ['a reversed range', { round: 1, ranges: [{ ...bare, from: half, to: 5, listed: true }] }],
    ['an empty range', { round: 1, ranges: [{ ...bare, from: 5, to: 5, listed: true }] }],
    ['a range beyond the space', { round: 1, ranges: [{ ...bare, to: hashSpace + 1, listed: true }] }],
    ['items cut short', { round: 1, ranges: [{ ...bare, listed: true, items: new Uint8Array(12) }] }],
    ['wanted items cut short', { round: 1, ranges: [{ ...bare, wanted: new Uint8Array(10) }] }],
    ['a fingerprint too short', { round: 1, ranges: [{ ...bare, count: facts.length, fingerprint: new Uint8Array(7) }] }],
    ['a fingerprint too long', { round: 1, ranges: [{ ...bare, count: facts.length, fingerprint: new Uint8Array(9) }] }],
    [
      'more ranges than allowed',
      { round: 1, ranges: numbers(config.limits.rangesPerFrame + 1).map((i) => ({ ...bare, from: i, to: i + 1, listed: true })) },
    ],
    // Each would have the whole state as its answer: a small frame must not buy a large answer.
    [
      'one range many times',
      {
        round: 1,
        ranges: [
          { ...bare, listed: true },
          { ...bare, listed: true },
        ],
      },
    ],
    [
      'ranges that overlap',
      {
        round: 1,
        ranges: [
          { ...bare, to: half + 1, listed: true },
          { ...bare, from: half, listed: true },
        ],
      },
    ],
  ])('%s', (_, message) => {
    const side = new Side(alice, bob, facts)
    const before = side.state
    expect(() => side.reconciler.receive(bob.id, wire.Reconcile.decode(wire.Reconcile.encode(message)))).toThrow(FrameError)
    expect(side.state).toEqual(before)
    expect(side.take()).toEqual([])
    expect(side.completed).toBe(0)
  })

  it('in any other form throws nothing but FrameError', () => {
    const place = fc.oneof(fc.constantFrom(0, half, hashSpace, 2 ** 53 - 1), fc.nat())
    const bytes = fc.uint8Array({ maxLength: 33 })
    const range = fc.record({
      from: place,
      to: place,
      count: fc.nat(100),
      fingerprint: bytes,
      items: bytes,
      wanted: bytes,
      listed: fc.boolean(),
    })
    const side = new Side(alice, bob, facts)
    const before = side.state
    fc.assert(
      fc.property(fc.nat(30), fc.array(range, { maxLength: 6 }), (round, ranges) => {
        try {
          side.reconciler.receive(bob.id, wire.Reconcile.decode(wire.Reconcile.encode({ round, ranges })))
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
        side.take()
        expect(side.state).toEqual(before)
      }),
      { numRuns: 300 },
    )
  })

  it('that never agrees is answered later and later, and by a host that does not wait not at all', () => {
    const side = new Side(
      alice,
      bob,
      numbers(5_000).map((name) => fact(name)),
    )
    let answered = 0
    for (let round = 1; round < 100_000; round += 2) {
      const lies = numbers(config.limits.rangesPerFrame).map((i) => ({
        ...bare,
        from: i * 2 ** 43,
        to: (i + 1) * 2 ** 43,
        count: 4_000,
        fingerprint: new Uint8Array(8),
      }))
      side.reconciler.receive(bob.id, { round, ranges: lies })
      const pauses = side.context.effects.filter(({ type }) => type === 'pause')
      if (side.take().length === 0) break
      answered += 1
      if (answered > 1_000) expect(pauses).not.toEqual([])
    }
    expect(answered).toBeGreaterThan(50)
    expect(answered).toBeLessThan(3_000)
  })
})
