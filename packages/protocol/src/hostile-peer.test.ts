import fc from 'fast-check'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultConfig } from './base/config.ts'
import { actors, alarm, death, facts, wireFact, type Actor } from '../test/actors.ts'
import { Bench, framesTo } from '../test/bench.ts'
import { answersTo } from '../test/detection.ts'
import { hashSpace } from './base/hash.ts'
import { decodeId } from './base/id.ts'
import type { Effect } from './base/effect.ts'
import { burst, rates } from './context/token-buckets.ts'
import { pageBytes } from './dissemination/page.ts'
import { kinds, type Statement } from './facts/statement.ts'
import { forwardOnce, warningsAtOnce } from './reception.ts'
import * as wire from './wire/messages.js'

const [self, alice, bob, carol, dave, eve, mallory, auditor] = actors(8) as [Actor, Actor, Actor, Actor, Actor, Actor, Actor, Actor]
const election = 'master'
const none = new Uint8Array(0)

/**
 * Returns a node in a small pool with a decided election. The node gives no penalties, so that it
 * keeps listening.
 */
function settled(): Bench {
  const bench = new Bench(self, { config: { limits: { penalties: 1_000_000 } } })
  for (const actor of [alice, bob, carol, mallory, auditor]) bench.meet(actor)
  bench.receive(alice, facts([alice.stands(election), alice.claims(election, 1)]))
  bench.advance(1_000)
  return bench
}

function stateOf(bench: Bench): unknown {
  return { ...bench.audit(auditor), reign: bench.node.reign(election), self: bench.node.self }
}

