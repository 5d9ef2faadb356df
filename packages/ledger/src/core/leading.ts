import type { Milliseconds } from '@jel/machine'
import type { Snapshot } from './log.ts'
import type { Seat } from './seat.ts'

/** How far a leader has fed one seat (Raft, figure 2). */
export class Progress {
  /** The next entry to send, and the last one that the seat is known to have. */
  next: number
  match = 0
  /** Pages on their way. While the leader looks for the place where the logs part, there is one. */
  flights = 0
  isProbing = true
  /** The last sign of life, and the last round that the seat answered. */
  heardAt: Milliseconds
  round = 0
  /** Whether the seat has answered since the last heartbeat. */
  hasAnswered = true
  /**
   * The snapshot on its way, and the bytes that arrived. The leader may make newer ones meanwhile:
   * a seat that began anew with each of them would never be done.
   */
  sending: { readonly snapshot: Snapshot; readonly offset: number } | undefined

  constructor(next: number, now: Milliseconds) {
    this.next = next
    this.heardAt = now
  }
}

/** A question that waits: a proposal for the commit of `index`, a read for a round. */
export interface Waiting {
  readonly type: 'propose' | 'read'
  readonly from: string
  readonly number: number
  readonly index: number
  readonly round: number
}

/** The state that a seat has only while it leads. */
export class Leading {
  readonly progress = new Map<Seat, Progress>()
  /** The last entry that this seat has synced itself. */
  match: number
  /** Writes of entries that are not synced: their numbers, and their last indexes. */
  unsynced: readonly { readonly number: number; readonly index: number }[] = []
  /** The commit at the last heartbeat. */
  committed: number
  requests: readonly Waiting[] = []
  /** Grows with each read, so that answers to older messages do not confirm it. */
  round = 0

  constructor(match: number) {
    this.match = match
    this.committed = match
  }
}
