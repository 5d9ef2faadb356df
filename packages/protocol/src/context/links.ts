/**
 * The links that are up: what this node remembers of each while it lasts.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { Budgets } from './budgets.ts'

export class Link {
  readonly peer: NodeId
  readonly since: Milliseconds
  /** The peer can be dialled, as far as the host can tell: a dial that fails is evidence against it. */
  readonly dialable: boolean
  /** What the peer may cost. */
  readonly budgets = new Budgets()
  /** Last frame of any kind. */
  lastHeard: Milliseconds
  /** The peer's hello has come. */
  greeted = false
  /** The peer is a member of the pool by its own account, */
  entered = false
  /** in this incarnation; 0 while it is not. */
  incarnation = 0
  /** The peer said goodbye: its going is no reason to doubt it. */
  goodbye = false
  /** One end entered the pool over it: such links form a tree. */
  isEntry = false
  /** It was opened to look at the peer, whom this node doubted: that is done now. */
  isLook = false
  /** One end handed the other on to somebody else: what a crowd says does not go along here. */
  referred = false

  constructor(peer: NodeId, dialable: boolean, now: Milliseconds) {
    this.peer = peer
    this.dialable = dialable
    this.since = now
    this.lastHeard = now
  }
}

export type Links = Map<NodeId, Link>
