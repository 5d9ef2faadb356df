import type { GroupRequest, OfGroup } from '../core/lease-input.ts'
import type { GroupContent, Outcome } from './messages.ts'
import type { RankEffect, Sites } from './rank-effect.ts'
import type { Layout, StartResult, Wanted } from './wanted.ts'

/** `part` is the name of a hold or a rank of this member: see `Parts`. */
export type GroupInput =
  /** `from`: the place of the sender. `to`: the number of the receiver's place at this member. */
  | { readonly type: 'message'; readonly from: string; readonly group: string; readonly to: number; readonly content: GroupContent }
  | { readonly type: 'gone'; readonly member: string; readonly reason: string }
  /** A member that was gone is back, with another life. */
  | { readonly type: 'back'; readonly member: string }
  /** No messages reach a member, although it is in the pool. */
  | { readonly type: 'unreachable'; readonly member: string; readonly reason: string }
  /** News of `Leases` about the holds of this member. */
  | { readonly type: 'lease'; readonly effect: OfGroup }
  /** This member starts a group. */
  | { readonly type: 'want'; readonly wanted: Wanted; readonly layout: Layout }
  /** Members that may join a group of this member, the best first. */
  | { readonly type: 'offer'; readonly group: string; readonly members: readonly string[] }
  /** This member cancels the start of a group, or ends the group. */
  | { readonly type: 'stop'; readonly group: string; readonly code: 'TIMEOUT' | 'STOPPED'; readonly why: string }
  /**
   * The program of a rank of this member is loaded, or has called `shrink`, `regroup` or `revoke`.
   */
  | { readonly type: 'ready' | 'shrink' | 'regroup' | 'revoke'; readonly part: string }
  | { readonly type: 'finish'; readonly part: string; readonly outcome: Outcome }
  /** A rank of this member waits for a message of the rank at another place. */
  | { readonly type: 'ask'; readonly part: string; readonly place: string }
  /** Output of the program of a rank of this member. */
  | { readonly type: 'output'; readonly part: string; readonly output: string; readonly stream: 'stdout' | 'stderr' }

export type GroupEffect =
  /** `to`: a place. `from`: the number of the sender's place at this member. */
  | { readonly type: 'send'; readonly to: string; readonly group: string; readonly from: number; readonly content: GroupContent }
  | { readonly type: 'lease'; readonly input: GroupRequest }
  /** The start of a group of this member has ended. */
  | { readonly type: 'started'; readonly group: string; readonly result: StartResult }
  /** Ranks have joined a group of this member: their places. */
  | { readonly type: 'joined'; readonly group: string; readonly places: readonly string[] }
  /** A rank of a group of this member has ended. */
  | { readonly type: 'outcome'; readonly group: string; readonly rank: number; readonly outcome: Outcome }
  | {
      readonly type: 'output'
      readonly group: string
      readonly rank: number
      readonly output: string
      readonly stream: 'stdout' | 'stderr'
    }
  /** A rank of this member starts: the program must be loaded. */
  | {
      readonly type: 'load'
      readonly part: string
      readonly program: string
      readonly starter: string
      readonly ranks: readonly string[]
      readonly sites: Sites
      /** JSON */
      readonly input: string
      /** The time until its capacity is free, ms. */
      readonly startsIn: number
    }
  | { readonly type: 'end'; readonly part: string; readonly why: string }
  | { readonly type: 'rank'; readonly part: string; readonly effect: Exclude<RankEffect, { type: 'send' | 'start' | 'retry' | 'over' }> }
