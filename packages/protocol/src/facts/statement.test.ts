import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Actor, actors, checkSeal, forged, messageOf, pool, seal } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import { BoundError, FrameError } from '../base/errors.ts'
import type { Constants, Reach } from '../base/values.ts'
import { nameProblem } from '../base/name.ts'
import { decodeId, encodeId } from '../base/id.ts'
import * as wire from '../wire/messages.js'
import { noConstants, withConstant } from './constants.ts'
import { isEventName } from './event.ts'
import { decode } from './decode.ts'
import { statementToWire } from './statement-codec.ts'
import { isKind, kinds, type Content, type Statement, type Unknown } from './statement.ts'

const { limits } = defaultConfig
const [alice, bob] = actors(2) as [Actor, Actor]

const counter = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: limits.counter }))
const uint32 = fc.nat(0xffffffff)
const id = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(encodeId)
const name = fc.string({ minLength: 1, maxLength: 30 })

const content: fc.Arbitrary<Exclude<Content, Unknown>> = fc.oneof(
  fc.record({
    kind: fc.constant('joined' as const),
    incarnation: counter,
    version: uint32,
    nonce: uint32,
    addresses: fc.array(fc.uint8Array({ minLength: 1, maxLength: limits.addressBytes }), { maxLength: limits.addresses }),
    location: fc.string({ maxLength: 60 }),
    tag: fc.uint8Array({ maxLength: limits.tagBytes }),
    constants: fc
      .dictionary(
        name.filter((each) => nameProblem(each) === undefined),
        fc.uint8Array({ maxLength: 20 }),
        { maxKeys: 5 },
      )
      .map((each) => Object.entries(each).reduce<Constants>((made, [key, value]) => withConstant(made, key, value), noConstants)),
    reach: fc.constantFrom<Reach>('direct', 'hidden', 'tab'),
    joinedAt: counter,
  }),
  fc.record({ kind: fc.constant('left' as const), incarnation: counter }),
  fc.record({ kind: fc.constant('suspicion' as const), suspect: id, incarnation: counter, heartbeat: uint32 }),
  fc.record({ kind: fc.constant('refutation' as const), incarnation: counter, heartbeat: uint32 }),
  fc.record({ kind: fc.constant('candidacy' as const), election: name, incarnation: counter, sequence: uint32, withdrawn: fc.boolean() }),
  fc.record({
    kind: fc.constant('claim' as const),
    election: name,
    epoch: counter,
    incarnation: counter,
    sequence: uint32,
  }),
  fc.record({
    kind: fc.constant('record' as const),
    name: name.filter((each) => nameProblem(each) === undefined && !isEventName(each)),
    version: counter,
    expires: fc.constant(limits.counter),
    ends: fc.option(fc.integer({ min: 1, max: limits.counter - 1 }), { nil: undefined }),
    value: fc.uint8Array({ maxLength: limits.recordBytes }),
    withdrawn: fc.constant(false),
  }),
)

/** Encodes and decodes a statement. */
function pass(statement: Statement, reader = alice): Statement {
  return reader.read(wire.Statement.decode(wire.Statement.encode(statementToWire(statement))))
}

