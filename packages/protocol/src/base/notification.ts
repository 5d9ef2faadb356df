/** Notifications: the news for the application. */
import type { Introducer } from './input.ts'
import type { Member, Milliseconds, NodeId, PoolRecord, Reign } from './values.ts'

/**
 * A notification to the application. Each life has at most one `joined`, then at most one of `left`
 * and `died`.
 */
export type Notification =
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }
  /** Addresses, tag, constants or reach of a member changed. Its life goes on. */
  | { readonly type: 'updated'; readonly member: Member }
  | { readonly type: 'elected'; readonly reign: Reign }
  /**
   * Comes once, after the node's own `joined`. If `alone` is false, the node has reconciled with a
   * member, so its view is that of the pool. If `alone` is true, the node founded the pool, or goes
   * on because no introducer let it in (`health().introducers` has the reasons).
   */
  | { readonly type: 'entered'; readonly alone: boolean }
  | { readonly type: 'signal'; readonly name: string; readonly from: Member }
  /**
   * A member, perhaps this node, sent an event to all members. Each event comes once. Events from
   * before this node's entry do not come.
   */
  | { readonly type: 'event'; readonly name: string; readonly payload: Uint8Array; readonly from: Member }
  /**
   * A member sent a query. Answers go directly to that member. `asked`: the number of members
   * asked, as far as this node knows.
   */
  | {
      readonly type: 'query'
      readonly name: string
      readonly payload: Uint8Array
      readonly from: Member
      readonly id: number
      readonly timeout: Milliseconds
      readonly asked: number
    }
  /**
   * A record is new or has a new version, or its owner withdrew it, or this node evicted it. A
   * withdrawn or evicted record has no value, nor has one that ended while this node was away. This
   * node sends no notification when a record expires.
   */
  | { readonly type: 'record'; readonly record: PoolRecord }
  /**
   * The end of a `signal` command: the members that acknowledged it within the time allowed, and
   * the other recipients.
   */
  | {
      readonly type: 'signalled'
      readonly ref: number
      readonly delivered: readonly NodeId[]
      readonly failed: readonly NodeId[]
    }
  /**
   * Something went wrong that may interest the application. The node goes on. `code` is stable,
   * `message` is for people.
   */
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string }
  /** This node is now alone or in a minority, or no longer is. */
  | { readonly type: 'health'; readonly health: Health }

export type WarningCode =
  | 'INTRODUCER_UNREACHABLE'
  | 'PEER_MISBEHAVED'
  | 'INCARNATION_REPLACED'
  /**
   * Some members believe that a life of this identity ended. The incarnation of that life is too
   * high to be true. These members don't see this node.
   */
  | 'INCARNATION_OUT_OF_REACH'
  /**
   * A peer's calendar differs by minutes. Each of the two nodes may lose events, queries and
   * records of the other.
   */
  | 'CALENDARS_DIFFER'
  | 'VIEW_FULL'
  | 'ELECTIONS_FULL'
  | 'RECORDS_FULL'
  /** The host refused a peer, or did not dial it. */
  | 'PEER_REFUSED'
  /** The file of remembered peers is unusable. */
  | 'PEERS_FILE'
  /** The file of saved records, or some of its records, are unusable. */
  | 'RECORDS_FILE'
  | 'EVENTS_FULL'

/** The connectedness of this node, as far as it can detect it. */
export interface Health {
  /** Links that are up. */
  readonly links: number
  /** Members of the view, self included. */
  readonly members: number
  /** Share of the other members that are suspected or were lost within the last minute: 0 to 1. */
  readonly suspectedShare: number
  /**
   * Members that only other members can reach. They stay members, but a stream to them may fail.
   */
  readonly relayed: number
  /**
   * True if this node reaches no other member, and one of these holds: its view has other members,
   * it lost several members at once and they are not back, or no introducer has answered yet. A
   * node that only lost its one peer is not alone. It is a pool of one, in a minority.
   */
  readonly alone: boolean
  /**
   * True if this node reaches at most half of the members that the pool had a minute ago: another,
   * larger side may exist. It stays true until the node reaches more than half again, or forgets
   * the lost members (after a day).
   */
  readonly minority: boolean
  /** End of the last reconciliation with a member, in the runner's time; undefined: none yet. */
  readonly lastReconciliation: Milliseconds | undefined
  /** The introducers that do not answer, each with the reason. */
  readonly introducers: readonly { readonly introducer: Introducer; readonly reason: string }[]
}

/** A link as the node at this end sees it. */
export interface LinkState {
  /** The node at the other end. */
  readonly id: NodeId
  /**
   * Time that the other end took to answer the last probe, ms. Undefined if this node does not
   * probe that end, or has no answer yet.
   */
  readonly roundTrip: Milliseconds | undefined
}

/** The duration of an action of this node. */
export type Measured =
  /**
   * From the first suspicion that this node raised or received until it believed the death. A death
   * without a suspicion has no such measurement.
   */
  | { readonly what: 'detection'; readonly member: NodeId; readonly took: Milliseconds }
  /** From the start of a reconciliation by this node until both sides had the same facts. */
  | { readonly what: 'reconciliation'; readonly took: Milliseconds }
