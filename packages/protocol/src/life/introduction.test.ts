import { describe, expect, it } from 'vitest'
import { actors, death, facts, forged, wireFact, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn, framesTo } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import { hashSpace } from '../base/hash.ts'
import type { Effect } from '../base/effect.ts'
import type { Introducer } from '../base/input.ts'

import { timeout } from '../dissemination/anti-entropy.ts'
import { dialPace, mostDiscovered, rememberedTries, retryMax, retryMin } from './introduction.ts'
import { redirectGrace, namedMembers, servedAtOnce, servedWindow } from './redirection.ts'

const everyone = actors(240)
const [self, alice, bob, carol, mallory] = everyone as [Actor, Actor, Actor, Actor, Actor]
const { introduction } = defaultConfig
const door: Introducer = { id: alice.id, address: Uint8Array.of(1, 2, 3) }
const bareDoor: Introducer = { address: Uint8Array.of(4, 5, 6) }

const dials = (effects: readonly Effect[]): Extract<Effect, { type: 'connect' }>[] => effects.filter((effect) => effect.type === 'connect')
const refuse = (bench: Bench, { id, address }: Introducer, reason = 'refused'): Effect[] =>
  bench.input({ type: 'unreachable', peer: id, addresses: [address], failure: 'refused', reason })

/** Returns the `alone` of each entry that the node reported. */
const entered = (bench: Bench): boolean[] => bench.notifications.flatMap((each) => (each.type === 'entered' ? [each.alone] : []))

