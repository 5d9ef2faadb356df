import { describe, expect, it } from 'vitest'
import { actors, death, facts, servicesOf, wireFact, type Actor } from '../test/actors.ts'
import { Bench, broadcastsIn, changesIn, framesTo, hex, home, notificationsIn } from '../test/bench.ts'
import { makeConfig } from './base/config.ts'
import type { Effect } from './base/effect.ts'
import type { Introducer } from './base/input.ts'
import { statementToWire } from './facts/statement-codec.ts'
import { kinds } from './facts/statement.ts'
import { retryMax } from './life/introduction.ts'
import { ProtocolNode } from './node.ts'
import * as wire from './wire/messages.js'

const [self, alice, bob, carol, dave] = actors(5) as [Actor, Actor, Actor, Actor, Actor]
const crowd = actors(20, 2)
const day = 86_400_000
const door: Introducer = { id: alice.id, address: Uint8Array.of(1, 2, 3) }

describe('a node', () => {
  it.each(['', 'x'.repeat(129), 'a\nb'])('refuses %j as the name of its pool', (name) => {
    const options = {
      id: self.id,
      location: '',
      tag: new Uint8Array(0),
      storedIncarnation: 0,
      config: makeConfig(),
      services: servicesOf(self.id),
    }
    expect(() => new ProtocolNode({ ...options, pool: name })).toThrow(RangeError)
  })

  it('that founds a pool enters at once, and reports itself first', () => {
    const bench = new Bench(self, { storedIncarnation: 4 })
    expect(bench.log.slice(0, 2).map(({ effect }) => effect)).toEqual([
      { type: 'persist', incarnation: 5 },
      { type: 'notify', notification: { type: 'joined', member: bench.node.self } },
    ])
    expect(bench.node.self).toEqual({
      id: self.id,
      incarnation: 5,
      addresses: home,
      location: 'bench',
      tag: new Uint8Array(0),
      constants: new Map(),
      reach: 'direct',
      joinedAt: bench.today,
    })
  })

  it('takes no more own addresses than others would accept', () => {
    const bench = new Bench(self, { started: false })
    bench.input({
      type: 'start',
      addresses: Array.from({ length: 20 }, (_, i) => Uint8Array.of(4, 127, 0, 0, 1, 6, 0, i)),
      introducers: [],
    })
    expect(bench.node.self?.addresses.length).toBe(bench.config.limits.addresses)
  })

  it('lists its view in the order of ids', () => {
    const bench = new Bench(self)
    bench.meet(dave)
    bench.overhears(carol.joined(), alice.joined(), bob.joined())
    expect(bench.members).toEqual([self, alice, bob, carol, dave].map(({ id }) => id).sort())
  })

  it('comes to rest: without input it sets a timer only now and then', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    bench.input({ type: 'command', command: { type: 'elect', election: 'e' } })
    bench.advance(60_000)
    const before = bench.log.length
    bench.advance(60_000)
    const timers = bench.log.slice(before).filter(({ effect }) => effect.type === 'timer').length
    expect(timers).toBeLessThan(600)
  })

  it('behaves the same in every run with the same seed', () => {
    const history = (): unknown => {
      const bench = new Bench(self, { seed: 5 })
      for (const actor of [alice, bob]) bench.meet(actor)
      bench.overhears(carol.joined(), dave.joined())
      bench.advance(30_000)
      return bench.log
    }
    expect(history()).toEqual(history())
  })

  it('never lets its time run backwards', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.now = 1
    const effects = bench.receive(alice, facts([bob.joined()], true))
    for (const effect of effects) if (effect.type === 'timer') expect(effect.at).toBeGreaterThanOrEqual(10_000)
  })
})

