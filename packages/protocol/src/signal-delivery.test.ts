import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, type Actor } from '../test/actors.ts'
import { Bench, framesTo } from '../test/bench.ts'
import type { Effect } from './base/effect.ts'
import type { Notification } from './base/notification.ts'
import type { NodeId } from './base/values.ts'

const [self, alice, bob, carol, stranger] = actors(5) as [Actor, Actor, Actor, Actor, Actor]

let bench: Bench

beforeEach(() => {
  bench = new Bench(self)
  for (const actor of [alice, bob]) bench.meet(actor)
  bench.meet(carol, { linked: false })
})

const signal = (to: readonly NodeId[], ref = 7, name = 'go'): Effect[] =>
  bench.input({ type: 'command', command: { type: 'signal', ref, name, to } })
const of = <T extends Notification['type']>(type: T): Extract<Notification, { type: T }>[] =>
  bench.notifications.filter((notification): notification is Extract<Notification, { type: T }> => notification.type === type)
const ends = (): unknown[] => of('signalled').map(({ ref, delivered, failed }) => ({ ref, delivered, failed }))
/** Returns the references of sent signals. */
const references = (actor: Actor, effects: readonly Effect[]): number[] =>
  framesTo(actor.id, effects).flatMap((frame) => frame.signal?.reference ?? [])
const acknowledge = (from: Actor, [reference = Number.NaN]: readonly number[]): Effect[] =>
  bench.receive(from, { signalAck: { reference } })

