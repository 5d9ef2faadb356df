import { beforeEach, describe, expect, it } from 'vitest'
import { actors, calendar, facts, type Actor } from '../../test/actors.ts'
import { Bench } from '../../test/bench.ts'
import type { Effect } from '../base/effect.ts'
import type { QueryTerms } from '../base/input.ts'
import type { Notification } from '../base/notification.ts'
import { encodeEvent, eventName } from '../facts/event.ts'
import type { RecordContent, Statement } from '../facts/statement.ts'

const [self, alice, bob, stranger] = actors(4) as [Actor, Actor, Actor, Actor]
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

let bench: Bench
let sent = 0

beforeEach(() => {
  bench = new Bench(self)
  for (const actor of [alice, bob]) bench.meet(actor)
  bench.advance(1_000)
})

/** Returns an event of this actor. */
function event(owner: Actor, name: string, payload = '', query?: QueryTerms, lifetime = 600_000): Statement<RecordContent> {
  const version = calendar + ++sent
  return owner.publishes(eventName(version), { version, expires: bench.today + lifetime, value: encodeEvent(name, bytes(payload), query) })
}

const broadcast = (name: string, payload = '', query?: QueryTerms): Effect[] =>
  bench.input({ type: 'command', command: { type: 'broadcast', name, payload: bytes(payload), ...(query && { query }) } })
type AgedFact = Extract<Notification, { type: 'event' | 'query' }>
const told = (): AgedFact[] => bench.notifications.filter((each) => each.type === 'event' || each.type === 'query')
const names = (): string[] => told().map(({ name, from }) => `${name} of ${from.id}`)

describe('an event', () => {
  it('is reported here and sent to all, and is no record for the application', () => {
    broadcast('deploy', 'v2')
    expect(told()).toEqual([{ type: 'event', name: 'deploy', payload: bytes('v2'), from: bench.node.self }])
    expect(bench.node.records()).toEqual([])
    expect(bench.notifications.some(({ type }) => type === 'record')).toBe(false)
    const other = new Bench(alice)
    other.meet(self)
    for (const effect of bench.advance(3_000)) if (effect.type === 'broadcast') expect(other.broadcast(effect.data)).toBe('accept')
    expect(other.notifications).toContainEqual({ type: 'event', name: 'deploy', payload: bytes('v2'), from: other.node.member(self.id) })
  })

  it('by a member is reported once, however often and in whatever version it comes', () => {
    const one = event(alice, 'go')
    const again = alice.publishes(one.content.name, { ...one.content, version: one.content.version + 1 })
    for (const statement of [one, one, again]) bench.receive(bob, facts([statement]))
    bench.overhears(one)
    expect(names()).toEqual([`go of ${alice.id}`])
  })

  it('by an unknown member is reported once that member is known; by a stranger, never', () => {
    bench.receive(alice, facts([event(stranger, 'go')]))
    expect(names()).toEqual([])
    bench.advance(10_000)
    bench.meet(stranger)
    expect(names()).toEqual([`go of ${stranger.id}`])
  })

  it('by a member that has left since is reported', () => {
    bench.receive(alice, facts([alice.left()]))
    bench.receive(bob, facts([event(alice, 'bye')]))
    expect(names()).toEqual([`bye of ${alice.id}`])
  })

  it('from before this node entered is not reported', () => {
    const newcomer = new Bench(self, { introducers: [{ id: alice.id, address: Uint8Array.of(1) }] })
    newcomer.reconciles = false
    newcomer.link(alice)
    newcomer.receive(alice, facts([alice.joined(), event(alice, 'old')]))
    expect(newcomer.node.self).toBeDefined()
    newcomer.receive(alice, { reconcile: { round: 2, ranges: [] } })
    newcomer.receive(alice, facts([event(alice, 'new')]))
    expect(newcomer.notifications.flatMap((each) => (each.type === 'event' ? [each.name] : []))).toEqual(['new'])
  })

  it('above the bound evicts the oldest of the author with most, is reported, and takes no room of records', () => {
    bench = new Bench(self, { config: { limits: { events: 4, records: 4 } } })
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.receive(alice, facts([alice.publishes('job', { expires: bench.today + 60_000 })]))
    bench.receive(bob, facts([event(bob, 'modest')]))
    const flood = Array.from({ length: 10 }, (_, i) => event(alice, `flood ${i}`))
    for (const statement of flood) bench.receive(alice, facts([statement]))
    expect(told()).toHaveLength(11)
    // Evicted events are not delivered again.
    for (const statement of flood) bench.receive(bob, facts([statement]))
    expect(told()).toHaveLength(11)
    expect(bench.node.records().map(({ name }) => name)).toEqual(['job'])
  })

  it('ends after its time, and no event lives longer than the bound', () => {
    bench.receive(alice, facts([event(alice, 'long', '', undefined, 3_600_000)]))
    expect(names()).toEqual([])
    const before = bench.node.fingerprint.count
    broadcast('go')
    expect(bench.node.fingerprint.count).toBe(before + 1)
    bench.advance(661_000)
    expect(bench.node.fingerprint.count).toBe(before)
  })

  it.each([
    ['an empty name', '', 0],
    ['a payload that is too long', 'go', 1_025],
  ])('with %s is refused', (_, name, length) => {
    expect(() => broadcast(name, 'x'.repeat(length))).toThrow(RangeError)
  })

  it('that breaks a bound is an offence of the peer that passes it on, and is not reported', () => {
    const version = calendar + ++sent
    const bad = alice.publishes(eventName(version), { version, value: bytes('no event') })
    bench.receive(bob, facts([bad]))
    bench.receive(bob, facts([event(alice, 'go', 'x'.repeat(1_100))]))
    expect(names()).toEqual([])
    expect(bench.notifications.filter((each) => each.type === 'warning' && each.code === 'PEER_MISBEHAVED')).toHaveLength(2)
  })
})

describe('a query', () => {
  it('is reported with the number of asked members, and only to those', () => {
    broadcast('load', '', { id: 5, timeout: 1_000 })
    bench.receive(alice, facts([event(alice, 'load', 'now', { id: 7, timeout: 2_000, to: [self.id, bob.id] })]))
    bench.receive(alice, facts([event(alice, 'load', 'other', { id: 8, timeout: 2_000, to: [bob.id] })]))
    expect(told()).toEqual([
      { type: 'query', name: 'load', payload: bytes(''), from: bench.node.self, id: 5, timeout: 1_000, asked: 3 },
      { type: 'query', name: 'load', payload: bytes('now'), from: bench.node.member(alice.id), id: 7, timeout: 2_000, asked: 2 },
    ])
  })

  it.each([
    ['no time', { id: 1, timeout: 0 }],
    ['too much time', { id: 1, timeout: 600_001 }],
    ['too many members', { id: 1, timeout: 1_000, to: Array.from({ length: 257 }, () => alice.id) }],
  ])('with %s is refused', (_, query) => {
    expect(() => broadcast('load', '', query)).toThrow(RangeError)
  })
})
