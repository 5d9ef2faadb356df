import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { actors, alarm, death, facts, type Actor } from '../test/actors.ts'
import { Bench, framesTo } from '../test/bench.ts'
import { hashSpace } from './base/hash.ts'
import { decodeId } from './base/id.ts'
import * as wire from './wire/messages.js'

const [self, alice, bob, carol, dave, eve, mallory, auditor] = actors(8) as [Actor, Actor, Actor, Actor, Actor, Actor, Actor, Actor]
const election = 'master'
const none = new Uint8Array(0)

/** A node in a pool of a few, with an election that is decided. No budget and no strikes, so that it goes on listening. */
function settled(): Bench {
  const bench = new Bench(self, { config: { limits: { strikes: 1_000_000, framesPerSecond: 1_000_000 } } })
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
    // Something that looks like a frame: a field of Frame with a length, then anything.
    fc
      .tuple(fc.integer({ min: 1, max: 11 }), fc.uint8Array({ maxLength: 120 }))
      .map(([field, rest]) => Uint8Array.from([(field << 3) | 2, rest.length, ...rest])),
  )

  it('in a frame are refused, and change nothing', () => {
    const bench = settled()
    const before = stateOf(bench)
    fc.assert(
      fc.property(bytes, (data) => {
        fc.pre(!isHello(data)) // one that says that this life is over is answered by the next
        bench.input({ type: 'frame', from: mallory.id, data })
      }),
      { numRuns: 1_500 },
    )
    expect(stateOf(bench)).toEqual(before)
  })

  it('in a broadcast are rejected or mean nothing, and change nothing', () => {
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

  it('before this node has entered mean nothing', () => {
    const bench = new Bench(self, {
      introducers: [{ id: alice.id, address: Uint8Array.of(1) }],
      config: { limits: { strikes: 1_000_000 } },
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

/** A hello lets a node in, wherever in the frame it stands. */
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
    ['claim', () => facts([bob.claims(election, 2, { winner: alice })])],
  ]

  it.each(frames)('that tells of a %s does what it said or nothing', (_, frame) => {
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

  it('is told off, then told why and disconnected, and stays away for a while', () => {
    const { strikes, ban } = bench.config.limits
    for (let i = 1; i < strikes; i++) bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(bench.node.links).toContain(mallory.id)
    const effects = bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(warnings().length).toBe(strikes)
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

  it('gets no clean slate by coming back', () => {
    const { strikes } = bench.config.limits
    for (let i = 1; i <= strikes; i++) {
      expect(bench.node.links).toContain(mallory.id)
      bench.input({ type: 'misbehaved', peer: mallory.id, problem: 'garbage' })
      bench.unlink(mallory)
      bench.input({ type: 'connected', peer: mallory.id, dialable: true })
    }
    expect(bench.node.links).not.toContain(mallory.id)
    expect(warnings()).toHaveLength(strikes)
  })

  it('long ago is forgiven', () => {
    const { strikes, ban } = bench.config.limits
    for (let i = 1; i <= strikes * 2; i++) {
      bench.input({ type: 'frame', from: mallory.id, data: garbage })
      bench.advance(ban)
    }
    expect(bench.node.links).toContain(mallory.id)
  })

  it('is not held for dead while it is kept away, as it can be reached', () => {
    bench.reach.set(mallory.id, 'up')
    for (let i = 0; i < bench.config.limits.strikes; i++) {
      bench.input({ type: 'misbehaved', peer: mallory.id, problem: 'garbage' })
      bench.unlink(mallory)
      bench.advance(1_000)
    }
    bench.advance(30_000)
    expect(bench.node.links).not.toContain(mallory.id)
    expect(bench.members).toContain(mallory.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('is not held for dead because it was sent away', () => {
    for (let i = 0; i < bench.config.limits.strikes; i++) bench.input({ type: 'frame', from: mallory.id, data: garbage })
    expect(bench.members).toContain(mallory.id)
    expect(bench.node.health(bench.now).suspectedShare).toBe(0)
  })

  it('with a frame too large is struck, whatever is in it', () => {
    const large = wire.Frame.encode({ goodbye: { reason: 'x'.repeat(bench.config.limits.frameBytes) } })
    bench.input({ type: 'frame', from: mallory.id, data: large })
    expect(warnings()).toEqual([expect.stringContaining(`at most ${bench.config.limits.frameBytes} bytes`)])
    expect(bench.broadcast(new Uint8Array(bench.config.limits.frameBytes + 1))).toBe('reject')
  })

  it('with more frames than allowed is sent away at once', () => {
    const { framesPerSecond } = bench.config.limits
    let sent = 0
    for (; bench.node.links.has(mallory.id) && sent < framesPerSecond * 20; sent++)
      bench.receive(mallory, { ack: { sequence: 0, nextInMs: 0 } })
    expect(sent).toBeGreaterThan(framesPerSecond)
    expect(sent).toBeLessThanOrEqual(framesPerSecond * 10 + 1)
    expect(warnings().at(-1)).toContain(`more than ${framesPerSecond} frames a second`)
    expect(bench.node.links).toContain(alice.id)
  })

  it('may send what is allowed for ever', () => {
    for (let i = 0; i < 30; i++) {
      for (let frame = 0; frame < bench.config.limits.framesPerSecond / 2; frame++)
        bench.receive(mallory, { ack: { sequence: 0, nextInMs: 0 } })
      bench.advance(1_000)
    }
    expect(bench.node.links).toContain(mallory.id)
  })

  describe('in a pool that it has been in for long', () => {
    const many = (count: number, seed: number): Actor[] => actors(count, seed)

    beforeEach(() => {
      bench.advance(bench.config.limits.credulity)
    })

    it('makes a bounded number of members known a second, and as many as are known already at once', () => {
      const { newcomersPerSecond } = bench.config.limits
      const crowd = many(newcomersPerSecond * 40, 77)
      const tell = (from: number, to: number): void => {
        for (let i = from; i < to; i += 100) bench.receive(mallory, facts(crowd.slice(i, i + 100).map((actor) => actor.joined())))
      }
      const before = bench.members.length
      tell(0, crowd.length)
      expect(bench.members.length - before).toBe(newcomersPerSecond * 10)
      expect(warnings()).toEqual([])
      bench.advance(2_000)
      tell(0, crowd.length)
      expect(bench.members.length - before).toBeLessThanOrEqual(newcomersPerSecond * 13)
      // What it used up is its own.
      bench.receive(alice, facts([dave.joined()]))
      expect(bench.members).toContain(dave.id)
    })

    it('has a bounded number of signatures checked', () => {
      const { checksPerSecond } = bench.config.limits
      for (let epoch = 10; epoch < 10 + checksPerSecond * 20; epoch += 50) {
        const claims = Array.from({ length: 50 }, (_, i) => mallory.claims('another', 2_000 * (epoch + i)))
        bench.receive(mallory, facts(claims))
      }
      const checked = bench.verifications
      expect(checked).toBeLessThanOrEqual(checksPerSecond * 11)
    })

    it('makes this node look after a bounded number of others', () => {
      const { hintsPerSecond } = bench.config.limits
      bench.reach.set(alice.id, 'up')
      const knocks = (): number => bench.log.filter(({ effect }) => effect.type === 'knock').length
      const before = knocks()
      for (let i = 0; i < hintsPerSecond * 20; i++) {
        bench.receive(mallory, { alarm: { statements: [], doubted: [decodeId(alice.id) as Uint8Array<ArrayBuffer>] } })
        bench.receive(alice, { ack: { sequence: 0, nextInMs: 2_000 } })
      }
      expect(knocks() - before).toBeGreaterThan(hintsPerSecond)
      expect(knocks() - before).toBeLessThanOrEqual(hintsPerSecond * 10)
    })

    it('that asks for everything again and again is sent away', () => {
      bench.receive(alice, facts(many(400, 5).map((actor) => actor.joined())))
      const everything = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }
      let sent = 0
      for (let i = 0; i < 1_000 && bench.node.links.has(mallory.id); i++) {
        const effects = bench.receive(mallory, { reconcile: { round: 1, ranges: [everything] } })
        for (const effect of effects) if (effect.type === 'send' && effect.to === mallory.id) sent += effect.data.length
      }
      expect(bench.node.links).not.toContain(mallory.id)
      expect(sent).toBeLessThan(bench.config.limits.answersPerSecond * 12)
      expect(warnings().at(-1)).toContain('asks for more')
    })
  })

  it('can fill no more than half of the memory of ends with those of nobody', () => {
    bench = new Bench(self, { config: { limits: { members: 40 } } })
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(bob, facts([bob.left()]))
    for (const actor of actors(100, 9)) bench.receive(mallory, facts([actor.left()]))
    // Else its end would be forgotten by now, and this believed.
    bench.receive(mallory, facts([bob.joined()]))
    expect(bench.members).not.toContain(bob.id)
  })

  it('can fill no more than all of it, and with no end that was seen, in a node that is new', () => {
    bench = new Bench(self, { config: { limits: { members: 40 } } })
    bench.reconciles = false
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(bob, facts([bob.left()]))
    bench.advance(1_000) // the oldest would be forgotten first
    for (const actor of actors(100, 9)) bench.receive(mallory, facts([actor.left()]))
    bench.receive(mallory, facts([bob.joined()]))
    expect(bench.members).not.toContain(bob.id)
  })

  it("can't speak without a link", () => {
    expect(bench.receive(eve, facts([eve.joined()]))).toEqual([])
    expect(bench.members).not.toContain(eve.id)
  })

  it.each<[string, wire.Frame]>([
    ['too many facts', facts(Array.from({ length: 9 }, () => dave.joined()))],
    ['too many entries in an alarm', alarm(...Array.from({ length: 9 }, () => alice.suspects(dave)))],
    ['a doubt about no key', { alarm: { statements: [], doubted: [new Uint8Array(5)] } }],
    ['a signal without a name', { signal: { reference: 1, name: '' } }],
    ["a signal with a terminal's codes", { signal: { reference: 1, name: '\u001b[2J' } }],
    ['a suspicion that is forged', alarm({ ...alice.suspects(self), signature: new Uint8Array(64) })],
    ['a refutation that is forged', alarm({ ...alice.refutes(1), signature: new Uint8Array(64) })],
    ['a join as an alarm', alarm(alice.joined())],
    ['an incarnation out of range', { hello: { known: hashSpace, ended: false, incarnation: 1 } }],
  ])('is told what was wrong: %s', (_, frame) => {
    bench = new Bench(self, { config: { limits: { factsPerFrame: 8, statementsPerAlarm: 8 } } })
    for (const actor of [alice, mallory]) bench.meet(actor)
    const before = bench.node.members()
    bench.receive(mallory, frame)
    expect(warnings().length).toBe(1)
    expect(warnings()[0]).toMatch(/ sent a bad frame: .{10,}/)
    expect(bench.node.members()).toEqual(before)
  })
})

describe('a topic that is flooded', () => {
  const limits = { broadcastFactsPerSecond: 20, forwardOnce: 60_000 }
  /** Batches that are worth forwarding, each of which says something new. */
  function forwarded(bench: Bench, batches: number, facts: number, from: Actor, first: number): number {
    const verdicts = Array.from({ length: batches }, (_, batch) =>
      bench.overhears(...Array.from({ length: facts }, (_, i) => from.stands('master', { sequence: first + batch * facts + i }))),
    )
    return verdicts.filter((verdict) => verdict === 'accept').length
  }

  it('has a bounded number of facts checked and forwarded, whoever they are from', () => {
    const bench = new Bench(self, { config: { limits } })
    for (const actor of [mallory, alice]) bench.meet(actor)
    bench.advance(20_000)
    const before = bench.verifications
    expect(forwarded(bench, 300, 1, mallory, 1)).toBe(200)
    expect(forwarded(bench, 300, 1, alice, 1)).toBe(0)
    expect(bench.verifications - before).toBeLessThanOrEqual(200)
    bench.advance(1_000)
    expect(forwarded(bench, 300, 1, mallory, 1_000)).toBe(20)
    bench.advance(10_000)
    // By the fact, not by the batch.
    expect(forwarded(bench, 300, 10, mallory, 2_000)).toBe(20)
  })

  it('forwards what it heard once a minute, in whatever batch it comes', () => {
    const bench = settled()
    const fact = mallory.stands('master', { sequence: 7 })
    expect([bench.overhears(fact), bench.overhears(fact), bench.overhears(fact, fact)]).toEqual(['accept', 'ignore', 'ignore'])
    bench.advance(limits.forwardOnce)
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

describe('a witness that lies', () => {
  it('is nobody whom this node has ever heard of: its word ends no life', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, mallory]) bench.meet(actor)
    bench.receive(mallory, facts([death(self, [dave, eve])]))
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it("can't take the word from a suspect by claiming that it has spoken too often", () => {
    const bench = new Bench(self)
    for (const actor of [alice, mallory]) bench.meet(actor)
    bench.receive(mallory, alarm(mallory.suspects(self, 0xffffffff)))
    const effects = bench.receive(alice, alarm(alice.suspects(self, 0)))
    const numbers = bench.sent(alice, effects).flatMap((frame) =>
      (frame.alarm?.statements ?? []).flatMap((message) => {
        const { content } = alice.read(message)
        return content.kind === 'refutation' ? [content.number] : []
      }),
    )
    expect(Math.max(...numbers)).toBeGreaterThan(0)
  })

  it('is one witness, however often it speaks', () => {
    const bench = new Bench(self)
    for (const actor of [alice, bob, carol, dave, mallory]) bench.meet(actor)
    for (let refutations = 0; refutations < 10; refutations++) bench.receive(mallory, alarm(mallory.suspects(alice, refutations)))
    bench.receive(mallory, { alarm: { statements: [], doubted: [decodeId(alice.id) as Uint8Array<ArrayBuffer>] } })
    bench.advance(30_000)
    expect(bench.members).toContain(alice.id)
    expect(bench.changes).not.toContain(`died:${alice.id}:1`)
  })
})

describe('a pool of members with large tags', () => {
  const tag = new Uint8Array(1_000)
  const others = actors(40, 12)
  const told = (from: readonly Actor[]): wire.Frame => facts(from.map((actor) => actor.joined({ tag })))
  const misbehaved = (bench: Bench): boolean =>
    bench.notifications.some((notification) => notification.type === 'warning' && notification.code === 'PEER_MISBEHAVED')

  it('is told to a newcomer at once, and again where that was lost, but not for ever', () => {
    const bench = new Bench(self, { config: { limits: { answersPerSecond: 1_000 } } })
    for (const actor of [alice, mallory]) bench.meet(actor)
    bench.receive(alice, told(others))
    const item = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: new Uint8Array(11), wanted: none, listed: true }
    const ask = (): number =>
      framesTo(mallory.id, bench.receive(mallory, { reconcile: { round: 2, ranges: [item] } })).flatMap((frame) => frame.facts?.facts ?? [])
        .length
    expect(ask()).toBe(others.length + 3)
    expect(misbehaved(bench)).toBe(false)
    expect(ask()).toBe(others.length + 3)
    expect(misbehaved(bench)).toBe(false)
    expect(ask()).toBe(0)
    expect(misbehaved(bench)).toBe(true)
  })

  /** A node that has a link with both and did not reconcile yet. A thousand bytes a second is less than it is told. */
  function newcomer(members: number): Bench {
    const bench = new Bench(self, { config: { limits: { bytesPerSecond: 1_000, members } } })
    bench.reconciles = false
    for (const actor of [alice, bob]) bench.meet(actor)
    return bench
  }

  it('is taken in by a newcomer from each whom it asked, also after the first is done', () => {
    const bench = newcomer(100)
    bench.receive(alice, told(others))
    bench.receive(alice, { reconcile: { round: 2, ranges: [] } })
    bench.receive(bob, told(others))
    expect(misbehaved(bench)).toBe(false)
    expect(bench.members).toHaveLength(others.length + 3)
    bench.advance(bench.config.limits.credulity)
    bench.receive(bob, told(others))
    expect(misbehaved(bench)).toBe(true)
    expect(bench.node.links).not.toContain(bob.id)
  })

  it('is as large as a view of the largest members for a newcomer, too', () => {
    const bench = newcomer(50)
    let sent = 0
    for (; bench.node.links.has(alice.id) && sent < 20; sent++) bench.receive(alice, told(others))
    // 141 KB, 45 at a time.
    expect(sent).toBe(4)
    expect(bench.node.links).not.toContain(alice.id)
  })
})
