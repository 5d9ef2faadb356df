import type { Measured, PoolRecord } from '@jel/overlay'
import type { LedgerStatus } from '@jel/ledger'
import type { Health, Member, Reign } from './member.ts'

/** A signal that another member sent to this member with `signal()`. */
export interface SignalDetail {
  /** The name that the sender gave it. */
  readonly name: string
  /** The sender. */
  readonly from: Member
}

/** A user event that a member sent to all members with `broadcast()`. */
export interface EventDetail {
  /** The name that the sender gave it. */
  readonly name: string
  /** At most 1,024 bytes. */
  readonly payload: Uint8Array
  /** The member that signed it. */
  readonly from: Member
}

/** A message with a place in the order of all events of the ledger. */
export interface OrderedDetail extends EventDetail {
  /** Rises from message to message. No other entry of the ledger has it. */
  readonly index: number
}

/** The termination of a pool. */
export interface Termination {
  /** The id of the member that terminated the pool. It may have left since. */
  readonly by: string
  /** The time by that member's wall clock, Unix ms. */
  readonly at: number
}

/** A problem after which the node goes on. */
export interface WarningDetail {
  /** A stable code, such as `INTRODUCER_UNREACHABLE` or `PEER_REFUSED`. */
  readonly code: string
  /** A text for people. */
  readonly message: string
}

/**
 * The duration, in ms, of something that this node did: the detection of a member's death, or a
 * reconciliation with another member.
 */
export type MeasuredDetail = Measured

/**
 * The events of a pool by name. Each is a `CustomEvent` whose `detail` is plain data. A listener
 * gets all events after its registration, in order. In the tick of the registration, `members()`
 * returns exactly the state before the first event.
 */
export interface PoolEvents {
  /**
   * A member joined (JEL §3.1). The event comes at most once per life, and never after the end of
   * that life.
   */
  joined: CustomEvent<Member>
  /** A member left of its own accord (JEL §3.1). */
  left: CustomEvent<Member>
  /** A member crashed, was killed, or is unreachable for the members that watch it (JEL §3.1). */
  died: CustomEvent<Member>
  /** A present member changed its addresses, its tag or its constants. Not in the paper. */
  updated: CustomEvent<Member>
  /**
   * An election has another winner, or the same winner under another epoch (JEL §3.2). The result
   * is provisional until the pool agrees (§3.3).
   */
  elected: CustomEvent<Reign>
  /**
   * A record is new or has a new version, its owner withdrew it, or other records evicted it. In
   * the last two cases it has no `value`. It also has none if it ended while this member was away.
   * No other event reports that a record expires. Not in the paper.
   */
  record: CustomEvent<PoolRecord>
  /**
   * A member sent a message with `order()`. All members of the ledger get it once, at the same
   * place among joins, ends and reigns.
   */
  ordered: CustomEvent<OrderedDetail>
  /** The ledger has another state, leader or voters. */
  ledger: CustomEvent<LedgerStatus>
  /** Another member sent a signal to this member. */
  signal: CustomEvent<SignalDetail>
  /**
   * A member sent a user event with `broadcast()` to all members, itself included. Each event is
   * delivered once. Not in the paper; Serf's user event.
   */
  event: CustomEvent<EventDetail>
  /**
   * The pool has a fixed size, and that many members have joined. `waitForPoolClosed()` reports
   * this later as well.
   */
  poolClosed: CustomEvent<{ readonly size: number }>
  /**
   * A member terminated the pool. No member is forced to leave. `pool.terminated` reports this
   * later as well.
   */
  terminated: CustomEvent<Termination>
  /** The state in `health()` changed: alone, in a minority, or well again. */
  health: CustomEvent<Health>
  /** This node measured a duration: for metrics, see `observe` of `@jel/jel/opentelemetry`. */
  measured: CustomEvent<MeasuredDetail>
  /** A problem occurred, and the node goes on. */
  warning: CustomEvent<WarningDetail>
}
