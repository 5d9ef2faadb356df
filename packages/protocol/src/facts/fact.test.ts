import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import { factToWire, readFact } from '../frames/protobuf-codec.ts'
import * as wire from '../wire/messages.js'
import { candidacyKey, claimKey, Fact, factOf, memberKey, unknownKey, type FactContent, type AgedFact } from './fact.ts'
import { FactSet } from './fact-set.ts'
import { Registry } from './registry.ts'
import { decode } from './decode.ts'

const [alice, bob, carol, dave] = actors(4) as [Actor, Actor, Actor, Actor]

function pass(message: wire.Fact): AgedFact {
  return readFact(wire.Fact.decode(wire.Fact.encode(message)), defaultConfig.limits)
}

describe('a fact', () => {
  const contents: [string, FactContent][] = [
    ['a statement', { statement: alice.joined() }],
    ['a statement of an unknown kind', { statement: alice.says(99, Uint8Array.of(1)) }],
    ['a death', { certificate: death(alice, [bob, carol]) }],
    ['a claim', { statement: bob.claims('e', 2) }],
  ]

  it.each(contents)('keeps %s unchanged when sent', (_, content) => {
    const fact = factOf(content)
    const { fact: arrived } = pass(factToWire(fact))
    expect(arrived).toEqual(fact)
    expect(arrived.equals(fact)).toBe(true)
  })

  it('is sent with its age, in whole seconds, never in the future', () => {
    const set = new FactSet(new Registry())
    const fact = set.put(factOf({ statement: alice.left() }), 10_000)
    expect(pass(factToWire(set.aged(fact, 17_900))).ageSeconds).toBe(7)
    expect(pass(factToWire(set.aged(fact, 9_000))).ageSeconds).toBe(0)
    expect(pass(factToWire(set.aged(set.put(factOf({ statement: bob.joined() })), 99_000))).ageSeconds).toBe(0)
  })

  it('has one version for all certificates of one death, and other versions for other lives', () => {
    const versionOf = ({ high, low }: { high: number; low: number }): string => `${high}:${low}`
    const one = factOf({ certificate: death(alice, [bob, carol]) })
    const other = factOf({ certificate: death(alice, [carol, dave], 3) })
    expect(versionOf(other)).toBe(versionOf(one))
    expect(versionOf(factOf({ certificate: death(alice, [bob, carol], 0, 2) }))).not.toBe(versionOf(one))
    expect(versionOf(factOf({ certificate: death(bob, [alice, carol]) }))).not.toBe(versionOf(one))
    expect(versionOf(factOf({ statement: alice.joined() }))).not.toBe(versionOf(factOf({ statement: alice.joined({ nonce: 8 }) })))
    expect(other.equals(one)).toBe(false)
  })

  it('has the position of its key', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const { position } = new Fact(key, { statement: alice.joined() })
        expect(new Fact(key, { statement: bob.left() }).position).toBe(position)
        expect(Number.isInteger(position) && position >= 0 && position < hashSpace).toBe(true)
      }),
    )
  })

  it('is positioned behind all lives if it is no life: a peer that receives pages knows the members first', () => {
    const lives = [alice, bob, carol].map((actor) => factOf({ statement: actor.joined() }).position)
    const others = [alice.stands('e'), bob.claims('e', 1), carol.says(99, Uint8Array.of(1))].map(
      (statement) => factOf({ statement }).position,
    )
    expect(Math.max(...lives)).toBeLessThan(Math.min(...others))
  })

  it('has a separate key for each subject', () => {
    const unknown = alice.says(99, Uint8Array.of(1))
    const keys = [
      memberKey(alice.id),
      memberKey(bob.id),
      candidacyKey('e', alice.id),
      candidacyKey('e', bob.id),
      candidacyKey('f', alice.id),
      claimKey('e'),
      claimKey('f'),
      unknownKey(unknown),
      unknownKey(alice.says(99, Uint8Array.of(2))),
      unknownKey(alice.says(98, Uint8Array.of(1))),
      unknownKey(bob.says(99, Uint8Array.of(1))),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(unknownKey(alice.says(99, Uint8Array.of(1)))).toBe(unknownKey(unknown))
  })

  it('is refused without content, or with content out of bounds', () => {
    expect(() => pass({ ageSeconds: 0 })).toThrow(FrameError)
    expect(() => pass({ certificate: { suspect: new Uint8Array(32), incarnation: 1, accusers: [] }, ageSeconds: 0 })).toThrow(FrameError)
  })

  it('decoded from arbitrary bytes throws nothing but FrameError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 250 }), (bytes) => {
        try {
          readFact(decode(wire.Fact, bytes), defaultConfig.limits)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
    )
  })
})
