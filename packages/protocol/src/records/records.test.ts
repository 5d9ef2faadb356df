import { beforeEach, describe, expect, it } from 'vitest'
import { actors, calendar, facts, forged, seal, type Actor } from '../../test/actors.ts'
import { Bench, framesTo } from '../../test/bench.ts'
import type { Effect } from '../base/effect.ts'
import type { Command, Owner } from '../base/input.ts'
import type { PoolRecord } from '../base/values.ts'
import type { Statement } from '../facts/statement.ts'
import * as wire from '../wire/messages.js'

const [self, alice, bob, stranger] = actors(4) as [Actor, Actor, Actor, Actor]
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (record: PoolRecord | undefined): string => new TextDecoder().decode(record?.value)

let bench: Bench

beforeEach(() => {
  bench = new Bench(self)
  for (const actor of [alice, bob]) bench.meet(actor)
})

const command = (said: Command): Effect[] => bench.input({ type: 'command', command: said })
const publish = (name: string, value = 'value', lifetime = 60_000, owner?: Owner): Effect[] =>
  command({ type: 'publish', name, value: bytes(value), lifetime, ...(owner && { owner }) })
const names = (prefix?: string): string[] => bench.node.records(prefix).map(({ name }) => name)
const told = (): PoolRecord[] => bench.notifications.flatMap((each) => (each.type === 'record' ? [each.record] : []))
const hear = (...statements: readonly Statement[]): Effect[] => bench.receive(alice, facts(statements, true))
/** Returns the number of facts sent to bob. */
const passedOn = (effects: readonly Effect[]): number => framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? []).length

