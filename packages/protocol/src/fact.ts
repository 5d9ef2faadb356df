/**
 * A fact: what reconciliation and broadcasts carry. A statement, a claim with what ended the reign before it, or a death
 * certificate, under a key of which every node keeps one version.
 *
 * The version is taken from the signature, whose bytes are as good as random, so that no further hash is needed. Two certificates of one
 * death differ in their witnesses and mean the same: their version names only the life.
 */
import { certificateToWire, readCertificate, type Certificate } from './certificate.ts'
import { FrameError } from './errors.ts'
import { hash52 } from './hash.ts'
import type { Config } from './config.ts'
import type { Milliseconds, NodeId } from './io.ts'
import { statementToWire, type Statement, type StatementCodec } from './statement.ts'
import type * as wire from './wire/messages.js'

/** Why a reign is over: its winner's left-statement, withdrawn candidacy or later life, or its death. */
export type Evidence = { readonly statement: Statement } | { readonly certificate: Certificate }

export type FactContent = { readonly statement: Statement; readonly because?: Evidence | undefined } | { readonly certificate: Certificate }

export interface Fact {
  readonly key: string
  /** Where it stands in the fact set: the hash of the key. */
  readonly position: number
  /** Version, 2 × 32 bits. */
  readonly high: number
  readonly low: number
  readonly content: FactContent
  /** When what it tells began, for facts that expire; in this node's time. */
  readonly born: Milliseconds | undefined
}

export const memberKey = (id: NodeId): string => `m${id}`
export const candidacyKey = (election: string, id: NodeId): string => `c${id}${election}`
export const claimKey = (election: string): string => `e${election}`
export const unknownKey = (statement: Statement): string =>
  `u${statement.signer}${statement.kind}:${hex(statement.signature.subarray(0, 8))}`

export function makeFact(key: string, content: FactContent, born?: Milliseconds): Fact {
  const position = hash52(key)
  if ('certificate' in content) {
    const life = `${content.certificate.suspect}:${content.certificate.incarnation}`
    return { key, position, high: hash52(life, 1) >>> 0, low: hash52(life, 2) >>> 0, content, born }
  }
  const view = new DataView(content.statement.signature.buffer, content.statement.signature.byteOffset)
  return { key, position, high: view.getUint32(0), low: view.getUint32(4), content, born }
}

export function factToWire({ content, born }: Fact, now: Milliseconds): wire.Fact {
  const ageSeconds = born === undefined ? 0 : Math.max(0, Math.floor((now - born) / 1000))
  if ('certificate' in content) return { certificate: certificateToWire(content.certificate), ageSeconds }
  const fact: wire.Fact = { statement: statementToWire(content.statement), ageSeconds }
  if (content.because === undefined) return fact
  if ('statement' in content.because) fact.because = statementToWire(content.because.statement)
  else fact.becauseDeath = certificateToWire(content.because.certificate)
  return fact
}

/** Reads what a fact holds, with all bounds but without signatures. Throws {@link FrameError}. */
export function readFact(message: wire.Fact, codec: StatementCodec, limits: Config['limits']): { content: FactContent; age: Milliseconds } {
  const age = message.ageSeconds * 1000
  if (message.certificate !== undefined) return { content: { certificate: readCertificate(message.certificate, limits) }, age }
  if (message.statement === undefined) throw new FrameError('a fact without content')
  const statement = codec.read(message.statement)
  const because: Evidence | undefined =
    message.because !== undefined
      ? { statement: codec.read(message.because) }
      : message.becauseDeath !== undefined
        ? { certificate: readCertificate(message.becauseDeath, limits) }
        : undefined
  return { content: because === undefined ? { statement } : { statement, because }, age }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
