/**
 * How candidacies and claims are ordered. Both orders are total, so that keeping the greater of two is a join of a semilattice: all nodes come to
 * keep the same, in whatever order and however often they hear of them, also of a member that signs two of one rank.
 */
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'

/** Of one member's candidacies the later counts; at the same sequence, where honest members sign but one, the withdrawn. */
export function compareCandidacies(a: Statement<Candidacy>, b: Statement<Candidacy>): number {
  return (
    a.content.incarnation - b.content.incarnation ||
    a.content.sequence - b.content.sequence ||
    Number(a.content.withdrawn) - Number(b.content.withdrawn) ||
    compareSignatures(a, b)
  )
}

/** The greater claim is the one of the greater epoch, then of the lower id, then of the later life, then of the later candidacy. */
export function compareClaims(a: Statement<Claim>, b: Statement<Claim>): number {
  if (a.content.epoch !== b.content.epoch) return a.content.epoch - b.content.epoch
  if (a.signer !== b.signer) return a.signer < b.signer ? 1 : -1
  return a.content.incarnation - b.content.incarnation || a.content.sequence - b.content.sequence || compareSignatures(a, b)
}

/** Any order will do between statements of one rank, as long as it is everybody's. */
function compareSignatures({ signature: a }: Statement, { signature: b }: Statement): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}