describe('a record', () => {
  it('is published, held and sent, and found by its name', () => {
    publish('job/1', 'one')
    publish('job/2', 'two')
    publish('service', 'three')
    expect(names()).toEqual(['job/1', 'job/2', 'service'])
    expect(names('job/')).toEqual(['job/1', 'job/2'])
    expect(text(bench.node.records('job/2')[0])).toBe('two')
    // prettier-ignore
    expect(told().map(({ owner, value }) => [owner, value?.length])).toEqual([[self.id, 3], [self.id, 3], [self.id, 5]])
    const effects = bench.advance(2_000)
    expect(effects.some(({ type }) => type === 'broadcast') || passedOn(effects) > 0).toBe(true)
  })

  it('by others is accepted and passed on, whether its owner is a member or not', () => {
    const effects = [...hear(alice.publishes('one'), stranger.publishes('two')), ...bench.advance(2_000)]
    expect(names()).toEqual(['one', 'two'])
    expect(effects.some(({ type }) => type === 'broadcast')).toBe(true)
    expect(told().map(({ owner }) => owner)).toEqual([alice.id, stranger.id])
  })

  it('is signed with another key if one is given', () => {
    publish('job', 'mine', 60_000, { id: stranger.id, sign: (message) => seal(stranger.id, message) })
    expect(bench.node.records()[0]?.owner).toBe(stranger.id)
    const other = new Bench(alice)
    other.meet(self)
    const [sent] = bench.advance(3_000).flatMap((effect) => (effect.type === 'broadcast' ? [effect.data] : []))
    expect(sent && other.broadcast(sent)).toBe('accept')
    expect(other.node.records()[0]).toMatchObject({ name: 'job', owner: stranger.id })
  })

  it('is replaced by a later version of the same owner, and of no other', () => {
    hear(alice.publishes('job', { version: 5, value: bytes('new') }))
    hear(alice.publishes('job', { version: 4, value: bytes('old') }), bob.publishes('job', { version: 9, value: bytes('bob') }))
    const found = new Map(bench.node.records().map((record) => [record.owner, text(record)]))
    expect(found).toEqual(new Map([[alice.id, 'new'], [bob.id, 'bob']])) // prettier-ignore
  })

  it('with two contents of one version ends up the same, whichever comes first', () => {
    const two = ['x', 'y'].map((value) => alice.publishes('job', { version: 5, value: bytes(value) }))
    hear(...two)
    const other = new Bench(self)
    other.meet(alice)
    other.receive(alice, facts(two.toReversed(), true))
    expect(text(other.node.records()[0])).toBe(text(bench.node.records()[0]))
  })

  it('that is withdrawn is gone, and does not come back', () => {
    const first = alice.publishes('job', { version: 5 })
    hear(first, alice.publishes('job', { version: 6, withdrawn: true }))
    hear(first)
    expect(names()).toEqual([])
    expect(told().map(({ value }) => value === undefined)).toEqual([false, true])
    publish('own')
    command({ type: 'unpublish', name: 'own' })
    command({ type: 'unpublish', name: 'never there' })
    expect(names()).toEqual([])
    publish('own', 'again')
    expect(text(bench.node.records()[0])).toBe('again')
  })

  it('ends when its time is over, and is not accepted again', () => {
    const statement = alice.publishes('job', { expires: bench.today + 5_000 })
    hear(statement)
    bench.advance(4_900)
    expect(names()).toEqual(['job'])
    bench.advance(1_200)
    expect(names()).toEqual([])
    expect(bench.node.fingerprint.count).toBe(3)
    hear(statement)
    expect(names()).toEqual([])
  })

  it('that a briefer one replaced does not come back from a member that slept when that one ends', () => {
    const sent = (): Uint8Array => {
      const [data] = bench.advance(2_000).flatMap((effect) => (effect.type === 'broadcast' ? [effect.data] : []))
      return data as Uint8Array
    }
    publish('job', 'long', 60_000)
    const long = sent()
    publish('job', 'brief', 5_000)
    const brief = sent()
    expect(bench.node.records()[0]).toMatchObject({ expires: bench.today + 3_000 })
    bench.advance(4_000)
    expect(names()).toEqual([])
    const reports = told().length
    command({ type: 'unpublish', name: 'job' })
    expect(told()).toHaveLength(reports)

    const slept = new Bench(alice)
    slept.meet(self)
    slept.advance(bench.now - slept.now)
    slept.broadcast(long)
    expect(text(slept.node.records()[0])).toBe('long')
    slept.broadcast(brief)
    slept.broadcast(long)
    expect(slept.node.records()).toEqual([])
    const last = slept.notifications.findLast((each) => each.type === 'record')
    expect(last?.record).toMatchObject({ name: 'job', value: undefined })
    // A newcomer gets no report of a record that it never saw.
    const newcomer = new Bench(alice)
    newcomer.meet(self)
    newcomer.advance(bench.now - newcomer.now)
    newcomer.broadcast(brief)
    expect([newcomer.node.fingerprint.count, newcomer.notifications.some(({ type }) => type === 'record')]).toEqual([3, false])
    newcomer.broadcast(long)
    expect(newcomer.node.records()).toEqual([])
    // Once the long one has expired too, nobody keeps either.
    const count = bench.node.fingerprint.count
    bench.advance(60_000)
    expect(bench.node.fingerprint.count).toBe(count - 1)
  })

  it('that a briefer one replaced keeps its place for a day at most', () => {
    const { healing } = bench.config
    publish('job', 'long', 10 * healing.memory)
    publish('job', 'brief', 5_000)
    publish('withdrawn', 'long', 10 * healing.memory)
    command({ type: 'unpublish', name: 'withdrawn' })
    const records = (): number => bench.node.recordFrames().flatMap((data) => wire.Frame.decode(data).facts?.facts ?? []).length
    expect(records()).toBe(2)
    bench.skew = healing.memory + 200_000
    bench.advance(61_000)
    expect(records()).toBe(2)
    bench.skew = healing.memory + 400_000
    bench.advance(61_000)
    expect(records()).toBe(1)
    expect(names()).toEqual([])
  })

  it('in a full pool goes with all its versions: the earlier one does not come back', () => {
    bench = new Bench(self, { config: { limits: { records: 4 } } })
    bench.meet(alice)
    const mine = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => bob.publishes(name, { version: 1 }))
    hear(...mine)
    const kept = names()
    expect(kept).toHaveLength(4)
    const brief = bob.publishes(kept[0] as string, { version: 2, ends: bench.today + 1_000 })
    hear(brief)
    hear(alice.publishes('new'))
    bench.advance(2_000)
    hear(...mine)
    expect(names()).not.toContain(kept[0])
  })

  it('ends within a minute after the calendar was set forward', () => {
    hear(alice.publishes('job', { expires: bench.today + 3_600_000 }))
    bench.skew = 4_000_000
    expect(names()).toEqual([])
    bench.advance(61_000)
    expect(bench.node.fingerprint.count).toBe(3)
  })

  it("continues above its owner's earlier version, though the owner forgot it", () => {
    publish('job', 'one')
    const before = bench.node.records()[0]?.version ?? 0
    const again = new Bench(self)
    again.now += 10
    again.advance(10)
    again.input({ type: 'command', command: { type: 'publish', name: 'job', value: bytes('two'), lifetime: 1_000 } })
    expect(again.node.records()[0]?.version).toBeGreaterThan(before)
  })
})

