import type { Milliseconds, NodeId } from '../base/values.ts'

/**
 * The length of a candidate's turn, ms. If the candidate does not claim in its turn, the next one
 * claims. Guess: a reconciliation without an answer ends after the same time.
 */
export const turn = 5_000
/** Longest wait before a winner outdoes the same rival again, ms. Guess. */
const turnMax = 80_000

/** The confirmation of a reign: its winner claims again, above a later claim of a rival. */
export class ReignConfirmation {
  /** Time when this node, the winner, claims again; Infinity for never. */
  dueAt: Milliseconds = Infinity
  /** Author of the claim that this node outdid last. */
  #rival: NodeId | undefined
  /**
   * The number of times in a row that this node outdid that rival, for an exponential backoff.
   * Otherwise two sides of a heal would outdo each other for ever (docs/decisions/0030).
   */
  #outdone = 0

  /** Handles a later claim that did not unseat this node. */
  contest(rival: NodeId, now: Milliseconds): void {
    const wait = rival === this.#rival ? Math.min(turn * 2 ** this.#outdone, turnMax) : turn
    this.dueAt = Math.min(this.dueAt, now + wait)
  }

  /** Notes a claim of this node above that of a rival; undefined: there was no rival. */
  outdo(rival: NodeId | undefined): void {
    this.#outdone = rival !== undefined && rival === this.#rival ? this.#outdone + 1 : 1
    this.#rival = rival
  }
}