describe('arbitrary bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    // Looks like a frame: a field of Frame with a length, then anything.
    fc
      .tuple(fc.integer({ min: 1, max: 11 }), fc.uint8Array({ maxLength: 120 }))
      .map(([field, rest]) => Uint8Array.from([(field << 3) | 2, rest.length, ...rest])),
  )

  it('in a frame are refused and change nothing', () => {
    const bench = settled()
    const before = stateOf(bench)
    fc.assert(
      fc.property(bytes, (data) => {
        fc.pre(!isHello(data)) // a hello that ends this life is answered by the next life
        bench.input({ type: 'frame', from: mallory.id, data })
      }),
      { numRuns: 1_500 },
    )
    expect(stateOf(bench)).toEqual(before)
  })

  it('in a broadcast are rejected or ignored, and change nothing', () => {
    const bench = settled()
    const before = stateOf(bench)
    fc.assert(
      fc.property(bytes, (data) => {
        const verdict = bench.broadcast(data)
        if (verdict === 'accept') expect(wire.Broadcast.decode(data).facts).toEqual([])
      }),
      { numRuns: 1_500 },
    )
    expect(stateOf(bench)).toEqual(before)
  })

  it('before this node has entered are ignored', () => {
    const bench = new Bench(self, {
      introducers: [{ id: alice.id, address: Uint8Array.of(1) }],
      config: { limits: { penalties: 1_000_000 } },
    })
    bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    fc.assert(
      fc.property(bytes, (data) => {
        fc.pre(!isHello(data))
        bench.input({ type: 'frame', from: mallory.id, data })
        expect(bench.members).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

/** True for a frame with a hello at any place, since a hello lets a node in. */
function isHello(data: Uint8Array): boolean {
  try {
    return wire.Frame.decode(data).hello !== undefined
  } catch {
    return false
  }
}

describe('a valid frame with bits flipped or cut short', () => {
  const damage = fc.oneof(
    fc.record({ cut: fc.nat(1_000), flips: fc.constant([] as number[]) }),
    fc.record({ cut: fc.constant(undefined), flips: fc.array(fc.nat(8_000), { minLength: 1, maxLength: 3 }) }),
  )
  const frames: [string, () => wire.Frame][] = [
    ['join', () => facts([dave.joined()])],
    ['leave', () => facts([alice.left()])],
    ['death', () => facts([death(alice, [bob, carol, mallory, auditor])])],
    ['candidacy', () => facts([bob.stands(election)])],
    ['claim', () => facts([bob.claims(election, 2)])],
  ]

  it.each(frames)('with a %s has its true effect or none', (_, frame) => {
    const whole = settled()
    const before = stateOf(whole) as { members: unknown }
    whole.receive(mallory, frame())
    const after = stateOf(whole) as { members: unknown }
    const data = wire.Frame.encode(frame())
    let bench = settled()
    expect(stateOf(bench)).toEqual(before)
    fc.assert(
      fc.property(damage, ({ cut, flips }) => {
        const broken = data.slice(0, cut === undefined ? data.length : cut % data.length)
        for (const flip of flips) broken[(flip >> 3) % broken.length] = (broken[(flip >> 3) % broken.length] as number) ^ (1 << (flip & 7))
        bench.input({ type: 'frame', from: mallory.id, data: broken })
        const now = bench.node.members()
        if (JSON.stringify(now) === JSON.stringify(before.members)) return
        expect(now).toEqual(after.members)
        bench = settled()
      }),
      { numRuns: 150 },
    )
    const end = stateOf(bench)
    expect([before, after]).toContainEqual(end)
  })
})

describe('a peer that breaks the rules', () => {
  let bench: Bench

  beforeEach(() => {
    bench = new Bench(self)
    for (const actor of [alice, mallory]) bench.meet(actor)
  })

  const garbage = Uint8Array.of(0xff, 0xff)
  const warnings = (): string[] =>
    bench.notifications.flatMap((notification) => (notification.type === 'warning' ? [notification.message] : []))

  it('causes warnings, then is sent the reason and disconnected, and is banned for a while', () => {
    const { penalties, ban } = bench.config.limits
    for (let i = 1; i < penalties; i++) bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(bench.node.links).toContain(mallory.id)
    const effects = bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(warnings().length).toBe(penalties)
    expect(effects).toContainEqual({ type: 'disconnect', peer: mallory.id, reason: expect.stringContaining('not decodable') as string })
    expect(bench.sent(mallory, effects).at(-1)?.goodbye?.reason).toContain('not decodable')
    expect(bench.node.links).not.toContain(mallory.id)

    expect(bench.input({ type: 'connected', peer: mallory.id, dialable: true })).toContainEqual(
      expect.objectContaining({ type: 'disconnect', peer: mallory.id }),
    )
    expect(bench.node.links).not.toContain(mallory.id)
    bench.advance(ban + 1)
    bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    expect(bench.node.links).toContain(mallory.id)
  })

  it('causes a bounded number of warnings, whatever the number of its names', () => {
    const names = actors(100, 5)
    for (const actor of names) {
      bench.input({ type: 'connected', peer: actor.id, dialable: true })
      bench.input({ type: 'frame', from: actor.id, data: garbage })
    }
    expect(warnings()).toHaveLength(warningsAtOnce + 1)
    bench.advance(60_000)
    bench.input({ type: 'misbehaved', peer: mallory.id, problem: 'garbage' })
    expect(warnings().at(-1)).toContain(`${100 - warningsAtOnce - 1} more`)
  })

  it('keeps its penalties when it comes back', () => {
    const { penalties } = bench.config.limits
    for (let i = 1; i <= penalties; i++) {
      expect(bench.node.links).toContain(mallory.id)
      bench.input({ type: 'misbehaved', peer: mallory.id, problem: 'garbage' })
      bench.unlink(mallory)
      bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    }
    expect(bench.node.links).not.toContain(mallory.id)
    expect(warnings()).toHaveLength(penalties)
  })

  it('is forgiven after a long time', () => {
    const { penalties, ban } = bench.config.limits
    for (let i = 1; i <= penalties * 2; i++) {
      bench.input({ type: 'frame', from: mallory.id, data: garbage })
      bench.advance(ban)
    }
    expect(bench.node.links).toContain(mallory.id)
  })

  it('is not suspected while it is banned, as it can be reached', () => {
    bench.reach.set(mallory.id, 'up')
    for (let i = 0; i < bench.config.limits.penalties; i++) {
      bench.input({ type: 'misbehaved', peer: mallory.id, problem: 'garbage' })
      bench.unlink(mallory)
      bench.advance(1_000)
    }
    bench.advance(30_000)
    expect(bench.node.links).not.toContain(mallory.id)
    expect(bench.members).toContain(mallory.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('is not suspected because of its disconnection', () => {
    for (let i = 0; i < bench.config.limits.penalties; i++) bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(bench.members).toContain(mallory.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('with a frame too large is penalized, whatever the frame contains', () => {
    const large = wire.Frame.encode({ goodbye: { reason: 'x'.repeat(bench.config.limits.frameBytes) } })
    bench.input({ type: 'frame', from: mallory.id, data: large })
    expect(warnings()).toEqual([expect.stringContaining(`at most ${bench.config.limits.frameBytes} bytes`)])
    expect(bench.broadcast(new Uint8Array(bench.config.limits.frameBytes + 1))).toBe('reject')
  })

  it('with too many facts in a broadcast is rejected before they are read', () => {
    const crowd = actors(defaultConfig.limits.factsPerBroadcast + 1, 7).map((actor) => actor.joined())
    const broadcast = wire.Broadcast.encode({ nonce: 1, facts: crowd.map((statement) => wireFact(statement)) })
    expect(bench.broadcast(broadcast)).toBe('reject')
    expect(bench.members).not.toContain(crowd[0]?.signer)
    expect(bench.overhears(...crowd)).toBe('accept')
  })

  const bulk: wire.Frame = { facts: { facts: [], fresh: false } }
  /** Returns the time until which these effects hold back the frames of a peer. */
  const pausedUntil = (peer: Actor, effects: readonly Effect[]): number =>
    Math.max(-Infinity, ...effects.flatMap((effect) => (effect.type === 'pause' && effect.peer === peer.id ? [effect.until] : [])))

  it('with more frames than allowed is read more slowly, and loses neither frames nor its link', () => {
    const { own } = rates.frames
    for (let sent = 4; sent < own * burst; sent++) expect(pausedUntil(mallory, bench.receive(mallory, bulk))).toBe(-Infinity)
    const crowd = actors(500, 7)
    for (const actor of crowd) bench.receive(mallory, facts([actor.joined()]))
    expect(bench.members).toEqual(expect.arrayContaining(crowd.map(({ id }) => id)))
    const effects = bench.receive(mallory, bulk)
    expect(pausedUntil(mallory, effects)).toBeGreaterThan(bench.now + (500 / own) * 900)
    expect(pausedUntil(mallory, effects)).toBeLessThan(bench.now + (500 / own) * 1_100)
    expect(warnings()).toEqual([])
    expect(bench.node.links).toContain(mallory.id)
  })

  it('with more bytes than allowed is read more slowly', () => {
    const large = wire.Frame.encode({ goodbye: { reason: 'x'.repeat(250_000) } })
    let effects: Effect[] = []
    for (let sent = 0; sent < rates.bytes.own * (burst + 1); sent += large.length)
      effects = bench.input({ type: 'frame', from: mallory.id, data: large })
    expect(pausedUntil(mallory, effects)).toBeGreaterThan(bench.now)
    expect(warnings()).toEqual([])
  })

  it('is ignored for a while if its host does not slow it down, except for urgent frames', () => {
    for (let sent = 0; sent < rates.frames.own * burst * 2.5; sent++) bench.receive(mallory, bulk)
    bench.receive(mallory, facts([dave.joined()]))
    expect(bench.members).not.toContain(dave.id)
    expect(bench.sent(mallory, bench.receive(mallory, { probe: { sequence: 7 } }))).toMatchObject([{ ack: { sequence: 7 } }])
    expect(warnings()).toEqual([])
    bench.advance(burst * 2_000)
    bench.receive(mallory, facts([dave.joined()]))
    expect(bench.members).toContain(dave.id)
  })

  it('with too many urgent frames is answered only some of them', () => {
    let answered = 0
    for (let sequence = 0; sequence < rates.urgent.own * burst * 2; sequence++)
      answered += bench.sent(mallory, bench.receive(mallory, { probe: { sequence } })).length
    expect(answered).toBe(rates.urgent.own * burst)
    expect(warnings()).toEqual([])
    bench.receive(mallory, facts([dave.joined()]))
    expect(bench.members).toContain(dave.id)
  })

  it('with a flood of urgent frames has some of them read, and is read again when it is over', () => {
    const most = rates.urgent.own * burst
    const data = wire.Frame.encode({ alarm: { statements: [] } })
    const reading = vi.spyOn(wire.Frame, 'decode')
    for (let i = 0; i < most * 10; i++) bench.input({ type: 'frame', from: mallory.id, data })
    const read = reading.mock.calls.length
    reading.mockRestore()
    expect(read).toBeGreaterThanOrEqual(most)
    expect(read).toBeLessThanOrEqual(most + 2 * rates.frames.own * burst + 1)
    bench.advance(burst * 2_000)
    expect(bench.sent(mallory, bench.receive(mallory, { probe: { sequence: 7 } }))).toMatchObject([{ ack: { sequence: 7 } }])
    bench.receive(mallory, facts([dave.joined()]))
    expect(bench.members).toContain(dave.id)
  })

  it('may send for ever at the allowed rate', () => {
    for (let i = 0; i < 30; i++) {
      for (let frame = 0; frame < rates.frames.own / 2; frame++) bench.receive(mallory, bulk)
      bench.advance(1_000)
    }
    expect(bench.log.filter(({ effect }) => effect.type === 'pause')).toEqual([])
  })

  it('gets no new budget by coming back', () => {
    bench.advance(bench.config.limits.bootstrapTime)
    const { own } = rates.newcomers
    const crowd = actors(own * burst * 10, 77)
    const before = bench.members.length
    for (let link = 0; link < 10; link++) {
      for (let i = 0; i < own * burst; i += 100)
        bench.receive(mallory, facts(crowd.slice(link * own * burst + i, link * own * burst + i + 100).map((actor) => actor.joined())))
      bench.unlink(mallory)
      bench.link(mallory)
    }
    expect(bench.members.length - before).toBeLessThanOrEqual(own * burst)
  })

  it('gets no new budget by coming back under another name', () => {
    bench.advance(bench.config.limits.bootstrapTime)
    const { own, strangers } = rates.newcomers
    const crowd = actors(own * burst * 30, 77)
    const before = bench.members.length
    for (const [i, stranger] of actors(30, 78).entries()) {
      bench.link(stranger)
      for (let j = 0; j < own * burst; j += 100)
        bench.receive(stranger, facts(crowd.slice(i * own * burst + j, i * own * burst + j + 100).map((actor) => actor.joined())))
      bench.unlink(stranger)
    }
    expect(bench.members.length - before).toBeLessThanOrEqual(strangers * burst)
    bench.receive(alice, facts([dave.joined()]))
    expect(bench.members).toContain(dave.id)
  })

  describe('in a pool that it joined long ago', () => {
    const many = (count: number, seed: number): Actor[] => actors(count, seed)

    beforeEach(() => {
      bench.advance(bench.config.limits.bootstrapTime)
    })

    it('announces a bounded number of new members a second, and of known ones any number', () => {
      const { own } = rates.newcomers
      const crowd = many(own * 40, 77)
      const tell = (from: number, to: number): Effect[] =>
        bench.receive(mallory, facts(crowd.slice(from, to).map((actor) => actor.joined())))
      const before = bench.members.length
      tell(0, own * burst)
      expect(bench.members.length - before).toBe(own * burst)
      // The peer may only pass on received joins. So the excess is refused, and its own requests
      // are still read.
      expect(pausedUntil(mallory, tell(own * burst, own * burst + 200))).toBe(-Infinity)
      expect(bench.members.length - before).toBe(own * burst)
      bench.advance(1_000)
      tell(own * burst, own * burst + 200)
      expect(bench.members.length - before).toBe(own * burst + own)
      expect(warnings()).toEqual([])
      // It exhausted only its own budget.
      bench.receive(alice, facts([dave.joined()]))
      expect(bench.members).toContain(dave.id)
    })

    it('has a bounded number of signatures checked', () => {
      const { own } = rates.checks
      for (let epoch = 10; epoch < 10 + own * 40; epoch += 50) {
        const claims = Array.from({ length: 50 }, (_, i) => mallory.claims('another', 2_000 * (epoch + i)))
        bench.receive(mallory, facts(claims))
      }
      expect(bench.verifications).toBeLessThanOrEqual(2 * own * burst + 100)
    })

    it('makes this node probe a bounded number of members on its behalf', () => {
      const { own } = rates.pingReqs
      const subjects = many(own * burst * 2, 78)
      for (const actor of subjects) {
        bench.meet(actor, { linked: false })
        bench.reach.set(actor.id, 'refused')
      }
      const before = bench.log.length
      // So few that the node has room for them, and finishes them before the next request.
      for (let i = 0; i < subjects.length; i += 20) {
        bench.receive(mallory, {
          pingReq: { subjects: subjects.slice(i, i + 20).map(({ id }) => Uint8Array.from(decodeId(id))) },
        })
        bench.advance(30)
      }
      const effects = bench.log.slice(before).map(({ effect }) => effect)
      const { missed, unknown } = answersTo(mallory, effects)
      expect(missed.length + unknown.length).toBeGreaterThanOrEqual(own * burst)
      expect(missed.length + unknown.length).toBeLessThanOrEqual(own * burst + own)
    })

    it('that requests everything again and again is answered later and later, and keeps its link', () => {
      const { own } = rates.answers
      for (let i = 0; i < 400; i += 200)
        bench.receive(
          alice,
          facts(
            many(400, 5)
              .slice(i, i + 200)
              .map((actor) => actor.joined({ tag: new Uint8Array(500) })),
          ),
        )
      const everything = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }
      let sent = 0
      let until = -Infinity
      for (let i = 0; i < 1_000; i++) {
        const effects = bench.receive(mallory, { reconcile: { round: 1, ranges: [everything] } })
        until = Math.max(until, pausedUntil(mallory, effects))
        if (until > -Infinity) break
        for (const effect of effects) if (effect.type === 'send' && effect.to === mallory.id) sent += effect.data.length
      }
      expect(until).toBeGreaterThan(bench.now)
      expect(until).toBeLessThanOrEqual(bench.now + (pageBytes / own) * 1_100)
      expect(sent).toBeLessThan(own * (burst + 1))
      // Even a host without back-pressure gives at most twice as many answers.
      for (let i = 0; i < 1_000; i++) bench.receive(mallory, { reconcile: { round: 1, ranges: [everything] } })
      const total = bench.sent(mallory).reduce((sum, frame) => sum + wire.Frame.encode(frame).length, 0)
      expect(total).toBeLessThan(own * (2 * burst + 2))
      expect(bench.node.links).toContain(mallory.id)
      expect(warnings()).toEqual([])
    })

    it('that has ranges compared again and again is answered later and later', () => {
      const { own } = rates.work
      const ranges = Array.from({ length: 512 }, (_, i) => ({
        from: i * 2 ** 42,
        to: (i + 1) * 2 ** 42,
        count: 10_000,
        fingerprint: new Uint8Array(8),
        items: none,
        wanted: none,
        listed: false,
      }))
      let frames = 0
      while (pausedUntil(mallory, bench.receive(mallory, { reconcile: { round: 2, ranges } })) === -Infinity) frames += 1
      expect(frames).toBeLessThanOrEqual((own * burst) / 512 + 2)
      expect(warnings()).toEqual([])
    })

    it('with statements of unknown kinds locks nobody out: they are sent page by page', () => {
      for (let i = 0; i < 1_100; i += 50)
        bench.receive(mallory, facts(Array.from({ length: 50 }, (_, j) => mallory.says(500 + i + j, new Uint8Array(4_000)))))
      bench.link(dave, { incarnation: 0 })
      bench.receive(dave, facts([dave.joined()], true))
      const asked = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }
      let ranges: wire.Range[] = [asked]
      let told = 0
      let pages = 0
      for (; ranges.length > 0 && pages < 50; pages++) {
        // Requests the rest with an empty list, as a peer without any of these facts does.
        const effects = bench.receive(dave, { reconcile: { round: 2, ranges: ranges.map(({ from, to }) => ({ ...asked, from, to })) } })
        const bytes = effects.reduce((sum, effect) => sum + (effect.type === 'send' && effect.to === dave.id ? effect.data.length : 0), 0)
        expect(bytes).toBeLessThan(pageBytes * 1.1)
        const frames = bench.sent(dave, effects)
        told += frames.reduce((sum, frame) => sum + (frame.facts?.facts.length ?? 0), 0)
        ranges = frames.flatMap((frame) => frame.reconcile?.ranges ?? [])
      }
      expect(told).toBeGreaterThanOrEqual(1_100)
      expect(pages).toBeGreaterThan(10)
      expect(bench.node.links).toContain(dave.id)
      expect(warnings()).toEqual([])
    })
  })

  it('can fill at most half of the memory of ends with those of unknown members', () => {
    bench = new Bench(self, { config: { limits: { members: 40 } } })
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(bob, facts([bob.left()]))
    for (const actor of actors(100, 9)) bench.receive(mallory, facts([actor.left()]))
    // Otherwise Bob's end would be forgotten by now, and this statement would be believed.
    bench.receive(mallory, facts([bob.joined()]))
    expect(bench.members).not.toContain(bob.id)
  })

  it('can fill all of it at a new node, but displaces no end that the node has seen', () => {
    bench = new Bench(self, { config: { limits: { members: 40 } } })
    bench.reconciles = false
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(bob, facts([bob.left()]))
    bench.advance(1_000) // the oldest would be forgotten first
    for (const actor of actors(100, 9)) bench.receive(mallory, facts([actor.left()]))
    bench.receive(mallory, facts([bob.joined()]))
    expect(bench.members).not.toContain(bob.id)
  })

  it("can't send anything without a link", () => {
    expect(bench.receive(eve, facts([eve.joined()]))).toEqual([])
    expect(bench.members).not.toContain(eve.id)
  })

  it.each<[string, wire.Frame]>([
    ['too many facts', facts(Array.from({ length: 9 }, () => dave.joined()))],
    ['too many entries in an alarm', alarm(...Array.from({ length: 9 }, () => alice.suspects(dave)))],
    ['a request for no key', { pingReq: { subjects: [new Uint8Array(5)] } }],
    ['a signal without a name', { signal: { reference: 1, name: '' } }],
    ["a signal with a terminal's codes", { signal: { reference: 1, name: '\u001b[2J' } }],
    ['a suspicion that is forged', alarm({ ...alice.suspects(self), signature: new Uint8Array(64) })],
    ['a refutation that is forged', alarm({ ...alice.refutes(1), signature: new Uint8Array(64) })],
    ['a join as an alarm', alarm(alice.joined())],
    ['an incarnation out of range', { hello: { known: hashSpace, ended: false, incarnation: 1 } }],
  ])('is sent the reason: %s', (_, frame) => {
    bench = new Bench(self, { config: { limits: { factsPerFrame: 8, entriesPerAlarm: 8 } } })
    for (const actor of [alice, mallory]) bench.meet(actor)
    const before = bench.node.members()
    bench.receive(mallory, frame)
    expect(warnings().length).toBe(1)
    expect(warnings()[0]).toMatch(/ sent a bad frame: .{10,}/)
    expect(bench.node.members()).toEqual(before)
  })
})

describe('a topic that is flooded', () => {
  /** Returns the number of batches that are worth forwarding. Each has a new fact. */
  function forwarded(bench: Bench, batches: number, facts: number, from: Actor, first: number): number {
    const verdicts = Array.from({ length: batches }, (_, batch) =>
      bench.overhears(...Array.from({ length: facts }, (_, i) => from.stands('master', { sequence: first + batch * facts + i }))),
    )
    return verdicts.filter((verdict) => verdict === 'accept').length
  }
  const { own, strangers } = rates.published

  function flooded(): Bench {
    const bench = new Bench(self)
    for (const actor of [mallory, alice]) bench.meet(actor)
    bench.advance(20_000)
    return bench
  }

  it('has a bounded number of facts verified and forwarded', () => {
    const bench = flooded()
    const before = bench.verifications
    const atOnce = (own + strangers) * burst
    expect(forwarded(bench, atOnce + 1_000, 1, mallory, 1)).toBe(atOnce)
    expect(bench.verifications - before).toBe(atOnce)
    bench.advance(1_000)
    expect(forwarded(bench, 1_000, 1, mallory, 10_000)).toBe(strangers)
    bench.advance(10_000)
    // The budget counts facts, not batches.
    expect(forwarded(bench, 1_000, 10, mallory, 20_000)).toBe((strangers * burst) / 10)
  })

  it('still carries statements of others about themselves', () => {
    const bench = flooded()
    forwarded(bench, 10_000, 1, mallory, 1)
    expect(bench.overhears(mallory.stands('master', { sequence: 100_000 }))).toBe('ignore')
    expect(bench.overhears(alice.stands('master'))).toBe('accept')
    expect(bench.overhears(alice.left())).toBe('accept')
    expect(bench.members).not.toContain(alice.id)
  })

  it('forwards a fact once a minute, in whatever batch it comes', () => {
    const bench = settled()
    const fact = mallory.stands('master', { sequence: 7 })
    expect([bench.overhears(fact), bench.overhears(fact), bench.overhears(fact, fact)]).toEqual(['accept', 'ignore', 'ignore'])
    bench.advance(forwardOnce)
    expect(bench.overhears(fact)).toBe('accept')
  })
})

describe('a peer that lies in its hello', () => {
  const absurd = 281_474_976_710_656

  it("can't drive a member from life to life", () => {
    const bench = new Bench(self)
    bench.meet(alice)
    bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    for (let i = 0; i < 600; i++) {
      bench.receive(mallory, { hello: { known: bench.node.self?.incarnation ?? 0, ended: true, incarnation: 1 } })
      bench.advance(100)
    }
    expect(bench.node.self?.incarnation).toBeLessThan(8)
  })

  it("can't drive an incarnation out of range, where nobody would accept it again", () => {
    const bench = new Bench(self, { introducers: [{ id: mallory.id, address: Uint8Array.of(1) }] })
    bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    bench.receive(mallory, { hello: { known: absurd, ended: false, incarnation: 1 } })
    bench.advance(bench.config.introduction.aloneAfter)
    const { self: entered } = bench.node
    expect(entered).toBeDefined()
    expect(entered?.incarnation).toBeLessThan(absurd)
    bench.receive(mallory, { hello: { known: absurd, ended: true, incarnation: 1 } })
    expect(bench.node.self?.incarnation).toBeLessThan(absurd)
  })
})

describe('a stranger that makes up deaths of an absent member', () => {
  const reach = 1_000_000
  const madeUp = (...incarnations: readonly number[]): wire.Frame[] =>
    incarnations.map((incarnation) => facts([death(eve, [bob, carol, dave], 0, incarnation)]))

  it("can't raise the member's incarnation out of the member's own reach", () => {
    for (const known of [true, false]) {
      const bench = new Bench(self)
      bench.meet(alice)
      bench.advance(70_000) // ends its time as a newcomer
      if (known) for (const said of [eve.joined(), eve.left()]) bench.receive(alice, facts([said]))
      for (const frame of madeUp(reach, 2 * reach, 3 * reach)) bench.receive(alice, frame)
      // Eve comes back above the incarnation that it receives, if it believes that incarnation.
      const { known: told = 0 } =
        framesTo(eve.id, bench.link(eve, { incarnation: 0 })).find(({ hello }) => hello !== undefined)?.hello ?? {}
      expect(told).toBeLessThanOrEqual(reach)
      bench.receive(eve, facts([eve.joined({ incarnation: told + 1 })], true))
      expect(bench.members).toContain(eve.id)
    }
  })

  it("can't do so with accusers that are members, or with keys that only left", () => {
    const ghosts = actors(4, 79)
    for (const accusers of [[alice, bob, carol, dave], ghosts]) {
      const bench = new Bench(self)
      for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
      bench.advance(70_000)
      for (const said of [eve.joined(), eve.left()]) bench.receive(alice, facts([said]))
      bench.link(mallory, { incarnation: 0 })
      bench.receive(mallory, facts(ghosts.map((ghost) => ghost.left())))
      for (let n = 1; n <= 5; n++) bench.receive(mallory, facts([death(eve, accusers, 0, n * reach + 1)]))
      const { known: told = 0 } =
        framesTo(eve.id, bench.link(eve, { incarnation: 0 })).find(({ hello }) => hello !== undefined)?.hello ?? {}
      // No newcomer would believe these deaths, so they replace no end that it needs.
      expect(told).toBe(1)
    }
  })

  it('causes one warning if others believe the death', () => {
    const bench = new Bench(self)
    bench.meet(alice)
    for (let i = 0; i < 3; i++) bench.receive(alice, { hello: { known: 3 * reach, ended: true, incarnation: 1 } })
    const warnings = bench.notifications.filter((each) => each.type === 'warning' && each.code === 'INCARNATION_OUT_OF_REACH')
    expect(warnings).toHaveLength(1)
  })
})

describe('keys of which only an end is known', () => {
  const ghosts = actors(4, 79)
  const [stranger] = actors(1, 80) as [Actor]
  let bench: Bench

  beforeEach(() => {
    bench = new Bench(self)
    for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
    bench.advance(70_000)
    bench.link(stranger, { incarnation: 0 })
    bench.receive(stranger, facts(ghosts.map((ghost) => ghost.left())))
  })

  it('are no accusers of a member without a link', () => {
    bench.meet(eve, { linked: false })
    bench.receive(stranger, facts([death(eve, ghosts)]))
    expect(bench.members).toContain(eve.id)
  })

  it('are no accusers of this node', () => {
    for (let i = 0; i < 10; i++) {
      bench.receive(stranger, facts([death(self, ghosts, 1_000_000, bench.node.self?.incarnation ?? 0)]))
      bench.advance(5_100)
    }
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it('count as accusers once they have been members', () => {
    for (const ghost of ghosts) bench.receive(ghost, facts([ghost.joined({ incarnation: 2 })], true))
    for (const ghost of ghosts) bench.meet(ghost, { linked: false })
    bench.receive(alice, facts(ghosts.map((ghost) => ghost.joined({ incarnation: 2 }))))
    bench.meet(eve, { linked: false })
    bench.receive(stranger, facts([death(eve, ghosts)]))
    expect(bench.members).not.toContain(eve.id)
  })
})

describe('a statement beyond a bound that earlier releases lack', () => {
  const joined = mallory.joined()
  const constant = (name: string): wire.Constant => ({ name, value: new Uint8Array(1) })
  const withConstants = (constants: wire.Constant[]): Statement =>
    mallory.says(
      kinds.joined,
      wire.Joined.encode({
        incarnation: 1,
        version: 1,
        nonce: 7,
        addresses: [],
        location: '',
        tag: none,
        joinedAt: 1,
        constants,
      }),
      joined.content,
    )
  const beyond: [string, Statement][] = [
    ['too many constants', withConstants(Array.from({ length: 33 }, (_, i) => constant(`c${10 + i}`)))],
    ['constants out of order', withConstants([constant('b'), constant('a')])],
    [
      'a body too large',
      mallory.says(
        kinds.left,
        Uint8Array.from([...wire.Left.encode({ incarnation: 1 }), 0xfa, 0x01, 0x90, 0x4e, ...new Uint8Array(10_000)]),
        mallory.left().content,
      ),
    ],
  ]

  it.each(beyond)('with %s costs no peer that passes it on its link, nor the rest of the frame', (_, statement) => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol]) bench.meet(actor)
    bench.advance(1_000)
    expect(bench.overhears(statement)).toBe('ignore')
    expect(bench.overhears(statement, dave.joined())).toBe('ignore')
    for (let i = 0; i < 5; i++) bench.receive(alice, facts([statement, eve.joined()]))
    expect(bench.node.links).toContain(alice.id)
    expect(bench.notifications.filter(({ type }) => type === 'warning')).toEqual([])
    expect(bench.members).toEqual(expect.arrayContaining([dave.id, eve.id]))
    expect(bench.members).not.toContain(mallory.id)
  })

  it.each(beyond)('with %s costs no peer that sends it in an alarm, nor the rest of the alarm', (_, statement) => {
    const bench = new Bench(self)
    for (const actor of [alice, bob]) bench.meet(actor)
    bench.advance(1_000)
    const told = [...bench.receive(alice, alarm(statement, alice.suspects(self, 0))), ...bench.advance(20)]
    expect(bench.notifications.filter(({ type }) => type === 'warning')).toEqual([])
    expect(bench.sent(alice, told).some(({ alarm: refutes }) => refutes !== undefined)).toBe(true)
  })
})

describe('a lying accuser', () => {
  it('ends no life if this node does not know it', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(mallory, facts([death(self, [dave, eve])]))
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it("can't silence a suspect by citing a heartbeat far ahead", () => {
    const bench = new Bench(self)
    for (const actor of [alice, mallory]) bench.meet(actor)
    bench.receive(mallory, alarm(mallory.suspects(self, 0xffffffff)))
    const effects = [...bench.receive(alice, alarm(alice.suspects(self, 0))), ...bench.advance(20)]
    const heartbeats = bench.sent(alice, effects).flatMap((frame) =>
      (frame.alarm?.statements ?? []).flatMap((message) => {
        const { content } = alice.read(message)
        return content.kind === 'refutation' ? [content.heartbeat] : []
      }),
    )
    expect(Math.max(...heartbeats)).toBeGreaterThan(0)
  })

  it('counts as one accuser, however often it accuses', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol, dave, mallory]) bench.meet(actor)
    for (let heartbeat = 0; heartbeat < 10; heartbeat++) bench.receive(mallory, alarm(mallory.suspects(alice, heartbeat)))
    bench.advance(30_000)
    expect(bench.members).toContain(alice.id)
    expect(bench.changes).not.toContain(`died:${alice.id}:1`)
  })
})
