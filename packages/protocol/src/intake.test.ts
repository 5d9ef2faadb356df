import { beforeEach, describe, expect, it } from 'vitest'
import { Actor, actors, death, facts, forged, alarm, wireFact } from '../test/actors.ts'
import { Bench, broadcastsIn, changesIn, framesTo, notificationsIn } from '../test/bench.ts'
import { readCertificate, verifyCertificate } from './facts/certificate.ts'
import type { Certificate } from './facts/certificate.ts'
import { kinds, type Statement } from './facts/statement.ts'
import * as wire from './wire/messages.js'

const [self, ...others] = actors(10) as [Actor, ...Actor[]]
const [alice, bob, carol, dave, eve] = others as [Actor, Actor, Actor, Actor, Actor]
const auditor = others[8] as Actor

let bench: Bench

beforeEach(() => {
  for (const actor of [self, ...others]) actor.incarnation = 1
  bench = new Bench(self)
  bench.meet(auditor)
})

function warnings(): string[] {
  return bench.notifications.flatMap((notification) =>
    notification.type === 'warning' ? [`${notification.code}: ${notification.message}`] : [],
  )
}

describe('news from others', () => {
  it('arrives over a link or the topic alike', () => {
    bench.receive(auditor, facts([alice.joined(), bob.joined()]))
    expect(bench.overhears(carol.joined())).toBe('accept')
    expect(bench.members).toEqual([self, alice, bob, carol, auditor].map(({ id }) => id).sort())
    bench.receive(auditor, facts([alice.left()]))
    expect(bench.changes.at(-1)).toBe(`left:${alice.id}:1`)
  })

  it.each<[string, () => wire.Frame]>([
    ['forged', () => facts([forged(alice.joined())])],
    ['of another pool', () => facts([new Actor(alice.id, 'other-pool').joined()])],
    ['under another name', () => facts([{ ...alice.joined(), signer: bob.id }])],
    ['of no kind at all', () => facts([alice.says(0, new Uint8Array(0))])],
    ['forged by the dead', () => facts([forged(alice.left())])],
    ['a forged death', () => facts([{ ...death(alice, [bob, carol, dave]), incarnation: 2 }])],
    ['malformed, after one that is fine', () => facts([alice.joined(), alice.says(kinds.joined, Uint8Array.of(8, 0))])],
  ])('that is %s is refused with its cause and changes nothing', (_, frame) => {
    const before = bench.audit(auditor)
    bench.receive(auditor, frame())
    expect(bench.audit(auditor)).toEqual(before)
    expect(warnings()).toEqual([expect.stringMatching(`^PEER_MISBEHAVED: ${auditor.id} sent a bad frame: .+`)])
    expect(bench.broadcast(wire.Broadcast.encode({ nonce: 1, facts: frame().facts?.facts ?? [] }))).toBe('reject')
    expect(bench.audit(auditor)).toEqual(before)
  })

  it('that is old is not verified', () => {
    bench.receive(auditor, facts([alice.joined()]))
    bench.receive(
      auditor,
      facts([forged(alice.joined({ incarnation: 1 }))].filter(({ signature }) => Buffer.compare(signature, alice.joined().signature) < 0)),
    )
    bench.receive(auditor, facts([alice.left()]))
    bench.receive(auditor, facts([forged(alice.joined())]))
    expect(warnings()).toEqual([])
  })

  it('is passed on once if it is fresh, and not if it came by a reconciliation', () => {
    bench.receive(auditor, facts([alice.joined()], false))
    expect(broadcastsIn(bench.advance(5_000))).toEqual([])
    bench.receive(auditor, facts([bob.joined()], true))
    bench.receive(auditor, facts([bob.joined()], true))
    const told = broadcastsIn(bench.advance(5_000)).flatMap((broadcast) => broadcast.facts)
    expect(told).toEqual([wireFact(bob.joined())])
  })

  it('is not passed on again if it came by the topic', () => {
    bench.overhears(alice.joined())
    expect(broadcastsIn(bench.advance(5_000))).toEqual([])
  })
})