describe('leaving', () => {
  it('sends a signed left-statement to the topic and every link, reports it, and then sends nothing more', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.advance(1_000)
    const effects = [...bench.input({ type: 'command', command: { type: 'leave' } }), ...bench.advance(20)]
    expect(changesIn(notificationsIn(effects))).toEqual([`left:${self.id}:1`])
    for (const told of [
      framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? []),
      framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? []),
      broadcastsIn(effects).flatMap((broadcast) => broadcast.facts),
    ]) {
      expect(told.map(({ statement }) => hex(statement?.signature ?? new Uint8Array(0)))).toEqual([hex(self.left(1).signature)])
    }
    expect(bench.node.self).toBeUndefined()
    expect(bench.input({ type: 'command', command: { type: 'leave' } })).toEqual([])
    expect(bench.input({ type: 'command', command: { type: 'elect', election: 'e' } })).toEqual([])
    expect(bench.input({ type: 'timer' })).toEqual([])
  })

  it('still passes on news until the host stops: other leaving members may inform nobody else', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.advance(1_000)
    bench.input({ type: 'command', command: { type: 'leave' } })
    bench.advance(20)
    const effects = [...bench.receive(alice, facts([alice.left()], true)), ...bench.advance(20)]
    expect(framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? [])).toEqual([wireFact(alice.left())])
    expect(framesTo(alice.id, effects)).toEqual([])
    expect(broadcastsIn(effects).flatMap((broadcast) => broadcast.facts)).toEqual([wireFact(alice.left())])
    expect(notificationsIn(effects)).toEqual([])
    expect(bench.receive(alice, facts([alice.left()], true))).toEqual([])
    expect(bench.receive(alice, facts([carol.joined()], false))).toEqual([])
  })

  it('in a crowd publishes nothing, and passes on left-statements to two members that stay', () => {
    const bench = new Bench(self)
    for (const actor of crowd) bench.meet(actor)
    const leavers = crowd.slice(0, 10)
    bench.input({ type: 'command', command: { type: 'leave' } })
    const effects = leavers.flatMap((actor) => bench.receive(actor, facts([actor.left()], true)))
    effects.push(...bench.advance(100))
    expect(broadcastsIn(effects)).toEqual([])
    const told = crowd.map((actor) => framesTo(actor.id, effects).flatMap((frame) => frame.facts?.facts ?? []).length)
    expect(told.slice(0, 4)).toEqual([0, 0, 0, 0])
    expect(told.filter((count) => count > 0).length).toBeGreaterThanOrEqual(2)
    for (const { left } of leavers.map((actor) => ({ left: actor.left() })))
      expect(effects.some((effect) => effect.type === 'send' && hex(effect.data).includes(hex(left.signature)))).toBe(true)
  })

  it('with a single link dials others, and waits until each has the left-statement or is unreachable', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    for (const actor of [bob, carol]) bench.meet(actor, { linked: false })
    bench.advance(1_000)
    const dialled = bench
      .input({ type: 'command', command: { type: 'leave' } })
      .flatMap((effect) => (effect.type === 'connect' ? [effect.peer] : []))
    expect(new Set(dialled)).toEqual(new Set([bob.id, carol.id]))
    expect(bench.node.isDeparting).toBe(true)
    const effects = bench.link(bob)
    expect(framesTo(bob.id, effects).flatMap((frame) => frame.facts?.facts ?? [])).toEqual([wireFact(self.left(1))])
    expect(bench.node.isDeparting).toBe(true)
    bench.input({ type: 'unreachable', peer: carol.id, addresses: [], failure: 'silent', reason: '' })
    expect(bench.node.isDeparting).toBe(false)
  })

  it('with three links dials nobody', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    bench.meet(dave, { linked: false })
    bench.advance(1_000)
    bench.input({ type: 'command', command: { type: 'leave' } })
    expect(bench.node.isDeparting).toBe(false)
  })

  it('before this node entered informs nobody', () => {
    const bench = new Bench(self, { introducers: [{ address: Uint8Array.of(1) }] })
    expect(bench.input({ type: 'command', command: { type: 'leave' } })).toEqual([])
  })
})