describe('after all nodes of a pool were off', () => {
  it('a record is there with its owner and dates, and one that was withdrawn is not', () => {
    hear(alice.publishes('job'), stranger.publishes('two', { expires: bench.today + 5_000 }), bob.publishes('gone', { version: 5 }))
    const former = bob.publishes('gone', { version: 5 })
    hear(bob.publishes('gone', { version: 6, withdrawn: true }))
    const [known] = bench.node.records('job')
    const again = new Bench(self, { saved: { records: bench.node.recordFrames(), at: bench.today } })
    expect(again.node.records()).toEqual(bench.node.records())
    expect(again.node.records('job')).toEqual([known])
    again.meet(bob)
    again.receive(bob, facts([former]))
    expect(again.node.records('gone')).toEqual([])
    again.advance(5_100)
    expect(again.node.records('two')).toEqual([])
  })

  it.each([
    ['that went on without the node are dropped: the pool knows better', 20, 3_600_000, []],
    ['that was off as a whole count', 20, 60_000, ['job']],
    ['count after a brief absence', 5, 3_600_000, ['job']],
  ])('its own records of a pool %s', (_, minutes, age, left) => {
    hear(alice.publishes('job'))
    const saved = { records: bench.node.recordFrames(), at: bench.today - minutes * 60_000 }
    const again = new Bench(self, { introducers: [{ id: bob.id, address: Uint8Array.of(1) }], saved })
    expect(again.node.records()).toEqual([])
    again.link(bob)
    again.receive(bob, facts([bob.joined({ joinedAt: bench.today - age })]))
    again.receive(bob, { reconcile: { round: 2, ranges: [] } })
    again.advance(10_000)
    expect(again.node.records().map(({ name }) => name)).toEqual(left)
  })

  it('records of the future by the calendar of the node are left out, with a warning', () => {
    const late = alice.publishes('job', { expires: bench.today + bench.config.limits.recordLifetime + 3_600_000 })
    const saved = { records: [wire.Frame.encode(facts([late]))], at: bench.today }
    const again = new Bench(self, { saved })
    expect(again.node.records()).toEqual([])
    expect(again.notifications).toContainEqual(expect.objectContaining({ type: 'warning', code: 'RECORDS_FILE' }))
  })

  it('a forged record, noise, and other facts are left out, with one warning', () => {
    hear(alice.publishes('good'))
    const frame = (statement: Statement): Uint8Array => wire.Frame.encode(facts([statement]))
    const records = [
      ...bench.node.recordFrames(),
      frame(forged(alice.publishes('forged'))),
      frame(bob.joined()),
      Uint8Array.of(255, 255, 1),
      new Uint8Array(0),
    ]
    const again = new Bench(self, { saved: { records, at: bench.today } })
    expect(again.node.records().map(({ name }) => name)).toEqual(['good'])
    expect(again.node.member(bob.id)).toBeUndefined()
    const warnings = again.notifications.flatMap((each) => (each.type === 'warning' ? [each] : []))
    expect(warnings).toMatchObject([{ code: 'RECORDS_FILE', message: expect.stringContaining('4 of 5') }])
  })
})

