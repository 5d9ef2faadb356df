import type { LeaseInput, OfGroup } from '../core/lease-input.ts'
import type { GroupContent, Outcome } from './messages.ts'
import type { RankEffect, Sites } from './rank-effect.ts'
import type { Layout, StartResult, Wanted } from './wanted.ts'

/**
 * In inputs and effects about a rank or a hold of this member, `group` is the name of that part:
 * the group, with the place if it is not the first one.
 */
export type GroupInput =
  /** `from`: the place of the sender. `to`: the number of the receiver's place at this member. */
  | { readonly type: 'message'; readonly from: string; readonly group: string; readonly to: number; readonly content: GroupContent }
  | { readonly type: 'gone'; readonly member: string; readonly reason: string }
  /** A member that was gone is back, with another life. */
  | { readonly type: 'back'; readonly member: string }
  /** No messages reach a member, though it is there. */
  | { readonly type: 'unreachable'; readonly member: string; readonly reason: string }
  /** News of the leases of this member about its holds. */
  | { readonly type: 'lease'; readonly effect: OfGroup }
  /** This member starts a group. */
  | { readonly type: 'want'; readonly wanted: Wanted; readonly layout: Layout }
  /** Members that may join a group of this member, the best first. */
  | { readonly type: 'offer'; readonly group: string; readonly members: readonly string[] }
  /** It gives the start up, or ends the group. */
  | { readonly type: 'stop'; readonly group: string; readonly code: 'TIMEOUT' | 'STOPPED'; readonly why: string }
  /** The program of this member's rank is loaded, wants something, or has ended. */
  | { readonly type: 'ready' | 'shrink' | 'regroup' | 'revoke'; readonly group: string }
  | { readonly type: 'finish'; readonly group: string; readonly outcome: Outcome }
  /** A call of a rank waits for the rank at another place. */
  | { readonly type: 'ask'; readonly group: string; readonly place: string }
  /** Output of the program of this member's rank. */
  | { readonly type: 'output'; readonly group: string; readonly output: string; readonly stream: 'stdout' | 'stderr' }

export type GroupEffect =
  /** `to`: a place. `from`: the number of the sender's place at this member. */
  | { readonly type: 'send'; readonly to: string; readonly group: string; readonly from: number; readonly content: GroupContent }
  | { readonly type: 'lease'; readonly input: LeaseInput }
  /** The start of a group of this member has ended. */
  | { readonly type: 'started'; readonly group: string; readonly result: StartResult }
  /** More ranks take part in a group of this member: their places. */
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
  /** This member has a rank: its program is to be loaded. */
  | {
      readonly type: 'load'
      readonly group: string
      readonly program: string
      readonly starter: string
      readonly ranks: readonly string[]
      readonly sites: Sites
      /** JSON */
      readonly input: string
      /** The time until the capacity is there, ms. */
      readonly startsIn: number
    }
  | { readonly type: 'end'; readonly group: string; readonly why: string }
  | { readonly type: 'rank'; readonly group: string; readonly effect: Exclude<RankEffect, { type: 'send' | 'start' | 'retry' | 'over' }> }
