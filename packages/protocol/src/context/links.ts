/**
 * The links that are up: what this node remembers of each while it lasts.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { Account } from './budgets.ts'

/** A link younger than this is never closed as surplus, ms. Guess. */
export const settleTime = 10_000
/** The same for a link that was opened to probe a suspect, ms. Guess: what is said over it takes a few round trips. */
export const probeLinkTime = 2_000
/** Links a node starts with, until its view has been quiet for a while. Measured: with two, a flash join of 100 hosts takes twice as long. */
export const earlyLinks = 1

export class Link {
  readonly peer: NodeId
  readonly since: Milliseconds
  /** The peer can be dialled, as far as the host can tell: a dial that fails is evidence against it. */
  readonly dialable: boolean
  /** What the peer may cost. */
  readonly account: Account
  /** Its frames are held back until then. */
  pausedUntil: Milliseconds = -Infinity
  /** Last frame of any kind. */
  lastHeard: Milliseconds
  /** The peer's hello has come. */
  greeted = false
  /** The peer is a member of the pool by its own account, */
  entered = false
  /** in this incarnation; 0 while it is not. */
  incarnation = 0
  /** How far its calendar is ahead of this node's, by its hello. */
  ahead: Milliseconds = 0
  /** The peer said goodbye: its going is no reason to suspect it. */
  goodbye = false
  /** One end entered the pool over it: such links form a tree. */
  isEntry = false
  /** It was opened to probe the peer, which was suspected: that is done now. */
  isProbeLink = false
  /** One end handed the other on to somebody else: what many newcomers say does not go along here. */
  referred = false

  /** `account`: the peer's, which outlives the link. */
  constructor(peer: NodeId, dialable: boolean, now: Milliseconds, account = new Account()) {
    this.peer = peer
    this.account = account
    this.dialable = dialable
    this.since = now
    this.lastHeard = now
  }
}

export type Links = Map<NodeId, Link>
