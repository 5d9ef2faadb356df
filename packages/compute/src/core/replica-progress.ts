import type { Milliseconds } from './ids.ts'
import type { Path } from './path.ts'

/** The state of this member's reports to one replica. */
export interface ReplicaProgress {
  /**
   * Index of the first news item that the replica has not acknowledged; -1: it needs everything.
   */
  noted: number
  /** Index after the last news item that this member sent. */
  sent: number
  sentAt: Milliseconds
  /** Retransmission timeout of a report (as TCP's). */
  retransmitAfter: Milliseconds
  number: number
  /**
   * Paths that had outcomes when the transfer of the whole state began, and that the replica has
   * not acknowledged. The first `page` of them are on their way.
   */
  backlog: Path[] | undefined
  page: number
  /**
   * Tasks whose states the replica lacks. Reports send outcomes and claims before these states.
   * `savedSent`: those in the report on its way.
   */
  readonly saved: Set<Path>
  savedSent: readonly Path[]
  /** The replica has no claims of this member yet, so it receives all of them. */
  isNew: boolean
}

/** Begins again with the news item at this index. */
export function restart(progress: ReplicaProgress, noted: number): void {
  // An acknowledgement of an earlier report no longer counts. Such a report may have lost news of
  // claims.
  progress.number++
  Object.assign(progress, { noted, sent: -1, backlog: undefined, page: 0, isNew: true, savedSent: [] })
  progress.saved.clear()
}

/**
 * Returns the state of a replica that has received nothing yet. `noted`: the index of the first
 * news item that the replica needs.
 */
export function newReplica(noted: number, retransmitAfter: Milliseconds): ReplicaProgress {
  return {
    noted,
    sent: -1,
    sentAt: -Infinity,
    retransmitAfter,
    number: 0,
    backlog: undefined,
    page: 0,
    saved: new Set(),
    savedSent: [],
    isNew: true,
  }
}
