/** Frames that several attacks send. */
import { certificateToWire, certify, hashSpace, type Statement, type wire } from '@jel/protocol/internals'
import { Sybil, told } from './sybil.ts'

const none = new Uint8Array(0)

/** A range that covers all facts. */
export const everything = { from: 0, to: hashSpace, count: 0, fingerprint: none, items: none, wanted: none, listed: true }

/**
 * Asks for the whole state. The frame is a second round, because a side that began a reconciliation
 * ignores a first round.
 */
export const askForAll: wire.Frame = { reconcile: { round: 2, ranges: [everything] } }

/** A frame with the joins of made-up members. */
export function madeUp(pool: string, members: number, addresses: readonly Uint8Array[] = []): wire.Frame {
  return told(Array.from({ length: members }, () => new Sybil(pool).joins(addresses)))
}

/**
 * A frame with a death certificate, made from suspicions of one incarnation. `forged`: the first
 * signature is invalid.
 */
export function death(suspicions: readonly Statement[], { forged = false } = {}): wire.Frame {
  const certificate = certify(suspicions as never)
  const [first, ...rest] = certificate.accusers
  const shown =
    forged && first !== undefined ? { ...certificate, accusers: [{ ...first, signature: new Uint8Array(64) }, ...rest] } : certificate
  return { facts: { facts: [{ certificate: certificateToWire(shown), ageSeconds: 0 }], fresh: true } }
}
