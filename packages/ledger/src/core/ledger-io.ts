import type { Milliseconds } from '@jel/machine'
import type { Digest, Entry } from './entry.ts'
import type { Snapshot } from './log.ts'
import type { LedgerMessage } from './messages.ts'
import type { Seat } from './seat.ts'
import type { StoreRecord } from './store.ts'

export type LedgerInput =
  /** A message that the schema passed. `to`: the seat, or the id, that the sender named. */
  | { readonly type: 'message'; readonly ledger: string; readonly from: string; readonly to: string; readonly message: LedgerMessage }
  /** All writes up to this one are synced. */
  | { readonly type: 'written'; readonly number: number }
  /** A write failed, or its sync did. It is never tried again: the seat resigns. */
  | { readonly type: 'writeFailed' }
  /** The seats of the living members that this one sees. */
  | { readonly type: 'seen'; readonly seats: readonly Seat[] }
  /** A member died or left, or its connection broke. */
  | { readonly type: 'lost'; readonly id: string }
  /** The voters that the ledger should have. Its leader changes them. */
  | { readonly type: 'want'; readonly seats: readonly Seat[] }
  /** The entries up to this one are committed, as a voter has said. */
  | { readonly type: 'tip'; readonly index: number; readonly hash: string }
  /**
   * The state of the fold after a committed entry, in place of the entries up to it. The caller
   * keeps a state for a while before it hands it in, so that a tail of entries stays.
   */
  | { readonly type: 'compact'; readonly index: number; readonly state: Uint8Array }
  /** A committed state that the member has read elsewhere, in place of the entries up to it. */
  | { readonly type: 'install'; readonly snapshot: Snapshot }
  /** The member leaves. A leader hands over. */
  | { readonly type: 'resign' }

export type LedgerEffect =
  /** Write this record behind the others, sync it, and give the input `written`. */
  | { readonly type: 'write'; readonly number: number; readonly record: StoreRecord }
  /** Send a message, but not before the write `after` is synced. 0: at once. */
  | { readonly type: 'send'; readonly to: string; readonly after: number; readonly message: LedgerMessage }
  /** These entries are committed. Their indexes begin with `first`. */
  | { readonly type: 'committed'; readonly first: number; readonly entries: readonly Entry[] }
  /** A snapshot is in the place of all entries up to its index. */
  | { readonly type: 'installed'; readonly snapshot: Snapshot }
  /** The leader of this term, as far as the seat knows. */
  | { readonly type: 'leader'; readonly term: number; readonly leader: Seat | undefined }
  /** This leader heard no quorum for five seconds. It leads no more. */
  | { readonly type: 'noMajority' }
  /** The seat takes no further part. */
  | { readonly type: 'stopped'; readonly code: StopCode }

/** Why a seat takes no further part. */
export type StopCode = 'LEDGER_FORK' | 'LEDGER_WRITE_FAILED' | 'resigned'

export interface LedgerOptions {
  readonly digest: Digest
  /** Gives a number from 0 on, below 1. */
  readonly random: () => number
  /** Maximum entries of one message. Default: {@link MAX_PAGE}. */
  readonly page?: number
  /** Maximum bytes of one part of a snapshot. Default: {@link MAX_PART}. */
  readonly part?: number
}

/** A leader tells the voters at this interval that it leads, ms. A guess. */
export const HEARTBEAT: Milliseconds = 1000
/**
 * A voter stands after one to two times this span without a word of a leader, ms: longer than a
 * heartbeat, and short enough for a pause of three seconds (LEDGER §6).
 */
export const ELECTION: Milliseconds = 1400
/** A leader that heard no quorum for this long steps down, ms (dissertation §6.2). */
export const QUORUM: Milliseconds = 5000
/** When the leader is lost, each voter leaves this much time to the one before it, ms. */
export const TURN: Milliseconds = 150
/**
 * The time of a dial, ms. At a founding a voter leaves the one before it the time to dial all
 * others. A guess; what it does for 40 processes at once is measured (decision 0103).
 */
export const DIAL: Milliseconds = 50
/** A founder waits for those before it at most this long, ms: some may never stand. A guess. */
export const MAX_TURNS: Milliseconds = 10_000
/** An asker without a quorum asks again after one to two times this span, ms. A guess. */
export const RETRY: Milliseconds = 500
