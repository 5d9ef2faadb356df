/**
 * Orders of candidacies and of claims. Both orders are total, so keeping the greater of two
 * statements is a join of a semilattice. All nodes come to keep the same statement, in any order of
 * arrival and with any repetition. That also holds if a member signs two statements of one rank.
 */
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'

/**
 * Of one member's candidacies the later is greater. Honest members sign only one of each sequence.
 * Of two with the same sequence the withdrawn one is greater.
 */
export function compareCandidacies(a: Statement<Candidacy>, b: Statement<Candidacy>): number {
  return (
    a.content.incarnation - b.content.incarnation ||
    a.content.sequence - b.content.sequence ||
    Number(a.content.withdrawn) - Number(b.content.withdrawn) ||
    compareSignatures(a, b)
  )
}

/**
 * The greater claim has the greater epoch, then the lower id, then the later life, then the later
 * candidacy.
 */
export function compareClaims(a: Statement<Claim>, b: Statement<Claim>): number {
  if (a.content.epoch !== b.content.epoch) return a.content.epoch - b.content.epoch
  if (a.signer !== b.signer) return a.signer < b.signer ? 1 : -1
  return a.content.incarnation - b.content.incarnation || a.content.sequence - b.content.sequence || compareSignatures(a, b)
}

/** Statements of one rank may have any order that is the same at all nodes. */
function compareSignatures({ signature: a }: Statement, { signature: b }: Statement): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}