describe('a new tag', () => {
  const retag = (bench: Bench, tag: Uint8Array): Effect[] => bench.input({ type: 'command', command: { type: 'retag', tag } })

  it('of this node is an update within its life, sent to all once, and is kept in the next life', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    const entered = bench.node.self?.joinedAt
    bench.advance(5_000)
    const effects = retag(bench, Uint8Array.of(7))
    expect(notificationsIn(effects)).toEqual([{ type: 'updated', member: bench.node.self }])
    expect(bench.node.self).toMatchObject({ incarnation: 1, tag: Uint8Array.of(7), joinedAt: entered })
    const told = framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
    const read = told.flatMap(({ statement }) => (statement === undefined ? [] : [alice.read(statement).content]))
    expect(read).toContainEqual(expect.objectContaining({ kind: 'joined', version: 2, tag: Uint8Array.of(7), joinedAt: entered }))
    expect(notificationsIn(retag(bench, Uint8Array.of(7)))).toEqual([])
    bench.receive(alice, { hello: { known: 1, ended: true, incarnation: 1 } })
    expect(bench.node.self).toMatchObject({ incarnation: 2, tag: Uint8Array.of(7), joinedAt: bench.today })
  })

  it('passed as a Buffer is copied, so that a change of the Buffer changes no member', () => {
    const bench = new Bench(self)
    const tag = Buffer.from('before')
    retag(bench, tag)
    bench.input({ type: 'command', command: { type: 'setConstant', name: 'role', value: tag } })
    tag.fill(0)
    const member = bench.node.self
    expect([member?.tag, member?.constants.get('role')]).toEqual(Array(2).fill(new TextEncoder().encode('before')))
    expect(member?.tag.constructor).toBe(Uint8Array)
  })

  it('that nobody would accept is refused and changes nothing', () => {
    const bench = new Bench(self)
    expect(() => retag(bench, new Uint8Array(1_025))).toThrow(RangeError)
    expect(bench.node.self?.tag).toEqual(new Uint8Array(0))
  })
})

describe('a calendar', () => {
  const minute = 60_000
  const warned = (apart: readonly number[], areMembers = true): string[] => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.reconciles = false
    apart.forEach((minutes, i) => {
      const actor = [bob, carol, dave][i] as Actor
      bench.input({ type: 'connected', peer: actor.id, dialable: true })
      bench.receive(actor, { hello: { known: 0, ended: false, incarnation: 1, today: bench.today + minutes * minute } })
      if (areMembers) bench.receive(actor, facts([actor.joined()]))
      bench.receive(actor, { reconcile: { round: 2, ranges: [] } })
    })
    return bench.notifications.flatMap((each) => (each.type === 'warning' ? [`${each.code}: ${each.message}`] : []))
  }

  it("minutes apart from that of a peer causes one warning; each hello contains the sender's own", () => {
    expect(warned([1, -4])).toEqual([])
    expect(warned([0, 7, 8])).toEqual([
      expect.stringMatching(new RegExp(`^CALENDARS_DIFFER: the calendar of ${carol.id} is 7 minutes ahead`, 'u')),
    ])
    expect(warned([-6])).toEqual([expect.stringContaining('6 minutes behind')])
    expect(warned([7], false)).toEqual([])
    const bench = new Bench(self)
    const effects = bench.link(alice)
    expect(framesTo(alice.id, effects).find(({ hello }) => hello !== undefined)?.hello?.today).toBe(bench.today)
  })
})