describe('the verdict on a broadcast', () => {
  const statements: [string, () => Statement | Certificate][] = [
    ['join', () => alice.joined()],
    ['departure', () => alice.left()],
    ['death', () => death(alice, [bob, carol, dave, eve])],
    ['candidacy', () => bob.stands('e')],
    ['claim', () => bob.claims('e', 1)],
    ['statement of an unknown kind', () => carol.says(77, Uint8Array.of(1))],
    ["join of this node's own", () => bench.ownStatement()],
  ]

  // The verdict must not depend on what a node knows. Otherwise nodes would be punished for
  // forwarding facts that others find forged.
  it.each(statements)('on a %s, true or forged, depends only on its bytes, not on known facts', (_, content) => {
    const spoil = (item: Statement | Certificate): Statement | Certificate =>
      'signer' in item ? forged(item) : { ...item, incarnation: item.incarnation + 1 }
    const all = [alice, bob, carol, dave, eve].map((actor) => actor.joined())
    const steps: (() => void)[] = [
      () => undefined,
      () => bench.receive(auditor, facts(all)),
      () => bench.receive(auditor, facts([content()])),
      () => bench.receive(auditor, facts([bob.stands('e', { sequence: 5 }), bob.claims('e', 2)])),
      () => bench.receive(auditor, facts([alice.left(), bob.left()])),
      () => bench.receive(auditor, facts([alice.joined({ incarnation: 9 })])),
    ]
    const item = content()
    for (const [i, step] of steps.entries()) {
      step()
      expect(bench.overhears(item)).toBe(i === 0 ? 'accept' : 'ignore') // forwarded before
      expect(bench.overhears(spoil(item))).toBe('reject')
    }
  })

  it('accepts a statement that is known word for word', () => {
    bench.receive(auditor, facts([alice.joined()]))
    expect(bench.overhears(alice.joined())).toBe('accept')
  })

  it('rejects a batch with padding around its facts or in them', () => {
    const batch = wire.Broadcast.encode({ nonce: 1, facts: [wireFact(bob.joined())] })
    // A field that this version does not know, at the end of the message.
    const padded = (bytes: number): Uint8Array =>
      Uint8Array.from([...batch, 0xfa, 0x01, (bytes & 0x7f) | 0x80, bytes >> 7, ...new Uint8Array(bytes)])
    expect(bench.broadcast(padded(10_000))).toBe('reject')
    expect(bench.broadcast(padded(30))).toBe('accept')
  })

  it('ignores everything before this node has entered', () => {
    const early = new Bench(self, { introducers: [{ id: alice.id, address: Uint8Array.of(1) }] })
    expect(early.node.self).toBeUndefined()
    expect(early.overhears(bob.joined())).toBe('ignore')
    expect(early.members).toEqual([])
  })
})

describe('a statement of a kind unknown here', () => {
  const kind = 4711
  const said = (name = 'something new'): ReturnType<Actor['says']> => alice.says(kind, new TextEncoder().encode(name))

  it('is passed on unread: on the topic if fresh, and in reconciliations', () => {
    bench.receive(auditor, facts([alice.joined()]))
    const before = bench.audit(auditor)
    bench.receive(auditor, facts([said()], true))
    expect(bench.audit(auditor)).not.toEqual(before)
    expect(broadcastsIn(bench.advance(5_000)).flatMap((broadcast) => broadcast.facts)).toEqual([wireFact(said())])
    expect(warnings()).toEqual([])
  })

  it('is not accepted from strangers, nor forged', () => {
    const before = bench.audit(auditor)
    bench.receive(auditor, facts([said()]))
    expect(bench.audit(auditor)).toEqual(before)
    bench.receive(auditor, facts([alice.joined()]))
    const known = bench.audit(auditor)
    bench.receive(auditor, facts([forged(said())]))
    expect(bench.audit(auditor)).toEqual(known)
    expect(warnings().length).toBe(1)
  })

  it('is kept in bounded numbers, and forgotten after its lifetime', () => {
    bench = new Bench(self, { config: { limits: { unknown: 3, unknownLifetime: 60_000 } } })
    bench.meet(auditor)
    bench.receive(auditor, facts([alice.joined()]))
    const before = bench.audit(auditor)
    bench.receive(auditor, facts([said('a'), said('b'), said('c')]))
    const full = bench.audit(auditor)
    bench.receive(auditor, facts([said('d')]))
    expect(bench.audit(auditor)).toEqual(full)
    bench.advance(61_000)
    expect(bench.audit(auditor)).toEqual(before)
    bench.receive(auditor, facts([said('d')]))
    expect(bench.audit(auditor)).not.toEqual(before)
  })

  const aged = (name: string, ageSeconds: number): wire.Frame => ({
    facts: { facts: [wireFact(said(name), { ageSeconds })], fresh: false },
  })

  it('is exchanged for nine tenths of its lifetime, so that no node gets it again after its end', () => {
    bench = new Bench(self, { config: { limits: { unknownLifetime: 60_000 } } })
    bench.meet(auditor)
    bench.receive(auditor, facts([alice.joined()]))
    const before = bench.audit(auditor)
    // Otherwise a node that has just forgotten the statement would get it again from this node.
    bench.receive(auditor, aged('a', 54))
    expect(bench.audit(auditor)).toEqual(before)
    bench.receive(auditor, aged('a', 53))
    const told = bench.audit(auditor)
    expect(told).not.toEqual(before)
    bench.advance(1_000)
    expect(bench.audit(auditor)).toEqual(before)
    // It is still remembered.
    bench.receive(auditor, aged('a', 0))
    expect(bench.audit(auditor)).toEqual(before)
    bench.advance(6_000)
    bench.receive(auditor, aged('a', 0))
    expect(bench.audit(auditor)).toEqual(told)
  })

  it('is forgotten by its age, whatever came before', () => {
    bench = new Bench(self, { config: { limits: { unknownLifetime: 60_000 } } })
    bench.meet(auditor)
    bench.receive(auditor, facts([alice.joined()]))
    bench.receive(auditor, aged('young', 0))
    const young = bench.audit(auditor)
    bench.receive(auditor, aged('old', 50))
    expect(bench.audit(auditor)).not.toEqual(young)
    bench.advance(11_000)
    bench.receive(auditor, facts([]))
    expect(bench.audit(auditor)).toEqual(young)
  })

  it('in an alarm is no offence: a later version may send more', () => {
    bench.receive(auditor, facts([alice.joined()]))
    bench.receive(auditor, alarm(said()))
    expect(warnings()).toEqual([])
  })
})

