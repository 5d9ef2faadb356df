import type { Measured, PoolRecord } from '@jel/overlay'
import type { Health, Member, Reign } from './member.ts'

/** A signal that another member sent to this one with `signal()`. */
export interface SignalDetail {
  /** As the sender called it. */
  readonly name: string
  /** Who sent it. */
  readonly from: Member
}

/** What a member told all members with `broadcast()`. */
export interface EventDetail {
  /** As the sender called it. */
  readonly name: string
  /** At most 1,024 bytes. */
  readonly payload: Uint8Array
  /** Who signed it. */
  readonly from: Member
}

/** How a pool was terminated. */
export interface Termination {
  /** The id of the member that did it; it may have left since. */
  readonly by: string
  /** When, by that member's calendar, Unix ms. */
  readonly at: number
}

/** Something that went wrong while the node goes on. */
export interface WarningDetail {
  /** Stable, as `INTRODUCER_UNREACHABLE` or `PEER_REFUSED`. */
  readonly code: string
  /** For people. */
  readonly message: string
}

/** How long something took that this node did, in ms: finding out that a member is dead, or a reconciliation with another member. */
export type MeasuredDetail = Measured

/**
 * The events of a pool by name. Each is a `CustomEvent` whose `detail` is plain data. Listeners hear what happens after
 * they were added, in order; `members()` in the same tick is exactly the state before it.
 */
export interface PoolEvents {
  /** A member came in (JEL §3.1). Once a life at most, never after its end. */
  joined: CustomEvent<Member>
  /** A member left by its own will (JEL §3.1). */
  left: CustomEvent<Member>
  /** A member crashed, was killed, or can't be reached by those who watch it (JEL §3.1). */
  died: CustomEvent<Member>
  /** A member that is present says something else of itself: other addresses, another tag or other constants. Not in the paper. */
  updated: CustomEvent<Member>
  /** An election has another winner, or the same under another epoch (JEL §3.2). Provisional until the pool agrees (§3.3). */
  elected: CustomEvent<Reign>
  /** A record is new, has a new version, was withdrawn, or made way for others: then it has no `value`. That one expired is not told. Not in the paper. */
  record: CustomEvent<PoolRecord>
  /** Another member signalled this one. */
  signal: CustomEvent<SignalDetail>
  /** A member told all members something with `broadcast()`, this node included. Once each. Not in the paper; Serf's user event. */
  event: CustomEvent<EventDetail>
  /** As many have joined as a pool of a fixed size is for. `waitForPoolClosed()` tells it late, too. */
  poolClosed: CustomEvent<{ readonly size: number }>
  /** A member terminated the pool. Nobody is made to leave. `pool.terminated` tells it late, too. */
  terminated: CustomEvent<Termination>
  /** `health()` reads differently: alone, in a minority, well again. */
  health: CustomEvent<Health>
  /** This node measured how long something took: for metrics, see `observe` of `@jel/jel/opentelemetry`. */
  measured: CustomEvent<MeasuredDetail>
  /** Something went wrong while the node goes on. */
  warning: CustomEvent<WarningDetail>
}