describe('a newcomer', () => {
  it('dials its introducers, and does not enter before one has sent its hello', () => {
    const bench = new Bench(self, { introducers: [door, bareDoor] })
    expect(dials(bench.log.map(({ effect }) => effect))).toEqual([
      { type: 'connect', peer: alice.id, addresses: [door.address] },
      { type: 'connect', peer: undefined, addresses: [bareDoor.address] },
    ])
    expect(bench.node.self).toBeUndefined()
    bench.link(alice)
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it('reports that it has entered once it has reconciled with its introducer, which it knows by then', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.link(alice)
    bench.receive(alice, facts([alice.joined()]))
    expect(entered(bench)).toEqual([])
    bench.advance(introduction.aloneAfter * 2)
    expect(entered(bench)).toEqual([])
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    expect(entered(bench)).toEqual([false])
  })

  it("neither enters nor claims after a stranger's reconciliation while its introducer has sent nothing", () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.link(mallory)
    bench.input({ type: 'command', command: { type: 'elect', election: 'master' } })
    bench.receive(mallory, { reconcile: { round: 2, ranges: [] } })
    bench.advance(introduction.aloneAfter / 2)
    expect(entered(bench)).toEqual([])
    expect(bench.node.reign('master')).toBeUndefined()
    bench.link(alice)
    bench.receive(alice, facts([alice.joined()]))
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    bench.reconciles = true
    bench.advance(2 * timeout)
    expect(entered(bench)).toEqual([false])
    bench.advance(5_000)
    expect(bench.node.reign('master')?.winner.id).toBe(self.id)
  })

  it('does not enter if a member ends a reconciliation that neither of them began', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.link(alice)
    bench.receive(alice, facts([mallory.joined()]))
    bench.link(mallory, { incarnation: 0 })
    expect(
      framesTo(
        mallory.id,
        bench.log.map(({ effect }) => effect),
      ).some(({ reconcile }) => reconcile !== undefined),
    ).toBe(false)
    bench.receive(mallory, { reconcile: { round: 2, ranges: [] } })
    expect([entered(bench), bench.node.health(bench.now).lastReconciliation]).toEqual([[], undefined])
    bench.receive(alice, facts([alice.joined()]))
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    expect(entered(bench)).toEqual([false])
  })

  const none = new Uint8Array(0)
  const nothing = { from: 0, to: 1, count: 0, fingerprint: new Uint8Array(8), items: none, wanted: none, listed: false }
  const everything = { ...nothing, to: hashSpace, count: 100 }

  it.each([
    ['begins a reconciliation of no facts', 0, [[nothing]]],
    ['begins a reconciliation and ends it', 0, [[everything], []]],
    ['answers the reconciliation of the newcomer with nothing', 1, [[]]],
  ])('neither enters nor claims if a member %s while the introducer sends the pool', (_, incarnation, messages) => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.input({ type: 'command', command: { type: 'elect', election: 'master' } })
    bench.link(alice)
    bench.receive(alice, facts([alice.joined(), mallory.joined()]))
    bench.advance(300)
    bench.link(mallory, { incarnation })
    for (const [i, ranges] of messages.entries()) bench.receive(mallory, { reconcile: { round: 2 * i + 2, ranges } })
    bench.advance(1_000)
    expect([entered(bench), bench.node.health(bench.now).lastReconciliation]).toEqual([[], undefined])
    expect(bench.node.reign('master')).toBeUndefined()
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    expect(entered(bench)).toEqual([false])
  })

  it('that is alone counts no reconciliation which a member began and ended', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    refuse(bench, door)
    bench.link(mallory, { incarnation: 0 })
    bench.receive(mallory, facts([mallory.joined()]))
    for (const ranges of [[everything], []]) bench.receive(mallory, { reconcile: { round: 2, ranges } })
    expect([entered(bench), bench.node.health(bench.now).lastReconciliation]).toEqual([[true], undefined])
  })

  it('enters by another member if its introducer does not answer in time', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.unresponsive.add(alice.id)
    bench.link(alice)
    bench.receive(alice, facts([alice.joined(), bob.joined()]))
    bench.link(bob)
    expect(entered(bench)).toEqual([])
    expect(bench.until(() => entered(bench).length > 0, 4 * timeout)).toBeDefined()
    expect(entered(bench)).toEqual([false])
  })

  it("enters by a member's reconciliation that replaced its own", () => {
    const [low, high] = [self, alice].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Actor, Actor]
    const bench = new Bench(high, { introducers: [{ ...door, id: low.id }] })
    bench.reconciles = false
    bench.link(low)
    bench.receive(low, facts([low.joined()]))
    bench.receive(low, { reconcile: { round: 1, ranges: [everything] } })
    expect(entered(bench)).toEqual([])
    bench.receive(low, { reconcile: { round: 3, ranges: [] } })
    expect(entered(bench)).toEqual([false])
  })

  it('enters by the next life of an introducer that crashed in the middle of its entry', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.link(alice)
    bench.receive(alice, facts([alice.joined()]))
    bench.unlink(alice)
    expect(dials(bench.advance(introduction.aloneAfter / 2))).toContainEqual({ type: 'connect', peer: alice.id, addresses: [door.address] })
    expect(entered(bench)).toEqual([])
    bench.reconciles = true
    bench.link(alice, { incarnation: 2 })
    bench.receive(alice, facts([alice.joined({ incarnation: 2 })]))
    expect(bench.until(() => entered(bench).length > 0, 4 * timeout)).toBeDefined()
    expect(entered(bench)).toEqual([false])
  })

  it('enters if the answer to its reconciliation comes after the time-out', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = false
    bench.meet(alice)
    bench.advance(2 * timeout)
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    expect(entered(bench)).toEqual([false])
  })

  it('reports once that it is alone: as founder, refused by all, without an answer, or after its introducer left', () => {
    expect(entered(new Bench(self))).toEqual([true])
    const refused = new Bench(self, { introducers: [door] })
    refuse(refused, door)
    expect(entered(refused)).toEqual([true])
    refused.reach.set(alice.id, 'up')
    refused.link(alice)
    expect(entered(refused)).toEqual([true])
    const unheard = new Bench(self, { introducers: [door] })
    unheard.advance(introduction.aloneAfter)
    expect(entered(unheard)).toEqual([true])
    const left = new Bench(self, { introducers: [door] })
    left.reconciles = false
    left.link(alice)
    expect(entered(left)).toEqual([])
    left.unlink(alice)
    refuse(left, door)
    expect(entered(left)).toEqual([true])
  })

  it.each([
    [0, 0, 1],
    [3, 0, 4],
    [0, 5, 6],
    [3, 5, 6],
    [5, 3, 6],
  ])('with incarnation %i stored and %i known enters with %i, which it stores first', (stored, known, expected) => {
    const bench = new Bench(self, { introducers: [door], storedIncarnation: stored })
    const effects = bench.link(alice, { known })
    expect(bench.node.self?.incarnation).toBe(expected)
    const types = effects.filter(
      (effect) =>
        effect.type === 'persist' ||
        effect.type === 'notify' ||
        (effect.type === 'send' && framesTo(alice.id, [effect]).some((frame) => frame.facts !== undefined)),
    )
    expect(types[0]).toEqual({ type: 'persist', incarnation: expected })
  })

  it('sends its own statement as news, and reconciles', () => {
    const bench = new Bench(self, { introducers: [door] })
    const frames = framesTo(alice.id, bench.link(alice))
    expect(frames.flatMap((frame) => frame.facts?.facts ?? [])).toEqual([wireFact(bench.ownStatement())])
    expect(frames.find((frame) => frame.facts !== undefined)?.facts?.fresh).toBe(true)
    expect(frames.some((frame) => frame.reconcile !== undefined)).toBe(true)
  })

  it('reports no other member before itself', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.input({ type: 'connected', peer: alice.id, dialable: true })
    bench.receive(alice, facts([alice.joined(), bob.joined()]))
    expect(bench.changes).toEqual([])
    bench.receive(alice, { hello: { known: 0, ended: false, incarnation: 1 } })
    bench.receive(alice, facts([alice.joined(), bob.joined()]))
    expect(bench.changes).toEqual([`joined:${self.id}:1`, `joined:${alice.id}:1`, `joined:${bob.id}:1`])
  })

  it('continues alone at once if all introducers refuse, reports why, and keeps trying', () => {
    const bench = new Bench(self, { introducers: [door, bareDoor] })
    refuse(bench, door, 'alice refused')
    expect(bench.node.self).toBeUndefined()
    refuse(bench, bareDoor, 'nobody there')
    expect(bench.node.self?.incarnation).toBe(1)
    const warned = bench.notifications.flatMap((notification) => (notification.type === 'warning' ? [notification] : []))
    expect(warned.map(({ code }) => code)).toEqual(['INTRODUCER_UNREACHABLE', 'INTRODUCER_UNREACHABLE'])
    expect(warned[0]?.message).toContain('alice refused')
    expect(dials(bench.advance(retryMin * 2)).length).toBeGreaterThanOrEqual(2)
  })

  it('continues alone after a while if no introducer answers', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.advance(introduction.aloneAfter - 1)
    expect(bench.node.self).toBeUndefined()
    bench.advance(1)
    expect(bench.node.self?.incarnation).toBe(1)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: true, introducers: [{ introducer: door, reason: 'no answer yet' }] })
  })

  it('tries an introducer that refuses less and less often, but never stops, and warns once', () => {
    const bench = new Bench(self, { introducers: [door] })
    refuse(bench, door)
    const times: number[] = []
    const end = bench.now + 20 * retryMax
    while (bench.now < end) {
      if (dials(bench.advance(100)).length === 0) continue
      times.push(bench.now)
      refuse(bench, door)
    }
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number))
    expect(gaps[0]).toBeLessThanOrEqual(retryMin * 2 * 1.5 + 200)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(retryMax * 1.5 + 200)
    for (const gap of gaps.slice(-5)) expect(gap).toBeGreaterThanOrEqual(retryMax * 0.5)
    expect(bench.notifications.filter(({ type }) => type === 'warning').length).toBe(1)
  })

  it('stops trying once it is linked with the introducer', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.link(alice)
    bench.receive(alice, facts([alice.joined()]))
    expect(dials(bench.advance(10 * retryMax))).toEqual([])
    expect(bench.node.health(bench.now).introducers).toEqual([])
  })

  it('that is its only introducer founds the pool, and stands in its elections', () => {
    const bench = new Bench(self, { introducers: [bareDoor, { id: self.id, address: Uint8Array.of(7) }] })
    bench.input({ type: 'command', command: { type: 'elect', election: 'e' } })
    expect(dials(bench.log.map(({ effect }) => effect)).map(({ peer }) => peer)).toEqual([undefined])
    bench.input({
      type: 'unreachable',
      peer: undefined,
      addresses: [bareDoor.address],
      failure: 'self',
      reason: 'that is this node itself',
    })
    expect(entered(bench)).toEqual([true])
    bench.advance(2_000)
    expect(bench.node.reign('e')?.winner.id).toBe(self.id)
    expect(bench.node.health(bench.now)).toMatchObject({ alone: false, introducers: [] })
  })

  it('that is one of its introducers waits for the others', () => {
    const bench = new Bench(self, { introducers: [bareDoor, door] })
    bench.input({ type: 'command', command: { type: 'elect', election: 'e' } })
    bench.input({
      type: 'unreachable',
      peer: undefined,
      addresses: [bareDoor.address],
      failure: 'self',
      reason: 'that is this node itself',
    })
    refuse(bench, door)
    bench.advance(60_000)
    expect(entered(bench)).toEqual([true])
    expect(bench.node.reign('e')).toBeUndefined()
    expect(bench.node.health(bench.now).introducers).toEqual([{ introducer: door, reason: 'refused' }])
  })

  it('dials remembered members one after the other, and no more once it has entered', () => {
    const remembered: Introducer[] = [alice, bob].map(({ id }, i) => ({ id, address: Uint8Array.of(i), remembered: true }))
    const bench = new Bench(self, { introducers: remembered })
    expect(dials(bench.log.map(({ effect }) => effect)).map(({ peer }) => peer)).toEqual([alice.id])
    bench.meet(alice)
    bench.receive(alice, facts([bob.joined()]))
    expect(dials(bench.advance(dialPace)).map(({ peer }) => peer)).not.toContain(bob.id)
    expect(entered(bench)).toEqual([false])
  })

  it('dials remembered members one after the other, too, after it has lost its last link', () => {
    const remembered: Introducer[] = everyone.slice(2, 6).map(({ id }, i) => ({ id, address: Uint8Array.of(i), remembered: true }))
    const bench = new Bench(self, { introducers: remembered })
    bench.meet(alice)
    bench.advance(10 * dialPace)
    for (const { id } of [alice, ...everyone.slice(2, 6)]) bench.reach.set(id, 'hang')
    bench.unlink(alice)
    bench.advance(retryMin - 1)
    const perPause = remembered.map(() => dials(bench.advance(dialPace)).filter(({ peer }) => peer !== alice.id).length)
    expect(perPause).toEqual([1, 1, 1, 1])
  })

  it.each([20, 300])('dials all remembered members though a peer lets it in and ends the link after %i ms, again and again', (life) => {
    const others = everyone.slice(2, 34)
    const remembered: Introducer[] = others.map(({ id }, i) => ({ id, address: Uint8Array.of(9, i), remembered: true }))
    const bench = new Bench(self, { introducers: [door, ...remembered] })
    for (const { id } of [alice, ...others]) bench.reach.set(id, 'hang')
    bench.advance(introduction.aloneAfter + 1_000)
    const dialled = new Set<string>()
    for (let round = 0; round < 60; round++) {
      bench.meet(alice)
      const during = bench.advance(life)
      bench.unlink(alice)
      for (const { peer } of dials([...during, ...bench.advance(1_000)])) if (peer !== undefined && peer !== alice.id) dialled.add(peer)
    }
    expect(dialled.size).toBe(others.length)
  })

  it('gives up remembered members in the end, without a warning', () => {
    const gone: Introducer = { ...door, remembered: true }
    const bench = new Bench(self, { introducers: [gone] })
    for (let tries = 1; tries < rememberedTries; tries += 1) refuse(bench, gone)
    expect(entered(bench)).toEqual([true])
    expect(dials(bench.advance(2 * retryMax)).length).toBeGreaterThan(0)
    refuse(bench, gone)
    expect(dials(bench.advance(10 * retryMax))).toEqual([])
    expect(bench.notifications.filter(({ type }) => type === 'warning')).toEqual([])
    expect(bench.node.health(bench.now)).toMatchObject({ introducers: [] })
  })

  it('reports that it stands in no election until an introducer is reached', () => {
    const warnings = (bench: Bench): string[] => bench.notifications.flatMap((each) => (each.type === 'warning' ? [each.message] : []))
    const bench = new Bench(self, { introducers: [door] })
    refuse(bench, door)
    expect(warnings(bench)).toEqual(['refused (goes on trying, and stands in no election meanwhile)'])
    bench.input({ type: 'command', command: { type: 'found' } })
    refuse(bench, door, 'no answer')
    expect(warnings(bench).at(-1)).toBe('no answer (goes on trying)')
  })

  it.each([1_000, 2 * retryMax])(
    "that loses its last link after %i ms dials its introducers' addresses again, where another node may live",
    (age) => {
      const bench = new Bench(self, { introducers: [bareDoor] })
      bench.meet(alice)
      expect(dials(bench.advance(age))).toEqual([])
      bench.reach.set(alice.id, 'refused')
      bench.unlink(alice)
      const again = bench.advance(retryMin)
      expect(dials(again)).toContainEqual({ type: 'connect', peer: undefined, addresses: [bareDoor.address] })
      bench.meet(bob)
      expect(dials(bench.advance(2 * retryMax)).filter(({ peer }) => peer === undefined)).toEqual([])
    },
  )

  it('dials others found on the local network, but not itself or known members', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    const found = (introducer: Introducer): Effect[] => dials(bench.input({ type: 'discovered', introducer }))
    expect(found({ id: bob.id, address: Uint8Array.of(9) })).toEqual([{ type: 'connect', peer: bob.id, addresses: [Uint8Array.of(9)] }])
    expect(found({ id: alice.id, address: Uint8Array.of(9) })).toEqual([])
    expect(found({ id: self.id, address: Uint8Array.of(9) })).toEqual([])
  })

  it('dials few of very many that are found at once on the local network, one after the other', () => {
    const bench = new Bench(self)
    bench.advance(1_000)
    const found = (actor: Actor): ReturnType<typeof dials> =>
      dials(bench.input({ type: 'discovered', introducer: { id: actor.id, address: Uint8Array.of(9) } }))
    const strangers = everyone.slice(1)
    for (const actor of strangers) bench.reach.set(actor.id, 'hang')
    expect(strangers.flatMap(found).map(({ peer }) => peer)).toEqual([alice.id])
    expect(dials(bench.advance(dialPace - 1))).toEqual([])
    expect(dials(bench.advance(1))).toHaveLength(1)
    const rest = dials(bench.advance(60_000)).map(({ peer }) => peer)
    expect(new Set(rest).size).toBe(mostDiscovered - 1)
  })

  it('dials a node of the local network although another host sends many made-up answers after each of its answers', () => {
    const bench = new Bench(self)
    const found = ({ id }: Actor): Effect[] => bench.input({ type: 'discovered', introducer: { id, address: Uint8Array.of(9) } })
    const [first, ...strangers] = everyone.slice(2) as [Actor, ...Actor[]]
    found(first)
    for (let second = 0; second < 60; second++) {
      found(alice)
      for (let i = 0; i < 25; i++) found(strangers[(25 * second + i) % strangers.length] as Actor)
      bench.advance(1_000)
    }
    expect(dials(bench.log.map(({ effect }) => effect)).map(({ peer }) => peer)).toContain(alice.id)
  })

  it('dials each of a few that are found at once on the local network, unless it meets them first', () => {
    const bench = new Bench(self)
    const found = (actor: Actor, address: number): ReturnType<typeof dials> =>
      dials(bench.input({ type: 'discovered', introducer: { id: actor.id, address: Uint8Array.of(address) } }))
    for (const { id } of [alice, bob, carol]) bench.reach.set(id, 'hang')
    const atOnce = [...found(alice, 1), ...found(bob, 1), ...found(bob, 2), ...found(bob, 1), ...found(carol, 1)]
    expect(atOnce.map(({ peer }) => peer)).toEqual([alice.id])
    bench.meet(carol)
    const later = dials(bench.advance(1_000)).filter(({ peer }) => peer === bob.id)
    expect(new Set(later.map(({ addresses }) => addresses[0]?.[0]))).toEqual(new Set([1, 2]))
    expect(dials(bench.log.map(({ effect }) => effect)).map(({ peer }) => peer)).not.toContain(carol.id)
  })
})

