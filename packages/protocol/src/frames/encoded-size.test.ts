import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import { factOf, type FactContent } from '../facts/fact.ts'
import type { Message } from './message.ts'
import { ProtobufCodec } from './protobuf-codec.ts'
import { broadcastBytes, frameBytes } from './encoded-size.ts'

const [alice, bob, carol] = actors(3) as [Actor, Actor, Actor]
const codec = new ProtobufCodec(defaultConfig.limits)
const u32 = fc.oneof(fc.constantFrom(0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
const position = fc.oneof(u32, fc.integer({ min: 0, max: 2 ** 52 }))
const bytes = fc.uint8Array({ maxLength: 300 })

const content: fc.Arbitrary<FactContent> = fc.oneof(
  fc.record({ tag: bytes, location: fc.string({ maxLength: 20 }), nonce: u32 }).map((details) => ({ statement: alice.joined(details) })),
  fc.integer({ min: 1, max: 2 ** 48 }).map((incarnation) => ({ statement: alice.left(incarnation) })),
  fc.tuple(u32, bytes).map(([kind, body]) => ({ statement: alice.says(Math.max(kind, 10), body) })),
  u32.map((heartbeat) => ({ certificate: death(alice, [bob, carol], heartbeat) })),
  u32.map((sequence) => ({ statement: bob.claims('e', 2, { sequence }) })),
)
const told = fc.array(fc.record({ fact: content.map((each) => factOf(each)), ageSeconds: u32 }), { maxLength: 8 })
const range = fc.record({ from: position, to: position, count: u32, fingerprint: bytes, items: bytes, wanted: bytes, listed: fc.boolean() })

const message = fc.oneof<fc.Arbitrary<Message>[]>(
  u32.map((sequence) => ({ probe: { sequence } })),
  fc.record({ sequence: u32, nextInMs: u32, heartbeat: u32 }).map((ack) => ({ ack })),
  fc.record({ facts: told, fresh: fc.boolean() }).map((facts) => ({ facts })),
  fc.record({ round: u32, ranges: fc.array(range, { maxLength: 6 }) }).map((reconcile) => ({ reconcile })),
  told.map((members) => ({ redirect: { members } })),
  fc.record({ known: position, ended: fc.boolean(), incarnation: position }).map((hello) => ({ hello })),
  fc.constant({ alarm: { statements: [bob.suspects(alice), alice.refutes(3)] } }),
  fc.constant({ pingReq: { subjects: [alice.id, bob.id] } }),
  fc.constant({ pingReqAck: { reached: [alice.refutes(200)], missed: [bob.id, carol.id], unknown: [alice.id] } }),
  fc.string({ maxLength: 40 }).map((reason) => ({ goodbye: { reason } })),
)

describe('the size of a message', () => {
  it('is what it takes when it is encoded', () => {
    fc.assert(
      fc.property(message, (each) => {
        expect(frameBytes(each)).toBe(codec.encodeFrame(each).length)
      }),
      { numRuns: 500 },
    )
  })

  it('is right for broadcasts, too', () => {
    fc.assert(
      fc.property(u32, told, (nonce, facts) => {
        expect(broadcastBytes({ nonce, facts })).toBe(codec.encodeBroadcast({ nonce, facts }).length)
      }),
    )
  })
})
