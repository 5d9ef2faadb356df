/** Claims: how they are ordered, and what proves that the reign before one is over. */
import { verifyCertificate } from '../facts/certificate.ts'
import type { Evidence } from '../facts/fact.ts'
import { isKind, type Claim, type Statement, type StatementCodec } from '../facts/statement.ts'

/** Claims are ordered by epoch, then the lower id, then (one winner's claims in two lives) the later life. */
export function isGreater(a: Statement<Claim>, b: Statement<Claim>): boolean {
  if (a.content.epoch !== b.content.epoch) return a.content.epoch > b.content.epoch
  if (a.signer !== b.signer) return a.signer < b.signer
  return a.content.incarnation > b.content.incarnation
}

/** Does this evidence end the reign that the claim says it follows? Signatures included. */
export function provesEnd(evidence: Evidence, { ended, election }: Claim, codec: StatementCodec): boolean {
  if (ended === undefined) return false
  if ('certificate' in evidence) {
    const { certificate } = evidence
    return certificate.suspect === ended.winner && certificate.incarnation >= ended.incarnation && verifyCertificate(certificate, codec)
  }
  const { statement } = evidence
  if (statement.signer !== ended.winner) return false
  const isEnd =
    (isKind(statement, 'left') && statement.content.incarnation >= ended.incarnation) ||
    (isKind(statement, 'joined') && statement.content.incarnation > ended.incarnation) ||
    (isKind(statement, 'candidacy') &&
      statement.content.withdrawn &&
      statement.content.election === election &&
      statement.content.incarnation >= ended.incarnation)
  return isEnd && codec.verify(statement)
}