describe('an introducer', () => {
  /** Returns a member of a pool of this size. */
  function member(size: number): Bench {
    const bench = new Bench(self)
    bench.overhears(...everyone.slice(1, size).map((actor) => actor.joined()))
    return bench
  }

  /** Links a newcomer. Returns the frames that it gets. */
  function probeHost(bench: Bench, actor: Actor): ReturnType<typeof framesTo> {
    return framesTo(actor.id, bench.input({ type: 'connected', peer: actor.id, dialable: true }))
  }

  it('sends its knowledge of a newcomer: none, a life, or a life that is over', () => {
    const bench = member(5)
    bench.overhears(bob.left())
    const hello = (actor: Actor): unknown => probeHost(bench, actor).find((frame) => frame.hello !== undefined)?.hello
    expect(hello(everyone[70] as Actor)).toMatchObject({ known: 0, ended: false, incarnation: 1 })
    expect(hello(alice)).toMatchObject({ known: 1, ended: false })
    expect(hello(bob)).toMatchObject({ known: 1, ended: true })
  })

  it('redirects newcomers to other members when too many come at once', () => {
    const bench = member(100)
    const late = everyone[239] as Actor
    const newcomers = everyone.slice(100, 239)
    const told = newcomers.map((actor) => probeHost(bench, actor).find((frame) => frame.redirect !== undefined)?.redirect)
    expect(told.slice(0, servedAtOnce).every((redirect) => redirect === undefined)).toBe(true)
    for (const redirect of told.slice(servedAtOnce)) {
      const names = redirect?.members.map(({ statement }) => statement?.signer) ?? []
      expect(names.length).toBeGreaterThanOrEqual(namedMembers - 1)
      expect(names.length).toBeLessThanOrEqual(namedMembers)
      expect(new Set(names.map(String)).size).toBe(names.length)
    }
    // Each newcomer asks the first member that it is named, and these members differ.
    const asked = told.slice(servedAtOnce).map((redirect) => String(redirect?.members[0]?.statement?.signer))
    expect(new Set(asked).size).toBe(asked.length)
    bench.advance(servedWindow)
    expect(probeHost(bench, late).some((frame) => frame.redirect !== undefined)).toBe(false)
  })

  it('serves all newcomers while there are no members to redirect them to', () => {
    const bench = member(5)
    const newcomers = everyone.slice(100, 100 + 2 * servedAtOnce)
    for (const actor of newcomers) expect(probeHost(bench, actor).map((frame) => frame.hello?.known)).toEqual([0])
  })

  it('does not redirect a member that comes back', () => {
    const bench = member(60)
    for (const actor of everyone.slice(1, 60)) expect(probeHost(bench, actor).some((frame) => frame.redirect !== undefined)).toBe(false)
  })

  /**
   * Lets newcomers enter through this node, one after the other. Returns the number of broadcasts,
   * and of their facts.
   */
  function announce(newcomers: readonly Actor[], pause: number): { broadcasts: number; facts: number } {
    const bench = member(5)
    bench.advance(10_000)
    const effects: Effect[] = []
    for (const actor of newcomers) {
      effects.push(...bench.link(actor), ...bench.receive(actor, facts([actor.joined()], true)), ...bench.advance(pause))
    }
    const told = broadcastsIn([...effects, ...bench.advance(5_000)])
    return { broadcasts: told.length, facts: told.flatMap((broadcast) => broadcast.facts).length }
  }

  it('publishes each newcomer if they come one by one', () => {
    expect(announce(everyone.slice(5, 15), 1_000)).toEqual({ broadcasts: 10, facts: 10 })
  })

  it('does not publish each of a crowd: reconciliation carries them', () => {
    expect(announce(everyone.slice(5, 45), 5).broadcasts).toBeLessThanOrEqual(4)
  })
})

