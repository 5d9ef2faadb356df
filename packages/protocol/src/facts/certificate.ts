/**
 * Death certificates: q signed suspicions of one life by different witnesses (JEL §5.2: "if a sufficient number of nodes declare
 * that a node has died, it is pronounced dead").
 *
 * What all witnesses say alike, the suspect and its incarnation, stands once; each adds its key, the number of refutations
 * it knew, and its signature. A certificate proves itself: it is one fact, merged whole.
 */
import { FrameError } from '../base/errors.ts'
import { decodeId, encodeId } from '../base/id.ts'
import type { NodeId } from '../base/io.ts'
import type * as wire from '../wire/messages.js'
import { encodeSuspicion, kinds, type Statement, type StatementCodec, type Suspicion } from './statement.ts'

export interface Witness {
  readonly signer: NodeId
  readonly refutations: number
  readonly signature: Uint8Array
}

export interface Certificate {
  readonly suspect: NodeId
  readonly incarnation: number
  /** Ordered by signer, all different, none the suspect itself. */
  readonly witnesses: readonly Witness[]
}

/** Puts suspicions of one life together. */
export function certify(suspicions: readonly Statement<Suspicion>[]): Certificate {
  const first = suspicions[0]
  if (first === undefined) throw new RangeError('a certificate needs a witness')
  const { suspect, incarnation } = first.content
  const witnesses = suspicions.map(({ signer, content, signature }) => ({ signer, refutations: content.refutations, signature }))
  return { suspect, incarnation, witnesses: witnesses.sort((a, b) => (a.signer < b.signer ? -1 : 1)) }
}

/** The suspicions that a certificate quotes, as the statements they were. */
export function suspicionsOf({ suspect, incarnation, witnesses }: Certificate): Statement<Suspicion>[] {
  return witnesses.map(({ signer, refutations, signature }) => ({
    signer,
    kind: kinds.suspicion,
    body: encodeSuspicion(suspect, incarnation, refutations),
    signature,
    content: { kind: 'suspicion', suspect, incarnation, refutations },
  }))
}

/** Reads a certificate and checks its shape and bounds, but no signature. Throws {@link FrameError}. */
export function readCertificate(message: wire.Certificate, limits: { readonly witnesses: number; readonly counter: number }): Certificate {
  const suspect = encodeId(message.suspect)
  const { incarnation } = message
  if (!Number.isSafeInteger(incarnation) || incarnation < 1 || incarnation > limits.counter)
    throw new FrameError(`incarnation ${incarnation} is out of range`)
  if (message.witnesses.length === 0 || message.witnesses.length > limits.witnesses) {
    throw new FrameError(`a death has 1 to ${limits.witnesses} witnesses, not ${message.witnesses.length}`)
  }
  const witnesses = message.witnesses.map(({ signer, refutations, signature }) => {
    if (signature.length !== 64) throw new FrameError(`a signature has 64 bytes, not ${signature.length}`)
    return { signer: encodeId(signer), refutations, signature: signature.slice() }
  })
  witnesses.forEach(({ signer }, i) => {
    if (signer === suspect) throw new FrameError('nobody witnesses its own death')
    if (i > 0 && signer <= (witnesses[i - 1] as Witness).signer) throw new FrameError('witnesses must be different and in order')
  })
  return { suspect, incarnation, witnesses }
}

/** True if every witness signed. */
export function verifyCertificate(certificate: Certificate, codec: StatementCodec): boolean {
  return suspicionsOf(certificate).every((suspicion) => codec.verify(suspicion))
}

export function certificateToWire({ suspect, incarnation, witnesses }: Certificate): wire.Certificate {
  return {
    suspect: decodeId(suspect) as Uint8Array<ArrayBuffer>,
    incarnation,
    witnesses: witnesses.map(({ signer, refutations, signature }) => ({
      signer: decodeId(signer) as Uint8Array<ArrayBuffer>,
      refutations,
      signature: signature as Uint8Array<ArrayBuffer>,
    })),
  }
}
