import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actors, death, type Actor } from '../../test/actors.ts'
import { defaultConfig } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { decodeId } from '../base/id.ts'
import * as wire from '../wire/messages.js'
import { heartbeatWindow, certificateToWire, certify, readCertificate, accusationsIn, verifyCertificate } from './certificate.ts'

const { limits } = defaultConfig
const people = actors(12)
const [suspect, ...accusers] = people as [Actor, ...Actor[]]
const { codec } = suspect

function pass(message: wire.Certificate): ReturnType<typeof readCertificate> {
  return readCertificate(wire.Certificate.decode(wire.Certificate.encode(message)), limits)
}

describe('a death certificate', () => {
  it('proves itself at the receiver, whatever accusers and heartbeats it has, if these are close together', () => {
    fc.assert(
      fc.property(
        fc.subarray(accusers, { minLength: 1, maxLength: limits.accusers }),
        fc.nat(0xffffffff - heartbeatWindow),
        fc.nat(heartbeatWindow),
        fc.integer({ min: 1, max: limits.counter }),
        (some, heartbeat, later, incarnation) => {
          const certificate = certify(
            some.toReversed().map((accuser, i) => accuser.suspects(suspect, i === 0 ? heartbeat + later : heartbeat, incarnation)),
          )
          const read = pass(certificateToWire(certificate))
          expect(read.accusers.map(({ signer }) => signer)).toEqual(some.map(({ id }) => id))
          expect(read).toMatchObject({ suspect: suspect.id, incarnation })
          expect(verifyCertificate(read, codec)).toBe(true)
        },
      ),
    )
  })

  it('contains the suspicions that it was made of', () => {
    const suspicions = accusers.slice(0, 3).map((accuser) => accuser.suspects(suspect, 2))
    expect(accusationsIn(certify(suspicions))).toEqual(suspicions)
  })

  it('is refuted by one invalid signature', () => {
    const certificate = death(suspect, accusers.slice(0, 3))
    const {
      accusers: [first, ...rest],
    } = certificate
    expect(verifyCertificate({ ...certificate, incarnation: 2 }, codec)).toBe(false)
    expect(verifyCertificate({ ...certificate, suspect: (accusers[9] as Actor).id }, codec)).toBe(false)
    if (first === undefined) expect.unreachable()
    expect(verifyCertificate({ ...certificate, accusers: [{ ...first, heartbeat: 1 }, ...rest] }, codec)).toBe(false)
    expect(verifyCertificate({ ...certificate, accusers: [{ ...first, signer: (accusers[9] as Actor).id }, ...rest] }, codec)).toBe(false)
  })

  it('needs an accuser', () => {
    expect(() => certify([])).toThrow(RangeError)
  })

  const message = certificateToWire(death(suspect, accusers.slice(0, 2)))
  const [one, two] = message.accusers as [wire.Accuser, wire.Accuser]
  it.each<[string, Partial<wire.Certificate>]>([
    ['without accusers', { accusers: [] }],
    ['with more accusers than allowed', { accusers: certificateToWire(death(suspect, accusers.slice(0, limits.accusers + 1))).accusers }],
    ['with one accuser twice', { accusers: [one, one] }],
    ['with accusers out of order', { accusers: [two, one] }],
    ['accused by the suspect', { accusers: [{ ...one, signer: decodeId(suspect.id) as Uint8Array<ArrayBuffer> }] }],
    ['with a signature too short', { accusers: [{ ...one, signature: new Uint8Array(63) }] }],
    ['with an accuser that is no key', { accusers: [{ ...one, signer: new Uint8Array(31) }] }],
    ['whose accusers cite heartbeats too far apart', { accusers: [one, { ...two, heartbeat: heartbeatWindow + 1 }] }],
    ['of nobody', { suspect: new Uint8Array(0) }],
    ['of no life', { incarnation: 0 }],
    ['of a life out of range', { incarnation: limits.counter + 1 }],
  ])('%s is refused', (_, changes) => {
    expect(() => pass({ ...message, ...changes })).toThrow(FrameError)
  })
})
