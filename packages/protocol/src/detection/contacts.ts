/**
 * Contacts: what this node knows of members by links of its own, and so whether it can tell that one
 * of them is gone.
 *
 * Reachability is not transitive. Where only others reach a member, its silence says nothing: they may
 * stand still. So a node vouches for a death only if it heard the member itself a moment before it
 * began to miss it. Where no helper ever reached a member that this node missed, all its links count.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import type { Link } from '../context/links.ts'
import { slack } from './beats.ts'

/**
 * A node can tell of a member that it heard so long before it began to miss it, ms. Guess: an observer
 * has a turn every 24 s at the latest, and waits for the answer.
 */
const contactTime = 30_000

/**
 * A node remembers for so long that only helpers reached some member, ms. Guess: they are asked again
 * within that time.
 */
export const relayedTime = 450_000

interface Met {
  /** It comes from elsewhere than it announces where this is false. */
  readonly isDialable: boolean
  /** Last frame over a link that is down. */
  heardAt: Milliseconds
  /** When a helper reached it last, and this node did not. */
  relayedAt: Milliseconds
}

export class Contacts {
  readonly #context: Context
  /** Those with which this node had a link in their present lives. */
  readonly #met = new Map<NodeId, Met>()
  /** When a helper last reached any member that this node did not. */
  #relayedAt: Milliseconds = -Infinity

  constructor(context: Context) {
    this.#context = context
  }

  /** By what its links showed; undefined: nobody knows. */
  isDialable(id: NodeId): boolean | undefined {
    return this.#met.get(id)?.isDialable
  }

  /** Whether this node can tell by itself that a member is gone which it misses since then. */
  canTell(id: NodeId, missedSince: Milliseconds): boolean {
    const met = this.#met.get(id)
    if (met === undefined) return false
    if (this.#context.now - this.#relayedAt >= relayedTime) return true
    const heardAt = this.#heardAt(id)
    return heardAt > met.relayedAt && missedSince - heardAt < contactTime
  }

  linkUp(peer: NodeId): void {
    const known = this.#met.get(peer)
    // A member that was dialled once can be dialled. A link that it dialled itself shows nothing of that.
    const isDialable = this.#context.links.get(peer)?.dialable === true || known?.isDialable === true
    this.#met.set(peer, { isDialable, heardAt: known?.heardAt ?? -Infinity, relayedAt: known?.relayedAt ?? -Infinity })
  }

  linkLost({ peer, lastHeard }: Link): void {
    const met = this.#met.get(peer)
    // Members are remembered for as long as they live, others are not.
    if (this.#context.view.get(peer) === undefined) this.#met.delete(peer)
    else if (met !== undefined) met.heardAt = lastHeard
  }

  /**
   * A helper has shown that it lives, which this node does not reach. False: it may have signed that
   * before this node heard it last, and have died since.
   */
  relayed(id: NodeId): boolean {
    const { now } = this.#context
    if (now - this.#heardAt(id) < slack * 1_000) return false
    const met = this.#met.get(id)
    this.#relayedAt = now
    if (met !== undefined) met.relayedAt = now
    return true
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#met.delete(id)
    if (this.#context.links.has(id)) this.linkUp(id)
  }

  #heardAt(id: NodeId): Milliseconds {
    return this.#context.links.get(id)?.lastHeard ?? this.#met.get(id)?.heardAt ?? -Infinity
  }
}