describe('a full view', () => {
  it('accepts no more members, reports so once, and has room again when one leaves', () => {
    bench = new Bench(self, { config: { limits: { members: 3 } } })
    bench.meet(auditor)
    bench.receive(auditor, facts([alice.joined(), bob.joined(), carol.joined()]))
    expect(bench.members).toEqual([self, alice, auditor].map(({ id }) => id).sort())
    expect(warnings()).toEqual([expect.stringMatching(/^VIEW_FULL: .*3 members/)])
    bench.receive(auditor, facts([alice.joined({ incarnation: 2 })]))
    expect(bench.node.member(alice.id)?.incarnation).toBe(2)
    bench.receive(auditor, facts([alice.left(2), bob.joined()]))
    expect(bench.members).toContain(bob.id)
  })
})

describe('ends of unknown lives', () => {
  const gone = actors(30, 9)
  const ends = facts(gone.map((actor) => actor.left()))
  /**
   * Returns the number of ends that the node holds. If it holds a member's end, the member's
   * joined-statement is no news.
   */
  const held = (): number => {
    const joined = gone.filter((actor) => (bench.receive(auditor, facts([actor.joined()])), bench.members.includes(actor.id)))
    return gone.length - joined.length
  }

  it.each<[string, boolean, number]>([
    ['by a newcomer, which would ask for those that it refuses again and again', false, gone.length],
    ['up to half of what it may remember by a node that has reconciled', true, 20],
  ])('are accepted in %s', (_, reconciles, count) => {
    bench = new Bench(self, { config: { limits: { members: 40 } } })
    bench.reconciles = reconciles
    bench.meet(auditor)
    bench.receive(auditor, ends)
    expect(held()).toBe(count)
  })
})