describe('a constant', () => {
  const set = (bench: Bench, name: string, value?: Uint8Array): Effect[] =>
    bench.input({ type: 'command', command: { type: 'setConstant', name, ...(value && { value }) } })
  const [one, two] = [Uint8Array.of(1), Uint8Array.of(2)]

  it('of this node is an update within its life, sent to all once with the others, and kept in the next life', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.advance(5_000)
    set(bench, 'jel.b', two)
    const effects = set(bench, 'jel.a', one)
    expect(notificationsIn(effects)).toEqual([{ type: 'updated', member: bench.node.self }])
    const told = framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
    const read = told.flatMap(({ statement }) => (statement === undefined ? [] : [alice.read(statement).content]))
    const constants = new Map([
      ['jel.a', one],
      ['jel.b', two],
    ])
    expect(read).toContainEqual(expect.objectContaining({ kind: 'joined', version: 3, constants }))
    expect(set(bench, 'jel.a', one)).toEqual([])
    bench.receive(alice, { hello: { known: 1, ended: true, incarnation: 1 } })
    expect(bench.node.self).toMatchObject({ incarnation: 2, constants })
    set(bench, 'jel.a')
    expect(bench.node.self?.constants).toEqual(new Map([['jel.b', two]]))
    expect(set(bench, 'jel.a')).toEqual([])
  })

  it('that nobody would accept is refused and changes nothing', () => {
    const bench = new Bench(self)
    set(bench, 'a', new Uint8Array(300))
    expect(() => set(bench, 'b', new Uint8Array(300))).toThrow('at most 512 bytes')
    expect(() => set(bench, '', one)).toThrow(RangeError)
    set(bench, 'a', new Uint8Array(511))
    expect(bench.node.self?.constants.size).toBe(1)
  })
})

describe('new addresses', () => {
  const moved = [Uint8Array.of(4, 10, 0, 0, 1, 6, 0, 80)]
  const changesOf = (effects: readonly Effect[]): string[] =>
    notificationsIn(effects).map((notification) =>
      'member' in notification ? `${notification.type}:${notification.member.id}:${notification.member.incarnation}` : notification.type,
    )

  it('of this node are an update within its life, sent to all once', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    const effects = bench.input({ type: 'addresses', addresses: moved })
    expect(changesOf(effects)).toEqual([`updated:${self.id}:1`])
    expect(bench.node.self).toMatchObject({ addresses: moved, incarnation: 1 })
    expect(effects.some(({ type }) => type === 'persist')).toBe(false)
    const told = [...effects, ...bench.advance(2_000)]
    const statements = [
      ...framesTo(alice.id, told).flatMap((frame) => frame.facts?.facts ?? []),
      ...broadcastsIn(told).flatMap(({ facts }) => facts),
    ]
    const read = statements.flatMap(({ statement }) => (statement === undefined ? [] : [alice.read(statement).content]))
    expect(read).toContainEqual(expect.objectContaining({ kind: 'joined', incarnation: 1, version: 2, addresses: moved }))
    expect(changesOf(bench.input({ type: 'addresses', addresses: moved }))).toEqual([])
  })

  it('of a member are an update as well: it keeps its life, its reign and its link', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.receive(alice, facts([alice.stands('e'), alice.claims('e', 1)]))
    bench.advance(1_000)
    const effects = bench.receive(alice, facts([alice.joined({ version: 2, addresses: moved })], true))
    expect(changesOf(effects)).toEqual([`updated:${alice.id}:1`])
    expect(bench.node.member(alice.id)).toMatchObject({ addresses: moved, incarnation: 1 })
    expect(bench.node.reign('e')?.winner.id).toBe(alice.id)
    expect(bench.node.links).toContain(alice.id)
    expect(changesOf(bench.receive(alice, facts([alice.joined(), alice.joined({ version: 2, addresses: moved })])))).toEqual([])
    expect(bench.node.member(alice.id)?.addresses).toEqual(moved)
  })

  it('of this node that others have not heard yet are no sign of another process with its key', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.advance(2_000)
    const before = bench.ownStatement()
    bench.input({ type: 'addresses', addresses: moved })
    const effects = bench.receive(alice, facts([before]))
    expect(effects.filter(({ type }) => type === 'fail')).toEqual([])
    expect(bench.node.self?.addresses).toEqual(moved)
  })
})

