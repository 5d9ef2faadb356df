import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../test/actors.ts'
import { defaultConfig } from './config.ts'
import { FrameError } from './errors.ts'
import { candidacyKey, claimKey, factToWire, makeFact, memberKey, readFact, unknownKey, type FactContent } from './fact.ts'
import { hashSpace } from './hash.ts'
import { decode } from './statement.ts'
import * as wire from './wire/messages.js'

const [alice, bob, carol, dave] = actors(4) as [Actor, Actor, Actor, Actor]

function pass(message: wire.Fact): ReturnType<typeof readFact> {
  return readFact(wire.Fact.decode(wire.Fact.encode(message)), alice.codec, defaultConfig.limits)
}

describe('a fact', () => {
  const contents: [string, FactContent][] = [
    ['a statement', { statement: alice.joined() }],
    ['a statement of an unknown kind', { statement: alice.says(99, Uint8Array.of(1)) }],
    ['a death', { certificate: death(alice, [bob, carol]) }],
    [
      'a claim after a withdrawal',
      { statement: bob.claims('e', 2, { winner: alice }), because: { statement: alice.stands('e', { withdrawn: true }) } },
    ],
    ['a claim after a death', { statement: bob.claims('e', 2, { winner: alice }), because: { certificate: death(alice, [bob, carol]) } }],
  ]

  it.each(contents)('keeps %s on its way', (_, content) => {
    const fact = makeFact('key', content)
    expect(makeFact('key', pass(factToWire(fact, 0)).content)).toEqual(fact)
  })

  it('travels with its age, in whole seconds, never into the future', () => {
    const fact = makeFact(memberKey(alice.id), { statement: alice.left() }, 10_000)
    expect(pass(factToWire(fact, 17_900)).age).toBe(7_000)
    expect(pass(factToWire(fact, 9_000)).age).toBe(0)
    expect(pass(factToWire(makeFact('key', { statement: alice.joined() }), 99_000)).age).toBe(0)
  })

  it('has one version for all certificates of one death, and others for other lives', () => {
    const versionOf = ({ high, low }: { high: number; low: number }): string => `${high}:${low}`
    const one = makeFact(memberKey(alice.id), { certificate: death(alice, [bob, carol]) })
    const other = makeFact(memberKey(alice.id), { certificate: death(alice, [carol, dave], 3) })
    expect(versionOf(other)).toBe(versionOf(one))
    expect(versionOf(makeFact(memberKey(alice.id), { certificate: death(alice, [bob, carol], 0, 2) }))).not.toBe(versionOf(one))
    expect(versionOf(makeFact(memberKey(bob.id), { certificate: death(bob, [alice, carol]) }))).not.toBe(versionOf(one))
    expect(versionOf(makeFact('key', { statement: alice.joined() }))).not.toBe(
      versionOf(makeFact('key', { statement: alice.joined({ nonce: 8 }) })),
    )
  })

  it('stands at the place of its key', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const { position } = makeFact(key, { statement: alice.joined() })
        expect(makeFact(key, { statement: bob.left() }).position).toBe(position)
        expect(Number.isInteger(position) && position >= 0 && position < hashSpace).toBe(true)
      }),
    )
  })

  it('has a key of its own for each subject', () => {
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

  it('without content, or with content out of bounds, is refused', () => {
    expect(() => pass({ ageSeconds: 0 })).toThrow(FrameError)
    const message = factToWire(makeFact('key', { statement: alice.left() }), 0)
    expect(() =>
      pass({ ...message, because: { kind: 0, signer: new Uint8Array(0), body: new Uint8Array(0), signature: new Uint8Array(0) } }),
    ).toThrow(FrameError)
    expect(() => pass({ ...message, becauseDeath: { suspect: new Uint8Array(32), incarnation: 1, witnesses: [] } })).toThrow(FrameError)
  })

  it('of arbitrary bytes throws nothing but FrameError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 250 }), (bytes) => {
        try {
          readFact(decode(wire.Fact, bytes), alice.codec, defaultConfig.limits)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
    )
  })
})
