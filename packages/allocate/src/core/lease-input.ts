import type { Amounts, Milliseconds } from './calendar.ts'
import type { HoldEffect, HoldRequest } from './holds.ts'

/** The latest end of a lease, from now on, ms: 31 days. A guess. */
export const LONGEST: Milliseconds = 31 * 86_400_000

/** A request for capacity. All times are spans, since the wall clocks of members may differ. */
export interface LeaseRequest {
  readonly amounts: Amounts
  /** ms */
  readonly for: Milliseconds
  /** The lease begins after this time, ms. */
  readonly from: Milliseconds
  /**
   * The lease has a fair share of the capacity that foreground leases leave. It is never refused
   * for lack of capacity.
   */
  readonly background: boolean
  /** A repeated request with this key is about the same lease. */
  readonly key: string
  /** Asks only for a lease that this holder already has. */
  readonly again?: boolean | undefined
}

/** A lease as its holder sees it. The times are spans from now. */
export interface Granted {
  /** Each lease of this life of the granter has a higher number than the one before. */
  readonly number: number
  readonly startsIn: Milliseconds
  readonly endsIn: Milliseconds
  /** The present amounts: those asked for, or the share of a background lease. */
  readonly amounts: Amounts
}

/** Why there is no lease. */
export interface Refusal {
  readonly code: 'CAPACITY' | 'NO_CAPACITY' | 'TOO_MANY' | 'NO_LEASE' | 'DENIED'
  readonly message: string
  /** Time until the request would fit, ms. */
  readonly earliest?: Milliseconds | undefined
}

/** A group asks for a hold. */
interface HoldQuestion {
  readonly type: 'hold'
  readonly asked: HoldRequest
}

export type LeaseInput =
  | { readonly type: 'ask'; readonly request: number; readonly holder: string; readonly asked: LeaseRequest }
  | { readonly type: 'renew'; readonly request: number; readonly holder: string; readonly number: number; readonly for: Milliseconds }
  | { readonly type: 'change'; readonly request: number; readonly holder: string; readonly number: number; readonly amounts: Amounts }
  | { readonly type: 'release'; readonly request: number; readonly holder: string; readonly number: number }
  /** Sets a capacity of this member. The caller has checked it with `mayOffer`. */
  | { readonly type: 'offer'; readonly name: string; readonly total: number }
  /** The holder died or left. */
  | { readonly type: 'gone'; readonly holder: string }
  /**
   * `wall`: the time by the wall clock of this member, Unix ms. The age of a request is the time
   * from its date until `wall`.
   */
  | (HoldQuestion & { readonly wall: Milliseconds })
  /** Protects a hold from other groups: see the effect `locked`. */
  | { readonly type: 'lock'; readonly group: string; readonly attempt: number }
  | { readonly type: 'unlock'; readonly group: string }
  /** A locked hold becomes a lease of this member itself. */
  | { readonly type: 'start'; readonly group: string; readonly self: string }
  | { readonly type: 'letGo'; readonly group: string }

export type LeaseEffect =
  | { readonly type: 'granted'; readonly request: number; readonly lease: Granted }
  | { readonly type: 'refused'; readonly request: number; readonly refusal: Refusal }
  | { readonly type: 'changed'; readonly holder: string; readonly number: number; readonly amounts: Amounts }
  | {
      readonly type: 'ended'
      readonly holder: string
      readonly number: number
      readonly reason: 'term' | 'released' | 'gone'
      readonly group?: string | undefined
    }
  | HoldEffect
  | { readonly type: 'noHold'; readonly group: string; readonly refusal: Refusal }
  | { readonly type: 'locked'; readonly group: string; readonly attempt: number; readonly isHeld: boolean }
  /** The group has its lease. After `startsIn` ms the capacity is free of background leases. */
  | { readonly type: 'started'; readonly group: string; readonly startsIn: Milliseconds }

/** News of the hold or the lease of a group. */
export type OfGroup = Extract<LeaseEffect, { readonly group?: string | undefined }>

/** A request of a group about its hold. */
export type HoldInput = Extract<LeaseInput, { type: 'hold' | 'lock' | 'unlock' | 'start' | 'letGo' }>
/** A `HoldInput` as the machine of the groups emits it: without `wall`. */
export type GroupRequest = Exclude<HoldInput, { type: 'hold' }> | HoldQuestion