describe('how others reach a member', () => {
  it('is an update within its life if it changes, and part of its next life', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    expect(bench.node.self?.reach).toBe('direct')
    const told = [1, 2].map(() => notificationsIn(bench.input({ type: 'reach', reach: 'hidden' })).map(({ type }) => type))
    expect(told).toEqual([['updated'], []])
    expect(bench.node.self).toMatchObject({ reach: 'hidden', incarnation: 1 })
    bench.receive(alice, facts([death(self, [alice, bob, carol])]))
    expect(bench.node.self).toMatchObject({ reach: 'hidden', incarnation: 2 })
  })

  it('counts as hidden if a later release has a word for it that this one lacks, and as direct without a word', () => {
    const { content } = alice.joined()
    const body = (reach?: number): Uint8Array =>
      wire.Joined.encode({
        ...content,
        addresses: [],
        tag: new Uint8Array(0),
        constants: [],
        ...(reach !== undefined && { reach }),
      } as wire.Joined)
    for (const [reach, expected] of [
      [9, 'hidden'],
      [2, 'tab'],
      [undefined, 'direct'],
    ] as const)
      expect(alice.read(statementToWire(alice.says(kinds.joined, body(reach)))).content).toMatchObject({ reach: expected })
  })
})

describe('a sleep of more than a day', () => {
  function sleeper(): Bench {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    bench.reconciles = false
    return bench
  }

  it('makes a node start over: it enters anew, and reports no life twice', () => {
    const bench = sleeper()
    bench.sleep(day + 60_000)
    expect(bench.node.self?.incarnation).toBe(2)
    bench.link(alice)
    // Alice still lives, Bob came back in the meantime, Carol is gone.
    bench.receive(alice, facts([alice.joined(), bob.joined({ incarnation: 2 })]))
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    bench.advance(1_000)
    expect(bench.members).toEqual([self, alice, bob].map(({ id }) => id).sort())
    const all = bench.changes
    expect(new Set(all).size).toBe(all.length)
    expect(all.filter((change) => change.includes(alice.id))).toEqual([`joined:${alice.id}:1`])
    expect(all.filter((change) => change.includes(carol.id))).toEqual([`joined:${carol.id}:1`, `died:${carol.id}:1`])
    expect(all.filter((change) => change.includes(bob.id))).toEqual([`joined:${bob.id}:1`, `died:${bob.id}:1`, `joined:${bob.id}:2`])
    expect(all.filter((change) => change.includes(self.id))).toEqual([`joined:${self.id}:1`, `died:${self.id}:1`, `joined:${self.id}:2`])
  })

  it('makes a node put its candidacies forward anew', () => {
    const bench = sleeper()
    bench.input({ type: 'command', command: { type: 'elect', election: 'e' } })
    bench.sleep(day + 60_000)
    bench.receive(alice, facts([alice.joined(), bob.joined(), carol.joined()]))
    bench.reconciles = true
    // Others may reign, so it waits for a minute.
    bench.advance(55_000)
    expect(bench.node.reign('e')).toBeUndefined()
    bench.advance(60_000)
    expect(bench.node.reign('e')?.winner.incarnation).toBe(2)
  })

  it('leaves a node able to take in all facts again, so that it comes to agree with others', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.reconciles = false
    const told = facts([alice.joined(), bob.joined(), bob.stands('e'), bob.claims('e', 1), bob.says(77, Uint8Array.of(1))])
    bench.receive(alice, told)
    const before = bench.audit(alice).facts
    expect(before.length).toBe(6)
    bench.sleep(day + 60_000)
    bench.link(alice)
    bench.receive(alice, told)
    const after = bench.audit(alice).facts
    expect(after.filter((fact) => before.includes(fact)).length).toBe(5)
    expect(after.length).toBe(6)
  })

  it('leaves a node its records, which it keeps sending: all their holders may have slept', () => {
    const bench = sleeper()
    const record = alice.publishes('job', { expires: bench.today + 7 * day })
    bench.receive(alice, facts([record]))
    const told = (): readonly string[] => bench.audit(alice).facts
    const before = told()
    bench.sleep(day + 60_000)
    bench.link(alice)
    expect(bench.node.records().map(({ name }) => name)).toEqual(['job'])
    expect(told().filter((fact) => before.includes(fact)).length).toBe(1)
  })

  /** Returns a node that was whole, slept and woke. Alice is its introducer. */
  function woken(): Bench {
    const bench = new Bench(self, { introducers: [door] })
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    bench.advance(60_000)
    expect(bench.node.health(bench.now).alone).toBe(false)
    bench.sleep(day + 60_000)
    return bench
  }

  const dialled = (effects: readonly Effect[]): Set<unknown> =>
    new Set(effects.flatMap((effect) => (effect.type === 'connect' ? [effect.peer] : [])))

  it("ends a node's links and sends it back to its introducers; it is alone until one answers", () => {
    const bench = woken()
    expect([...bench.node.links]).toEqual([])
    expect(bench.node.health(bench.now).alone).toBe(true)
    const effects = bench.advance(retryMax)
    expect(effects).toContainEqual({ type: 'connect', peer: alice.id, addresses: [door.address] })
    expect(dialled(bench.advance(600_000))).toContain(alice.id)
    expect(bench.node.health(bench.now).alone).toBe(true)
    bench.link(alice)
    bench.receive(alice, facts([alice.joined(), bob.joined()]))
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, introducers: [], suspectedShare: 0 })
    expect(bench.members).toEqual([self, alice, bob].map(({ id }) => id).sort())
  })

  it('makes a node dial known members, too: a founder has no introducers, and others lose theirs', () => {
    const bench = sleeper()
    bench.sleep(day + 60_000)
    expect(bench.node.health(bench.now).alone).toBe(true)
    expect(dialled(bench.advance(45_000))).toEqual(new Set([alice, bob, carol].map(({ id }) => id)))
    bench.link(bob)
    bench.receive(bob, facts([alice.joined(), bob.joined(), carol.joined()]))
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, members: 4, suspectedShare: 0 })
  })

  it('leaves no news to publish that came just before', () => {
    const bench = sleeper()
    bench.advance(10_000)
    bench.receive(alice, facts([bob.left()], true))
    expect(broadcastsIn([...bench.sleep(day + 60_000), ...bench.advance(1_000)])).toEqual([])
  })

  it('leaves no death behind that was not believed yet', () => {
    const bench = sleeper()
    bench.meet(dave)
    bench.overhears(death(dave, [alice, bob, carol]))
    expect(bench.members).toContain(dave.id)
    bench.sleep(day + 60_000)
    bench.link(alice)
    bench.receive(alice, facts([dave.joined()]))
    expect(bench.members).toContain(dave.id)
  })

  it('is more than a night: after a night everything known is still there', () => {
    const bench = sleeper()
    bench.sleep(day / 3)
    expect(bench.node.self?.incarnation).toBe(1)
    expect(bench.members.length).toBe(4)
  })
})