describe('a signal', () => {
  it('is delivered once each receiver has acknowledged it', () => {
    const effects = signal([alice.id, bob.id])
    const sent = references(alice, effects)
    for (const actor of [alice, bob])
      expect(framesTo(actor.id, effects).flatMap((frame) => frame.signal ?? [])).toEqual([{ reference: sent[0], name: 'go' }])
    acknowledge(alice, sent)
    acknowledge(alice, sent)
    expect(ends()).toEqual([])
    acknowledge(bob, sent)
    expect(ends()).toEqual([{ ref: 7, delivered: [alice.id, bob.id], failed: [] }])
  })

  it('opens a link of its own if there is none yet', () => {
    expect(signal([carol.id])).toContainEqual(expect.objectContaining({ type: 'connect', peer: carol.id }))
    const sent = references(carol, bench.link(carol))
    expect(sent).toHaveLength(1)
    acknowledge(carol, sent)
    expect(ends()).toEqual([{ ref: 7, delivered: [carol.id], failed: [] }])
  })

  it("fails if the receiver is no member, can't be reached, or is gone", () => {
    signal([stranger.id])
    expect(ends()).toEqual([{ ref: 7, delivered: [], failed: [stranger.id] }])
    bench.reach.set(carol.id, 'silent')
    signal([carol.id, alice.id], 8)
    bench.receive(bob, facts([alice.left()]))
    expect(ends().at(-1)).toEqual({ ref: 8, delivered: [], failed: [carol.id, alice.id] })
  })

  it('fails if the receiver does not answer in time', () => {
    const sent = references(bob, signal([alice.id, bob.id]))
    acknowledge(bob, sent)
    bench.advance(bench.config.limits.signalTimeout - 1)
    expect(ends()).toEqual([])
    bench.advance(1)
    expect(ends()).toEqual([{ ref: 7, delivered: [bob.id], failed: [alice.id] }])
    acknowledge(alice, sent)
    expect(ends().length).toBe(1)
  })

  it('to this node itself arrives, and one to nobody ends', () => {
    signal([self.id])
    expect(of('signal').map(({ name, from }) => [name, from.id])).toEqual([['go', self.id]])
    signal([], 9)
    expect(ends()).toEqual([
      { ref: 7, delivered: [self.id], failed: [] },
      { ref: 9, delivered: [], failed: [] },
    ])
  })

  it('to one member twice is sent once', () => {
    const sent = references(alice, signal([alice.id, alice.id]))
    expect(sent).toHaveLength(1)
    acknowledge(alice, sent)
    expect(ends()).toEqual([{ ref: 7, delivered: [alice.id], failed: [] }])
  })

  it('is acknowledged only for its own reference, and only by its receiver', () => {
    const sent = references(alice, signal([alice.id]))
    acknowledge(bob, sent)
    acknowledge(
      alice,
      sent.map((reference) => reference + 1),
    )
    expect(ends()).toEqual([])
  })

  it('of a member is reported with its sender, and acknowledged', () => {
    const effects = bench.receive(alice, { signal: { reference: 3, name: 'halt' } })
    expect(of('signal').map(({ name, from }) => [name, from.id])).toEqual([['halt', alice.id]])
    expect(framesTo(alice.id, effects).flatMap((frame) => frame.signalAck ?? [])).toEqual([{ reference: 3 }])
  })

  it('is reported once, however often it comes, and acknowledged each time', () => {
    for (const _ of [1, 2]) {
      const effects = bench.receive(alice, { signal: { reference: 3, name: 'halt' } })
      expect(framesTo(alice.id, effects).flatMap((frame) => frame.signalAck ?? [])).toEqual([{ reference: 3 }])
    }
    bench.receive(bob, { signal: { reference: 3, name: 'halt' } })
    bench.receive(alice, { signal: { reference: 4, name: 'halt' } })
    expect(of('signal').map(({ from }) => from.id)).toEqual([alice.id, bob.id, alice.id])
  })

  it('is remembered apart from those of other senders, so that many of one make no other be reported twice', () => {
    bench.receive(bob, { signal: { reference: 3, name: 'halt' } })
    for (let reference = 1; reference <= 1_000; reference++) {
      bench.receive(alice, { signal: { reference, name: 'noise' } })
      bench.advance(100)
    }
    bench.receive(bob, { signal: { reference: 3, name: 'halt' } })
    expect(of('signal').filter(({ from }) => from.id === bob.id).length).toBe(1)
  })

  it('is remembered among the last 256 of its sender, however many come', () => {
    const take = (reference: number): unknown => bench.receive(alice, { signal: { reference, name: 'noise' } })
    for (let reference = 1; reference <= 256; reference++) {
      take(reference)
      bench.advance(100)
    }
    take(1)
    expect(of('signal').length).toBe(256)
    take(257)
    take(1)
    expect(of('signal').length).toBe(258)
  })

  it('of another process has another reference, and the references of one process follow each other', () => {
    const [first, second] = [1, 2].map((ref) => references(alice, signal([alice.id], ref))[0] as number)
    expect(second).toBe((first as number) + 1)
    bench = new Bench(self, { seed: 2 })
    bench.meet(alice)
    expect([first, second]).not.toContain(references(alice, signal([alice.id], 1))[0])
  })

  it('from the next process of its sender is a new one, as a process of release 0.1.0 counts from one', () => {
    bench.receive(alice, { signal: { reference: 1, name: 'go' } })
    alice.incarnation = 2
    bench.receive(alice, facts([alice.joined({ nonce: 8 })]))
    bench.receive(alice, { signal: { reference: 1, name: 'go' } })
    alice.incarnation = 1
    expect(of('signal').map(({ from }) => from.incarnation)).toEqual([1, 2])
  })

  it("repeated in its sender's next life, as the acknowledgement was lost, is reported once", () => {
    const told = (): number => of('signal').length
    bench.receive(alice, { signal: { reference: 1, name: 'go' } })
    bench.receive(bob, facts([alice.left()]))
    bench.receive(alice, facts([alice.joined({ incarnation: 2 })]))
    bench.receive(alice, { signal: { reference: 1, name: 'go' } })
    expect(told()).toBe(1)
  })

  it('from a stranger is ignored', () => {
    bench.link(stranger, { incarnation: 0 })
    const effects = bench.receive(stranger, { signal: { reference: 3, name: 'halt' } })
    expect(of('signal')).toEqual([])
    expect(framesTo(stranger.id, effects)).toEqual([])
  })
})
