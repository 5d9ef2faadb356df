import type { Milliseconds } from '@jel/machine'
import type { Snapshot } from './log.ts'
import type { Seat } from './seat.ts'

/** The entries that a leader has sent to one seat (Raft, figure 2: `nextIndex`, `matchIndex`). */
export class Progress {
  /** `next`: the next entry to send. `match`: the last entry that the seat is known to have. */
  next: number
  match = 0
  /**
   * Pages without an answer. The leader sends one at a time while it probes for the last entry that
   * both logs have.
   */
  flights = 0
  isProbing = true
  /** `heardAt`: the time of the last answer. `round`: the last round that the seat answered. */
  heardAt: Milliseconds
  round = 0
  /** Whether the seat has answered since the last heartbeat. */
  hasAnswered = true
  /**
   * The snapshot that is being sent, and the number of its bytes that arrived. It is sent to its
   * end, though the leader may make newer ones meanwhile: a seat that began anew with each newer
   * snapshot might never finish.
   */
  sending: { readonly snapshot: Snapshot; readonly offset: number } | undefined

  constructor(next: number, now: Milliseconds) {
    this.next = next
    this.heardAt = now
  }
}

/**
 * A request that waits. Each one waits for the commit of `index`. A read also waits until a quorum
 * has answered its `round`.
 */
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
  /**
   * The number of reads. Messages carry it, so that answers to older messages confirm no later
   * read.
   */
  round = 0

  constructor(match: number) {
    this.match = match
    this.committed = match
  }
}