describe('health', () => {
  it('is alone when the last contact is lost, and each change is reported once', () => {
    const bench = new Bench(self)
    const reported = (): boolean[] =>
      bench.notifications.flatMap((notification) => (notification.type === 'health' ? [notification.health.alone] : []))
    expect(bench.node.health(bench.now)).toMatchObject({
      alone: false,
      members: 1,
      links: 0,
      suspectedShare: 0,
      lastReconciliation: undefined,
    })
    bench.meet(alice)
    bench.meet(bob)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, members: 3, links: 2, suspectedShare: 0 })
    expect(bench.node.health(bench.now).lastReconciliation).toBe(bench.now)
    bench.unlink(alice)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, suspectedShare: 0.5 })
    bench.unlink(bob)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: true, suspectedShare: 1 })
    bench.link(alice)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, suspectedShare: 0.5 })
    expect(reported()).toEqual([true, false])
  })

  it('after the loss of the only peer is that of a pool of one: in a minority, not alone, until another joins', () => {
    const bench = new Bench(self)
    const reported = (): string[] =>
      bench.notifications.flatMap((each) => (each.type === 'health' ? [`${each.health.alone} ${each.health.minority}`] : []))
    bench.meet(alice)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: false })
    bench.reach.set(alice.id, 'refused')
    bench.unlink(alice)
    bench.until(() => bench.members.length === 1, 60_000)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: true, members: 1 })
    bench.advance(600_000)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: true })
    bench.meet(bob)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: false })
    expect([reported().includes('false true'), reported().at(-1)]).toEqual([true, 'false false'])
  })

  it('after the loss of the introducer as only peer, and then of its successor, is that of a pool of one', () => {
    const introducer = { id: alice.id, address: Uint8Array.of(1) }
    const bench = new Bench(self, { introducers: [introducer] })
    const lose = (actor: typeof alice): void => {
      bench.reach.set(actor.id, 'refused')
      bench.unlink(actor)
      bench.until(() => bench.members.length === 1, 60_000)
    }
    bench.meet(alice)
    lose(alice)
    bench.input({ type: 'unreachable', peer: alice.id, addresses: [introducer.address], failure: 'refused', reason: 'refused' })
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: true, members: 1 })
    bench.meet(bob)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: false, members: 2 })
    lose(bob)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: true, members: 1 })
    expect(bench.notifications.findLast(({ type }) => type === 'health')).toMatchObject({ health: { alone: false, minority: true } })
  })

  it('is a minority while at most half of the pool is left and the others are not back', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    const reported = (): boolean[] => bench.notifications.flatMap((each) => (each.type === 'health' ? [each.health.minority] : []))
    for (const lost of [bob, carol]) {
      bench.reach.set(lost.id, 'silent')
      bench.unlink(lost)
      bench.receive(
        alice,
        facts([
          death(
            lost,
            [alice, bob, carol, dave].filter((each) => each !== lost),
            bench.heartbeat,
          ),
        ]),
      )
    }
    expect(bench.members.length).toBe(2)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, minority: true })
    bench.advance(600_000)
    expect(bench.node.health(bench.now)).toMatchObject({ minority: true, suspectedShare: 0 })
    bob.incarnation = 2
    bench.meet(bob)
    bob.incarnation = 1
    expect(bench.node.health(bench.now)).toMatchObject({ minority: false })
    expect(reported()).toEqual([true, false])
  })

  it('is no minority if members go one after the other', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
    for (const lost of [carol, dave]) {
      bench.reach.set(lost.id, 'silent')
      bench.unlink(lost)
      bench.receive(
        alice,
        facts([
          death(
            lost,
            [alice, bob, carol, dave].filter((each) => each !== lost),
            bench.heartbeat,
          ),
        ]),
      )
      bench.advance(120_000)
    }
    expect(bench.node.health(bench.now)).toMatchObject({ members: 3, minority: false })
  })

  it('names the introducers that do not answer, with the reason', () => {
    const introducer = { id: alice.id, address: Uint8Array.of(1) }
    const bench = new Bench(self, { introducers: [introducer] })
    bench.input({ type: 'unreachable', peer: alice.id, addresses: [introducer.address], failure: 'failed', reason: 'wrong pool key?' })
    expect(bench.node.health(bench.now)).toMatchObject({ alone: true, introducers: [{ introducer, reason: 'wrong pool key?' }] })
  })

  it('counts members that were lost a moment ago', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
    bench.unlink(alice)
    bench.receive(bob, facts([death(alice, [bob, carol, dave])]))
    expect(bench.members).not.toContain(alice.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0.25)
    bench.reach.set(alice.id, 'silent')
    bench.advance(61_000)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })
})

describe('the end of a life', () => {
  it('is forgotten after its time, even if nothing else happens', () => {
    const bench = new Bench(self, { config: { tombstones: { lifetime: 100_000 } } })
    bench.meet(alice)
    bench.receive(alice, facts([alice.left()]))
    bench.unlink(alice)
    const remembered = bench.node.fingerprint.count
    bench.advance(120_000)
    expect(bench.node.fingerprint.count).toBe(remembered - 1)
  })
})
