/**
 * The links that are up: what this node remembers of each while it lasts.
 */
import type { Config } from './config.ts'
import type { Milliseconds, NodeId } from './io.ts'

export class Link {
  readonly peer: NodeId
  readonly since: Milliseconds
  /** The peer can be dialled, as far as the host can tell: a dial that fails is evidence against it. */
  readonly dialable: boolean
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
  /** One end handed the other on to somebody else: what a crowd says does not go along here. */
  referred = false
  #tokens: number
  #refilled: Milliseconds

  constructor(peer: NodeId, dialable: boolean, now: Milliseconds, limits: Config['limits']) {
    this.peer = peer
    this.dialable = dialable
    this.since = now
    this.lastHeard = now
    this.#tokens = limits.framesPerSecond * 10
    this.#refilled = now
  }

  /** Takes one frame from the peer's budget (a token bucket); false if it is used up. */
  spend(now: Milliseconds, framesPerSecond: number): boolean {
    this.#tokens = Math.min(framesPerSecond * 10, this.#tokens + ((now - this.#refilled) / 1000) * framesPerSecond)
    this.#refilled = now
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}

export type Links = Map<NodeId, Link>