describe('of hostile records', () => {
  it('one that never ends, or has a forged signature, is not held', () => {
    hear(alice.publishes('for ever', { expires: calendar + 10 * bench.config.limits.recordLifetime }))
    expect(names()).toEqual([])
    hear(forged(alice.publishes('forged')))
    expect(names()).toEqual([])
    expect(bench.notifications.some((each) => each.type === 'warning' && each.code === 'PEER_MISBEHAVED')).toBe(true)
  })

  it('at most the allowed number is held, and owners of few lose none', () => {
    bench = new Bench(self, { config: { limits: { records: 20, bootstrapTime: 0 } } })
    for (const actor of [alice, bob]) bench.meet(actor)
    publish('mine')
    hear(bob.publishes('his'))
    for (let i = 0; i < 40; i++) hear(stranger.publishes(`flood ${i}`))
    bench.advance(20_000)
    expect(bench.node.records()).toHaveLength(20)
    expect(names()).toContain('mine')
    expect(names()).toContain('his')
  })

  it('earlier ones make way for records of owners that have fewer', () => {
    bench = new Bench(self, { config: { limits: { records: 20 } } })
    for (const actor of [alice, bob]) bench.meet(actor)
    hear(...Array.from({ length: 40 }, (_, i) => stranger.publishes(`flood ${i}`)))
    hear(bob.publishes('his'))
    publish('mine')
    expect(bench.node.records()).toHaveLength(20)
    expect(names()).toContain('mine')
    expect(names()).toContain('his')
    // The notifications lead to the same records.
    const held = new Map<string, PoolRecord>()
    for (const record of told()) {
      if (record.value === undefined) held.delete(record.name)
      else held.set(record.name, record)
    }
    expect([...held.keys()].toSorted((a, b) => (a < b ? -1 : 1))).toEqual(names())
  })

  it('few of strangers are accepted at once, over a link and on the topic, but all of members', () => {
    bench = new Bench(self, { config: { limits: { bootstrapTime: 0 } } })
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.advance(70_000)
    const expires = bench.today + 3_600_000
    const made = (prefix: string, owner: Actor): Statement[] =>
      Array.from({ length: 80 }, (_, i) => owner.publishes(`${prefix} ${i}`, { expires }))
    hear(...made('link', stranger))
    expect(names('link').length).toBeLessThanOrEqual(50)
    for (const statement of made('topic', stranger)) bench.overhears(statement)
    expect(names('topic').length).toBeLessThanOrEqual(50)
    hear(...made('member', alice))
    expect(names('member')).toHaveLength(80)
  })

  it('an owner above its share gets a warning, and keeps its former records', () => {
    bench = new Bench(self, { config: { limits: { records: 2 } } })
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) publish(name)
    expect(names()).toEqual(['a', 'b'])
    publish('a', 'changed')
    expect(text(bench.node.records('a')[0])).toBe('changed')
    expect(bench.notifications.filter((each) => each.type === 'warning' && each.code === 'RECORDS_FULL')).toHaveLength(1)
  })
})

it.each([
  ['an empty name', '', 'v', 1_000],
  ['a value that is too long', 'a', 'x'.repeat(1_025), 1_000],
  ['no lifetime', 'a', 'v', 0],
  ['a lifetime that is too long', 'a', 'v', 1e12],
  ['a lifetime that is no number', 'a', 'v', Number.NaN],
])('%s is refused', (_, name, value, lifetime) => {
  expect(() => publish(name, value, lifetime)).toThrow(RangeError)
  expect(names()).toEqual([])
})
