import type { Milliseconds } from '@jel/machine'
import type { Digest, Entry } from './entry.ts'
import type { Snapshot } from './log.ts'
import type { LedgerMessage } from './messages.ts'
import type { Seat } from './seat.ts'
import type { StoreRecord } from './store.ts'

export type LedgerInput =
  /**
   * A message that fits the schema. `from`: a seat, or the id of a member that sends a request.
   * `to`: the seat that the sender named.
   */
  | { readonly type: 'message'; readonly ledger: string; readonly from: string; readonly to: string; readonly message: LedgerMessage }
  /** All writes up to this one are synced. */
  | { readonly type: 'written'; readonly number: number }
  /** A write or its sync failed. Nobody repeats the write: the seat stops. */
  | { readonly type: 'writeFailed' }
  /** The seats of the living members that this one sees. */
  | { readonly type: 'seen'; readonly seats: readonly Seat[] }
  /** A member died or left, or its connection broke. */
  | { readonly type: 'lost'; readonly id: string }
  /** The voters that the ledger should have. The leader changes the configuration to them. */
  | { readonly type: 'want'; readonly seats: readonly Seat[] }
  /** The leader says that the entries up to this one are committed. */
  | { readonly type: 'tip'; readonly index: number; readonly hash: string }
  /**
   * The state of the fold after a committed entry. It replaces the entries up to this index. The
   * caller delays the input, so that the latest entries stay in the log.
   */
  | { readonly type: 'compact'; readonly index: number; readonly state: Uint8Array }
  /** A snapshot that this member has read from a voter. It replaces the entries up to its index. */
  | { readonly type: 'install'; readonly snapshot: Snapshot }
  /** The member leaves the ledger. The seat stops. A leader hands over first. */
  | { readonly type: 'resign' }

export type LedgerEffect =
  /** Append this record to the store, sync it, and give the input `written`. */
  | { readonly type: 'write'; readonly number: number; readonly record: StoreRecord }
  /** Send a message, but not before the write `after` is synced. 0: at once. */
  | { readonly type: 'send'; readonly to: string; readonly after: number; readonly message: LedgerMessage }
  /** These entries are committed. Their indexes begin with `first`. */
  | { readonly type: 'committed'; readonly first: number; readonly entries: readonly Entry[] }
  /** A snapshot has replaced all entries up to its index. */
  | { readonly type: 'installed'; readonly snapshot: Snapshot }
  /** The leader of this term, as far as the seat knows. */
  | { readonly type: 'leader'; readonly term: number; readonly leader: Seat | undefined }
  /** This leader heard no quorum for five seconds, so it has stepped down. */
  | { readonly type: 'noMajority' }
  /** The seat has stopped. */
  | { readonly type: 'stopped'; readonly code: StopCode }

/** The reason why a seat has stopped. */
export type StopCode = 'LEDGER_FORK' | 'LEDGER_WRITE_FAILED' | 'resigned'

export interface LedgerOptions {
  readonly digest: Digest
  /** Returns a number from 0 on, below 1. */
  readonly random: () => number
  /** Maximum entries of one message. Default: {@link MAX_PAGE}. */
  readonly page?: number
  /** Maximum bytes of one part of a snapshot. Default: {@link MAX_PART}. */
  readonly part?: number
}

/** A leader tells the voters at this interval that it leads, ms. A guess. */
export const HEARTBEAT: Milliseconds = 1000
/**
 * A voter stands after one to two times this span without a message of a leader, ms. The span is
 * longer than a heartbeat. It lets voters replace a silent leader within about three seconds.
 */
export const ELECTION: Milliseconds = 1400
/** A leader that heard no quorum for this long steps down, ms (dissertation §6.2). */
export const QUORUM: Milliseconds = 5000
/** When the leader is lost, each voter stands this much later than the one before it, ms. */
export const TURN: Milliseconds = 150
/**
 * The time of a dial, ms. At a founding each founder waits until those before it had time to dial
 * all others. A guess. Decision 0103 measures it for 40 processes at once.
 */
export const DIAL: Milliseconds = 50
/** The longest wait of a founder for those before it, ms: some may never stand. A guess. */
export const MAX_TURNS: Milliseconds = 10_000
/** A seat that got no quorum asks for votes again after one to two times this span, ms. A guess. */
export const RETRY: Milliseconds = 500