describe('a redirected newcomer', () => {
  function redirected(reconciles: boolean): Bench {
    const bench = new Bench(self, { introducers: [door] })
    bench.reconciles = reconciles
    if (reconciles) bench.meet(alice)
    else bench.link(alice)
    return bench
  }

  const redirect = { redirect: { members: [bob, carol].map((actor) => wireFact(actor.joined())) } }

  it('dials the first member that it was named, and later closes the link to the introducer', () => {
    const bench = redirected(false)
    const effects = bench.receive(alice, redirect)
    expect(dials(effects).map(({ peer }) => peer)).toEqual([bob.id])
    expect(bench.members).toContain(bob.id)
    bench.reconciles = true
    bench.link(bob)
    expect([...bench.node.links]).toEqual([bob.id])
    expect(bench.sent(alice).some((frame) => frame.goodbye !== undefined)).toBe(true)
  })

  it('dials no further members for a peer that names others again and again', () => {
    const bench = redirected(false)
    const others = everyone.slice(100, 200)
    const effects = others.flatMap((actor) => bench.receive(alice, { redirect: { members: [wireFact(actor.joined())] } }))
    expect(dials(effects).map(({ peer }) => peer)).toEqual([others[0]?.id])
  })

  it('comes back to the introducer if the named members do not answer', () => {
    const bench = new Bench(self, { introducers: [door] })
    bench.input({ type: 'connected', peer: alice.id, dialable: true })
    bench.receive(alice, redirect)
    bench.receive(alice, { hello: { known: 0, ended: false, incarnation: 1 } })
    expect(bench.node.self).toBeDefined()
    const own = (effects: readonly Effect[]): number => framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? []).length
    expect(own(bench.advance(redirectGrace - 1))).toBe(0)
    expect(own(bench.advance(1))).toBe(1)
    expect([...bench.node.links]).toEqual([alice.id])
  })

  describe('with a forgery', () => {
    const warnings = (bench: Bench): string[] =>
      bench.notifications.flatMap((notification) => (notification.type === 'warning' ? [notification.message] : []))

    /** Returns a node that has not entered, linked with a liar. */
    function deceived(): Bench {
      const bench = new Bench(self, { introducers: [door] })
      bench.input({ type: 'connected', peer: mallory.id, dialable: true })
      bench.receive(mallory, { redirect: { members: [wireFact(carol.joined()), wireFact(forged(bob.joined()))] } })
      return bench
    }

    it('enters all the same if nobody answers', () => {
      const bench = deceived()
      const effects = bench.advance(introduction.aloneAfter)
      expect(effects).toContainEqual({ type: 'persist', incarnation: 1 })
      expect(bench.changes).toEqual([`joined:${self.id}:1`])
      expect(dials(effects).filter(({ peer }) => peer !== alice.id)).toEqual([])
    })

    it('enters all the same if its introducers refuse', () => {
      const bench = deceived()
      refuse(bench, door)
      expect(bench.changes).toEqual([`joined:${self.id}:1`])
    })

    it('penalizes the sender, not the introducer that lets it in', () => {
      const bench = deceived()
      bench.reconciles = false
      const effects = bench.link(alice)
      expect(bench.node.self?.incarnation).toBe(1)
      expect(framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? [])).toEqual([wireFact(bench.ownStatement())])
      bench.receive(alice, facts([alice.joined()]))
      bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
      expect(bench.node.health(bench.now).lastReconciliation).toBe(bench.now)
      expect(warnings(bench)).toEqual([expect.stringMatching(`^${mallory.id} sent a bad frame: a forged signature`)])
    })

    it('is not deceived after it entered either', () => {
      const bench = redirected(false)
      expect(dials(bench.receive(alice, { redirect: { members: [wireFact(forged(bob.joined()))] } }))).toEqual([])
      expect(bench.members).toEqual([self.id])
      expect(warnings(bench)).toEqual([expect.stringContaining(alice.id)])
    })

    it.each([
      ['that left', bob.left()],
      ['that died', death(bob, [alice, carol])],
      ['by a candidacy', bob.stands('e')],
    ])('accepts no named member %s', (_, content) => {
      const bench = new Bench(self, { introducers: [door] })
      bench.input({ type: 'connected', peer: mallory.id, dialable: true })
      bench.receive(mallory, { redirect: { members: [wireFact(content)] } })
      expect(warnings(bench)).toEqual([expect.stringContaining('who is no member')])
    })
  })

  it('ignores a redirect if it has reconciled already', () => {
    const bench = redirected(true)
    expect(bench.node.health(bench.now).lastReconciliation).toBeDefined()
    expect(dials(bench.receive(alice, { redirect: { members: [wireFact(bob.joined())] } }))).toEqual([])
  })
})
