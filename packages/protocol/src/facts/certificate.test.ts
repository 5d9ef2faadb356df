import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { decodeId } from '../base/id.ts'
import * as wire from '../wire/messages.js'
import { certificateToWire, certify, readCertificate, suspicionsOf, verifyCertificate } from './certificate.ts'

const { limits } = defaultConfig
const people = actors(12)
const [suspect, ...witnesses] = people as [Actor, ...Actor[]]
const { codec } = suspect

function pass(message: wire.Certificate): ReturnType<typeof readCertificate> {
  return readCertificate(wire.Certificate.decode(wire.Certificate.encode(message)), limits)
}

describe('a death certificate', () => {
  it('proves itself on the other side, whoever the witnesses are and whatever refutations they knew', () => {
    fc.assert(
      fc.property(
        fc.subarray(witnesses, { minLength: 1, maxLength: limits.witnesses }),
        fc.nat(0xffffffff),
        fc.integer({ min: 1, max: limits.counter }),
        (some, refutations, incarnation) => {
          const certificate = certify(
            some.toReversed().map((witness, i) => witness.suspects(suspect, i === 0 ? refutations : 0, incarnation)),
          )
          const read = pass(certificateToWire(certificate))
          expect(read.witnesses.map(({ signer }) => signer)).toEqual(some.map(({ id }) => id))
          expect(read).toMatchObject({ suspect: suspect.id, incarnation })
          expect(verifyCertificate(read, codec)).toBe(true)
        },
      ),
    )
  })

  it('quotes the suspicions it was made of', () => {
    const suspicions = witnesses.slice(0, 3).map((witness) => witness.suspects(suspect, 2))
    expect(suspicionsOf(certify(suspicions))).toEqual(suspicions)
  })

  it('is refuted by one signature that does not hold', () => {
    const certificate = death(suspect, witnesses.slice(0, 3))
    const {
      witnesses: [first, ...rest],
    } = certificate
    expect(verifyCertificate({ ...certificate, incarnation: 2 }, codec)).toBe(false)
    expect(verifyCertificate({ ...certificate, suspect: (witnesses[9] as Actor).id }, codec)).toBe(false)
    if (first === undefined) expect.unreachable()
    expect(verifyCertificate({ ...certificate, witnesses: [{ ...first, refutations: 1 }, ...rest] }, codec)).toBe(false)
    expect(verifyCertificate({ ...certificate, witnesses: [{ ...first, signer: (witnesses[9] as Actor).id }, ...rest] }, codec)).toBe(false)
  })

  it('needs a witness', () => {
    expect(() => certify([])).toThrow(RangeError)
  })

  const message = certificateToWire(death(suspect, witnesses.slice(0, 2)))
  const [one, two] = message.witnesses as [wire.Witness, wire.Witness]
  it.each<[string, Partial<wire.Certificate>]>([
    ['without witnesses', { witnesses: [] }],
    [
      'with more witnesses than allowed',
      { witnesses: certificateToWire(death(suspect, witnesses.slice(0, limits.witnesses + 1))).witnesses },
    ],
    ['with one witness twice', { witnesses: [one, one] }],
    ['with witnesses out of order', { witnesses: [two, one] }],
    ['witnessed by the suspect', { witnesses: [{ ...one, signer: decodeId(suspect.id) as Uint8Array<ArrayBuffer> }] }],
    ['with a signature too short', { witnesses: [{ ...one, signature: new Uint8Array(63) }] }],
    ['with a witness that is no key', { witnesses: [{ ...one, signer: new Uint8Array(31) }] }],
    ['of nobody', { suspect: new Uint8Array(0) }],
    ['of no life', { incarnation: 0 }],
    ['of a life out of range', { incarnation: limits.counter + 1 }],
  ])('%s is refused', (_, changes) => {
    expect(() => pass({ ...message, ...changes })).toThrow(FrameError)
  })
})
