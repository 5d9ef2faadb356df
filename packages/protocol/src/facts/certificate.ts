/**
 * Death certificates: a quorum of signed accusations of one life by different accusers (JEL §5.2:
 * "if a sufficient number of nodes declare that a node has died, it is pronounced dead").
 *
 * A certificate holds the common content of all accusers once: the suspect and its incarnation.
 * Each accuser adds its key, its signature, and the heartbeat at which it last heard of the
 * suspect. The signatures prove the certificate. A certificate is one fact. Its heartbeats lie
 * close together. Otherwise honest accusations of several hours, each of them refuted, would add up
 * to a death.
 */
import { FrameError } from '../base/errors.ts'
import { decodeId, encodeId } from '../base/id.ts'
import type { NodeId } from '../base/values.ts'
import type * as wire from '../wire/messages.js'
import { encodeAccusation, type StatementCodec } from './statement-codec.ts'
import { kinds, type Statement, type Accusation } from './statement.ts'

/**
 * Largest distance between the heartbeats in one certificate, s. Guess: an observer's turn to probe
 * comes every 24 s at the latest, and one turn in three may be missed.
 */
export const heartbeatWindow = 90

export interface Accuser {
  readonly signer: NodeId
  /** See {@link Accusation}. */
  readonly heartbeat: number
  readonly signature: Uint8Array
}

export interface Certificate {
  readonly suspect: NodeId
  readonly incarnation: number
  /** Ordered by signer. The signers differ, and the suspect is not among them. */
  readonly accusers: readonly Accuser[]
}

/** Combines accusations of one life. */
export function certify(suspicions: readonly Statement<Accusation>[]): Certificate {
  const first = suspicions[0]
  if (first === undefined) throw new RangeError('a certificate needs an accuser')
  const { suspect, incarnation } = first.content
  const accusers = suspicions.map(({ signer, content, signature }) => ({ signer, heartbeat: content.heartbeat, signature }))
  return { suspect, incarnation, accusers: accusers.sort((a, b) => (a.signer < b.signer ? -1 : 1)) }
}

/** Returns the accusations in a certificate as full statements. */
export function accusationsIn({ suspect, incarnation, accusers }: Certificate): Statement<Accusation>[] {
  return accusers.map(({ signer, heartbeat, signature }) => ({
    signer,
    kind: kinds.suspicion,
    body: encodeAccusation(suspect, incarnation, heartbeat),
    signature,
    content: { kind: 'suspicion', suspect, incarnation, heartbeat },
  }))
}

/**
 * Reads a certificate and checks its shape and bounds, but no signature. Throws {@link FrameError}.
 */
export function readCertificate(message: wire.Certificate, limits: { readonly accusers: number; readonly counter: number }): Certificate {
  const suspect = encodeId(message.suspect)
  const { incarnation } = message
  if (!Number.isSafeInteger(incarnation) || incarnation < 1 || incarnation > limits.counter)
    throw new FrameError(`incarnation ${incarnation} is out of range`)
  if (message.accusers.length === 0 || message.accusers.length > limits.accusers) {
    throw new FrameError(`a death has 1 to ${limits.accusers} accusers, not ${message.accusers.length}`)
  }
  const accusers = message.accusers.map(({ signer, heartbeat, signature }) => {
    if (signature.length !== 64) throw new FrameError(`a signature has 64 bytes, not ${signature.length}`)
    return { signer: encodeId(signer), heartbeat, signature: signature.slice() }
  })
  accusers.forEach(({ signer }, i) => {
    if (signer === suspect) throw new FrameError('nobody accuses itself')
    if (i > 0 && signer <= (accusers[i - 1] as Accuser).signer) throw new FrameError('accusers must be different and in order')
  })
  const heartbeats = accusers.map(({ heartbeat }) => heartbeat)
  if (Math.max(...heartbeats) - Math.min(...heartbeats) > heartbeatWindow)
    throw new FrameError(`accusations that are more than ${heartbeatWindow} s apart are no death`)
  return { suspect, incarnation, accusers }
}

/** True if every accuser's signature is valid. */
export function verifyCertificate(certificate: Certificate, codec: StatementCodec): boolean {
  return accusationsIn(certificate).every((suspicion) => codec.verify(suspicion))
}

export function certificateToWire({ suspect, incarnation, accusers }: Certificate): wire.Certificate {
  return {
    suspect: decodeId(suspect) as Uint8Array<ArrayBuffer>,
    incarnation,
    accusers: accusers.map(({ signer, heartbeat, signature }) => ({
      signer: decodeId(signer) as Uint8Array<ArrayBuffer>,
      heartbeat,
      signature: signature as Uint8Array<ArrayBuffer>,
    })),
  }
}