describe('a death', () => {
  beforeEach(() => {
    bench.receive(auditor, facts([alice, bob, carol, dave, eve].map((actor) => actor.joined())))
  })

  it('with enough known accusers is believed', () => {
    bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve])]))
    expect(bench.changes.at(-1)).toBe(`died:${alice.id}:1`)
  })

  it("with too few accusers is checked by this node, and believed if it can't reach the member either", () => {
    for (const actor of [alice, bob]) bench.link(actor)
    const effects = bench.receive(auditor, facts([death(alice, [carol, dave, eve])]))
    expect(framesTo(alice.id, effects)).toContainEqual({ probe: { sequence: expect.any(Number) as number } })
    bench.advance(10_000)
    expect(bench.members).toContain(alice.id)
    bench.reach.set(alice.id, 'refused')
    bench.unlink(alice)
    bench.advance(1_000)
    expect(bench.changes.at(-1)).toBe(`died:${alice.id}:1`)
  })

  it('with unknown accusers is not believed', () => {
    const strangers = actors(6, 99)
    bench.receive(auditor, facts([death(alice, strangers)]))
    expect(bench.members).toContain(alice.id)
  })

  describe.each<[string, readonly Actor[], number]>([
    ['strangers', actors(6, 99), 0],
    ['a liar that the member has refuted', [bob], 1],
  ])('by %s', (_, accusers, heartbeat) => {
    it('is not completed by a moment in which this node does not reach the member', () => {
      for (const actor of [alice, carol, dave, eve]) bench.link(actor)
      if (heartbeat > 0) bench.receive(auditor, alarm(alice.refutes(heartbeat)))
      bench.receive(auditor, facts([death(alice, accusers)]))
      bench.reach.set(alice.id, 'refused')
      bench.unlink(alice)
      bench.advance(100)
      expect(bench.members).toContain(alice.id)
    })
  })

  it('of a later life needs accusers, too: it would end the known life', () => {
    const [stranger] = actors(1, 98) as [Actor]
    bench.overhears(death(alice, [stranger], 0, 2))
    expect(bench.members).toContain(alice.id)
    expect(bench.changes).not.toContain(`died:${alice.id}:1`)
  })

  it('by suspicions that the member has since refuted is not believed', () => {
    bench.receive(auditor, alarm(alice.refutes(1)))
    bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve], 0)]))
    expect(bench.members).toContain(alice.id)
    bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve], 1)]))
    expect(bench.members).not.toContain(alice.id)
  })

  it('that a peer does not know is checked: the member is dialled at the next turn', () => {
    const dialled = (told: readonly Actor[]): number => {
      bench = new Bench(self)
      for (const actor of [...others, ...actors(40, 97)]) bench.meet(actor)
      bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve])]))
      bench.reach.set(alice.id, 'refused')
      bench.unlink(alice)
      bench.advance(1_000)
      expect(bench.members).not.toContain(alice.id)
      bench.advance(5_000)
      bench.receive(auditor, facts(told.map((actor) => actor.joined())))
      return bench.advance(4_000).filter((effect) => effect.type === 'connect' && effect.peer === alice.id).length
    }
    expect(dialled([alice])).toBe(1)
    expect(dialled([bob])).toBe(0)
  })

  it('is not undone by lies about its age', () => {
    bench.overhears(alice.joined())
    bench.receive(auditor, {
      facts: { facts: [wireFact(death(alice, [bob, carol, dave, eve]), { ageSeconds: 0xffffffff })], fresh: false },
    })
    bench.advance(1_000)
    bench.receive(auditor, facts([alice.joined()]))
    const lives = bench.changes.filter((change) => change.endsWith(`${alice.id}:1`))
    expect(lives.filter((change) => change.startsWith('joined')).length).toBe(1)
  })
})

describe('the death of a member in contact with this node', () => {
  beforeEach(() => {
    for (const actor of [alice, bob, carol, dave, eve]) bench.meet(actor)
  })

  it('is passed on to that member first, and is reported when the new life arrives', () => {
    const certificate = death(alice, [bob, carol, dave, eve])
    const effects = bench.receive(auditor, facts([certificate]))
    expect(bench.members).toContain(alice.id)
    const told = framesTo(alice.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
    expect(told.map((fact) => fact.certificate)).toEqual([wireFact(certificate).certificate])
    alice.incarnation = 2
    bench.receive(alice, facts([alice.joined()], true))
    expect(bench.changes.slice(-2)).toEqual([`died:${alice.id}:1`, `joined:${alice.id}:2`])
    bench.advance(15_000)
    expect(bench.node.member(alice.id)?.incarnation).toBe(2)
  })

  it('is believed if no new life comes', () => {
    bench.unresponsive.add(alice.id)
    bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve])]))
    bench.advance(5_100)
    expect(bench.changes.at(-1)).toBe(`died:${alice.id}:1`)
  })

  it('is believed at once if the member turns out to be gone', () => {
    bench.receive(auditor, facts([death(alice, [bob, carol, dave, eve])]))
    bench.reach.set(alice.id, 'refused')
    bench.unlink(alice)
    bench.advance(10)
    expect(bench.changes.at(-1)).toBe(`died:${alice.id}:1`)
  })
})