describe('a statement', () => {
  it('is decoded unchanged, with a valid signature', () => {
    fc.assert(
      fc.property(content, (said) => {
        const statement = bob.codec.sign(bob.id, said)
        const read = pass(statement)
        expect(read).toEqual(statement)
        expect(alice.codec.verify(read)).toBe(true)
      }),
    )
  })

  it('is signed over protocol, pool, kind and body', () => {
    const statement = bob.left()
    expect(statement.signature).toEqual(seal(bob.id, messageOf(pool, kinds.left, statement.body)))
    expect(checkSeal(bob.id, messageOf(pool, kinds.refutation, statement.body), statement.signature)).toBe(false)
  })

  it('is invalid with one bit changed anywhere, under another signer, of another kind, or in another pool', () => {
    const statement = bob.joined()
    const stranger = new Actor(bob.id, 'other-pool')
    expect(alice.codec.verify(statement)).toBe(true)
    expect(alice.codec.verify(forged(statement))).toBe(false)
    expect(alice.codec.verify({ ...statement, signer: alice.id })).toBe(false)
    expect(alice.codec.verify({ ...statement, kind: 77 })).toBe(false)
    expect(alice.codec.verify(stranger.joined())).toBe(false)
    expect(stranger.codec.verify(statement)).toBe(false)
    for (let bit = 0; bit < statement.body.length * 8; bit++) {
      const body = statement.body.slice()
      body[bit >> 3] = (body[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(alice.codec.verify({ ...statement, body })).toBe(false)
    }
  })

  it('that a member joined is short: less than 150 bytes with one IPv4 address and a host name', () => {
    const statement = bob.joined({ incarnation: 1, nonce: 0xdeadbeef, location: 'workstation1' })
    expect(wire.Statement.encode(statementToWire(statement)).length).toBeLessThan(150)
  })

  it.each([
    ['bytes', (frame: Uint8Array) => frame],
    ['a Buffer, whose slices are views', (frame: Uint8Array) => Buffer.from(frame)],
  ])('does not keep its frame in memory, be that %s', (_, received) => {
    const frame = received(
      wire.Frame.encode({
        facts: { facts: [{ statement: statementToWire(bob.joined({ tag: new Uint8Array(100) })), ageSeconds: 0 }], fresh: false },
      }),
    )
    const message = decode(wire.Frame, frame).facts?.facts[0]?.statement as wire.Statement
    const { body, signature, content: said } = alice.read(message)
    const parts = said.kind === 'joined' ? [body, signature, said.tag, ...said.addresses] : []
    expect(parts.length).toBe(4)
    for (const part of parts) {
      expect(part.constructor).toBe(Uint8Array)
      expect(part.buffer).not.toBe(frame.buffer)
    }
  })

  it('by a node itself takes no more memory than its bytes', () => {
    const { body } = bob.joined({ tag: new Uint8Array(100) })
    expect(body.buffer.byteLength).toBe(body.length)
  })

  it('of a kind unknown to this version is read and passed on unchanged', () => {
    const statement = bob.says(4711, Uint8Array.of(1, 2, 3))
    const read = pass(statement)
    expect(isKind(read, 'unknown')).toBe(true)
    expect(alice.codec.verify(read)).toBe(true)
    expect(wire.Statement.encode(statementToWire(read))).toEqual(wire.Statement.encode(statementToWire(statement)))
  })

  it('that is a suspicion is refused if its body has anything that a certificate cannot repeat', () => {
    // A certificate quotes an accusation by its content. If an accusation were signed over other
    // bytes, the certificate would look forged, and its honest sender would look like a liar.
    const suspicion = alice.suspects(bob)
    const padded = Uint8Array.from([...suspicion.body, 0x78, 0x01])
    expect(() => pass(alice.says(kinds.suspicion, padded))).toThrow(FrameError)
  })
})

it.each([0, 1_000, 1_001, Number.MAX_SAFE_INTEGER])('a record that expires at 1000 and ends at %i has no end of its own', (ends) => {
  const body = wire.Record.encode({ name: 'r', version: 1, expires: 1_000, ends, value: new Uint8Array(0), withdrawn: false })
  expect(pass(bob.says(kinds.record, body)).content).toMatchObject({ expires: 1_000, ends: undefined })
})

it('a record whose end is no number is dropped without a fault of its sender: 0.1.0 passes it on', () => {
  const record = wire.Record.encode({ name: 'r', version: 1, expires: 1_000, value: new Uint8Array(0), withdrawn: false })
  for (const ends of [
    [0x32, 1, 7],
    [0x30, ...Array<number>(9).fill(0xff), 1],
  ])
    expect(() => pass(bob.says(kinds.record, Uint8Array.from([...record, ...ends])))).toThrow(BoundError)
})

describe('a statement out of bounds is refused', () => {
  const joined = (changes: Partial<wire.Joined>): Uint8Array =>
    wire.Joined.encode({ incarnation: 1, nonce: 1, addresses: [], location: '', tag: new Uint8Array(0), ...changes })
  const constants = (...all: readonly [name: string, bytes: number][]): Uint8Array =>
    joined({ constants: all.map(([name, bytes]) => ({ name, value: new Uint8Array(bytes) })) })
  const record = { name: 'r', version: 1, expires: 1, withdrawn: false }
  /** Adds a field that this version does not know. */
  const padded = (body: Uint8Array, bytes: number): Uint8Array =>
    Uint8Array.from([...body, 0xfa, 0x01, (bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14, ...new Uint8Array(bytes)])
  const candidacy = (election: string): Uint8Array => wire.Candidacy.encode({ election, incarnation: 1, sequence: 1, withdrawn: false })
  const claim = (changes: Partial<wire.Claim>): Uint8Array =>
    wire.Claim.encode({ election: 'e', epoch: 1, incarnation: 1, sequence: 1, ...changes })

  it.each<[string, number, Uint8Array]>([
    ['no kind', 0, new Uint8Array(0)],
    ['no incarnation', kinds.joined, joined({ incarnation: 0 })],
    ['an incarnation too large', kinds.joined, joined({ incarnation: limits.counter + 1 })],
    ['too many addresses', kinds.joined, joined({ addresses: Array.from({ length: limits.addresses + 1 }, () => new Uint8Array(4)) })],
    ['an empty address', kinds.joined, joined({ addresses: [new Uint8Array(0)] })],
    ['an address too long', kinds.joined, joined({ addresses: [new Uint8Array(limits.addressBytes + 1)] })],
    ['a location too long', kinds.joined, joined({ location: 'x'.repeat(limits.locationBytes + 1) })],
    ['a location too long in bytes', kinds.joined, joined({ location: 'ü'.repeat(limits.locationBytes / 2 + 1) })],
    ['a tag too long', kinds.joined, joined({ tag: new Uint8Array(limits.tagBytes + 1) })],
    ['constants too long', kinds.joined, constants(['a', limits.constantsBytes])],
    ['constants too long together', kinds.joined, constants(['a', 256], ['b', 255])],
    ['a constant twice', kinds.joined, constants(['a', 1], ['a', 1])],
    ['constants out of order', kinds.joined, constants(['b', 1], ['a', 1])],
    ['a constant without a name', kinds.joined, constants(['', 1])],
    ['a constant with a control character', kinds.joined, constants(['a\u001bb', 1])],
    ['a record padded with unread bytes', kinds.record, padded(wire.Record.encode({ ...record, value: new Uint8Array(0) }), 100_000)],
    ['a left-statement padded with unread bytes', kinds.left, padded(wire.Left.encode({ incarnation: 1 }), 1_000)],
    ['a joined-statement padded with unread bytes', kinds.joined, padded(joined({}), 10_000)],
    [
      'more constants than a member has',
      kinds.joined,
      constants(...Array.from({ length: 33 }, (_, i): [string, number] => [`c${10 + i}`, 1])),
    ],
    ['a left-statement of no life', kinds.left, wire.Left.encode({ incarnation: 0 })],
    ['a suspect that is no key', kinds.suspicion, wire.Suspicion.encode({ suspect: new Uint8Array(31), incarnation: 1, heartbeat: 0 })],
    [
      'a suspicion of no life',
      kinds.suspicion,
      wire.Suspicion.encode({ suspect: decodeId(bob.id) as Uint8Array<ArrayBuffer>, incarnation: 0, heartbeat: 0 }),
    ],
    ['a refutation of no life', kinds.refutation, wire.Refutation.encode({ incarnation: 0, heartbeat: 1 })],
    ['an election without a name', kinds.candidacy, candidacy('')],
    ['a name too long', kinds.candidacy, candidacy('x'.repeat(129))],
    ['a name with a control character', kinds.candidacy, candidacy('a\u001bb')],
    ['a claim without a name', kinds.claim, claim({ election: '' })],
    ['epoch 0', kinds.claim, claim({ epoch: 0 })],
    ['an epoch too large', kinds.claim, claim({ epoch: limits.counter + 1 })],
    ['a claim of no life', kinds.claim, claim({ incarnation: 0 })],
    ['an unknown body too long', 4711, new Uint8Array(limits.unknownBodyBytes + 1)],
    ['a body cut short', kinds.joined, joined({ location: 'somewhere' }).subarray(0, -3)],
  ])('%s', (_, kind, body) => {
    expect(() => pass(bob.says(kind, body))).toThrow(FrameError)
  })

  it('a key or a signature of another length', () => {
    const message = statementToWire(bob.left())
    expect(() => alice.read({ ...message, signature: new Uint8Array(63) })).toThrow(FrameError)
    expect(() => alice.read({ ...message, signer: new Uint8Array(33) })).toThrow(FrameError)
  })

  it('but a statement at the bounds is accepted', () => {
    const statement = bob.joined({
      incarnation: limits.counter,
      addresses: Array.from({ length: limits.addresses }, () => new Uint8Array(limits.addressBytes)),
      location: 'x'.repeat(limits.locationBytes),
      tag: new Uint8Array(limits.tagBytes),
      constants: new Map([['jel.all', new Uint8Array(limits.constantsBytes - 7)]]),
    })
    expect(pass(statement).content).toEqual({ ...statement.content, tag: new Uint8Array(limits.tagBytes) })
  })
})

describe('decoding', () => {
  const codecs = {
    Frame: wire.Frame,
    Broadcast: wire.Broadcast,
    Statement: wire.Statement,
    Joined: wire.Joined,
    Claim: wire.Claim,
    Certificate: wire.Certificate,
  }

  it.each(Object.entries(codecs))('arbitrary bytes as a %s throws nothing but FrameError', (_, codec) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decode<unknown>(codec, bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('an arbitrary kind and body throws nothing but FrameError', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.uint8Array({ maxLength: 120 }), (kind, body) => {
        try {
          pass(bob.says(kind, body))
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('names the cause', () => {
    expect(() => decode(wire.Frame, Uint8Array.of(0xff))).toThrow(/^not decodable: /)
  })
})
