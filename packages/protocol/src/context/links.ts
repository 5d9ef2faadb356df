/** The open links, and the state of each. */
import type { Milliseconds, NodeId } from '../base/values.ts'
import { Account } from './token-buckets.ts'

/** Least age at which a node closes a link as surplus, ms. Guess. */
export const settleTime = 10_000
/**
 * Least age at which a node closes a surplus link that exists only for a probe, ms. Guess: the
 * probe takes a few round trips.
 */
export const probeLinkTime = 2_000
/**
 * Number of links with which a node starts. It builds more once its view has been quiet for a
 * while. Measured: with two, a flash join of 100 hosts takes twice as long.
 */
export const earlyLinks = 1

export class Link {
  readonly peer: NodeId
  readonly since: Milliseconds
  /**
   * As far as the host can tell, a dial reaches the peer. So a failed dial is evidence against the
   * peer.
   */
  readonly dialable: boolean
  /** The peer's budget. */
  readonly account: Account
  /** The host holds back the peer's frames until this time. */
  pausedUntil: Milliseconds = -Infinity
  /** Time of the last frame of any kind. */
  lastHeard: Milliseconds
  /** The peer's hello has arrived. */
  greeted = false
  /** The peer states that it is a member of the pool. */
  entered = false
  /** Incarnation that the peer states; 0 if it is no member. */
  incarnation = 0
  /** The peer's calendar is ahead of this node's by this time. The peer's hello shows it. */
  ahead: Milliseconds = 0
  /** The peer announced the end of the link, so the end raises no suspicion. */
  goodbye = false
  /** One end entered the pool over this link. Such links form a tree. */
  isEntry = false
  /** The link exists only for a probe. */
  isProbeLink = false
  /**
   * One end redirected the newcomer at the other end to other members. Lazy push and reconciliation
   * do not use this link.
   */
  redirected = false

  /** `account` belongs to the peer and outlives the link. */
  constructor(peer: NodeId, dialable: boolean, now: Milliseconds, account = new Account()) {
    this.peer = peer
    this.account = account
    this.dialable = dialable
    this.since = now
    this.lastHeard = now
  }
}

export type Links = Map<NodeId, Link>