describe('news of this node itself', () => {
  beforeEach(() => {
    for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
  })

  it('that it died makes it enter anew: stored first, with a higher incarnation, and sent to all links', () => {
    const effects = bench.receive(alice, facts([death(self, [alice, bob, carol, dave])]))
    expect(bench.node.self?.incarnation).toBe(2)
    const types = effects.map(({ type }) => type)
    expect(effects).toContainEqual({ type: 'persist', incarnation: 2 })
    expect(types.indexOf('persist')).toBeLessThan(types.indexOf('send'))
    expect(changesIn(notificationsIn(effects))).toEqual([`died:${self.id}:1`, `joined:${self.id}:2`])
    for (const actor of [alice, bob, carol, dave]) {
      const told = framesTo(actor.id, effects).flatMap((frame) => frame.facts?.facts ?? [])
      expect(told).toContainEqual(wireFact(bench.ownStatement(2)))
    }
    expect(notificationsIn(effects)).toContainEqual(expect.objectContaining({ type: 'warning', code: 'INCARNATION_REPLACED' }))
  })

  it('that it died in an earlier life is no news', () => {
    bench.receive(alice, facts([death(self, [alice, bob, carol, dave])]))
    bench.receive(alice, facts([death(self, [alice, bob, carol, dave])]))
    expect(bench.node.self?.incarnation).toBe(2)
  })

  it("of a death with too few accusers costs it a life, too, but a liar can't repeat that all the time", () => {
    const start = bench.now
    for (; bench.now - start < 60_000; bench.advance(100)) {
      self.incarnation = bench.node.self?.incarnation ?? 0
      bench.receive(auditor, facts([death(self, [alice])]))
    }
    expect(bench.node.self?.incarnation).toBeGreaterThan(1)
    expect(bench.node.self?.incarnation).toBeLessThan(8)
  })

  it('that it left in an earlier run, under the present incarnation, makes it enter anew', () => {
    bench.receive(alice, facts([self.left(1)]))
    expect(bench.node.self?.incarnation).toBe(2)
  })

  it('that it made itself is no news', () => {
    const effects = bench.receive(alice, { facts: { facts: [wireFact(bench.ownStatement())], fresh: true } })
    expect(effects.filter(({ type }) => type === 'fail')).toEqual([])
    expect(bench.node.self?.incarnation).toBe(1)
  })

  it.each([1, 2])(
    'signed by another instance under the same key, in incarnation %i, stops it: the identity is used twice',
    (incarnation) => {
      const effects = bench.receive(alice, facts([self.joined({ incarnation, nonce: 12_345 })]))
      const failure = effects.find((effect) => effect.type === 'fail')
      expect(failure).toMatchObject({ code: 'IDENTITY_IN_USE', message: expect.stringContaining(self.id) as string })
      expect(bench.input({ type: 'timer' })).toEqual([])
    },
  )

  it('forged under its own key is refused like any other', () => {
    bench.receive(alice, facts([forged(self.joined({ incarnation: 5, nonce: 12_345 }))]))
    expect(warnings().length).toBe(1)
    expect(bench.input({ type: 'timer' })).not.toEqual([])
  })
})

describe('a death certificate of this node', () => {
  it('is valid at every other node, in whatever form the suspicions came', () => {
    for (const actor of [alice, bob, carol, dave]) bench.meet(actor)
    const padded = Uint8Array.from([...bob.suspects(alice).body, 0x78, 0x01])
    bench.receive(bob, alarm(bob.says(kinds.suspicion, padded)))
    bench.receive(carol, alarm(carol.suspects(alice)))
    bench.receive(dave, alarm(dave.suspects(alice)))
    bench.reach.set(alice.id, 'refused')
    bench.unlink(alice)
    bench.receive(auditor, alarm(auditor.suspects(alice)))
    bench.advance(2_000)
    expect(bench.changes).toContain(`died:${alice.id}:1`)
    const certificates = broadcastsIn(bench.log.map(({ effect }) => effect)).flatMap((broadcast) =>
      broadcast.facts.flatMap((fact) => fact.certificate ?? []),
    )
    expect(certificates.length).toBe(1)
    for (const message of certificates) expect(verifyCertificate(readCertificate(message, bench.config.limits), alice.codec)).toBe(true)
  })
})
