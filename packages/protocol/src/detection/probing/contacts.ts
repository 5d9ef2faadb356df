/**
 * Contacts: the history of this node's own links with members. It shows whether this node can tell
 * that a member is gone.
 *
 * Reachability is not transitive. If only other nodes reach a member, the member's silence proves
 * nothing to this node. The nodes that reach the member may have stalled. So this node vouches for
 * a death only if it received a frame of the member shortly before the silence. An older link is
 * enough if no helper lately reached any member that this node missed.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Link } from '../../context/links.ts'
import { slack } from './heartbeats.ts'

/**
 * A node can tell that a member is gone if the member's last frame came at most this time before
 * the silence began, ms. Guess: an observer has a turn every 24 s at the latest, and waits for the
 * answer.
 */
const contactTime = 30_000

/**
 * A node remembers for this time that only helpers reached some member, ms. Guess: the node asks
 * the helpers again within that time.
 */
export const relayedTime = 450_000

interface Met {
  /** False: the member connects from another address than it announces. */
  readonly isDialable: boolean
  /** Time of the last frame over a link that is down. */
  heardAt: Milliseconds
  /** The last time at which a helper reached the member but this node did not. */
  relayedAt: Milliseconds
}

export class Contacts {
  readonly #context: Context
  /** Members with which this node had a link in their present lives. */
  readonly #met = new Map<NodeId, Met>()
  /** The last time at which a helper reached any member that this node did not reach. */
  #relayedAt: Milliseconds = -Infinity

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * False if the member says that it is hidden. Otherwise true if a link showed that the member can
   * be dialled, false if no link showed that, undefined if there was no link.
   */
  isDialable(id: NodeId): boolean | undefined {
    return this.isHidden(id) ? false : this.#met.get(id)?.isDialable
  }

  /** True if the member says that nobody elsewhere can dial it. Others reach it over relays. */
  isHidden(id: NodeId): boolean {
    return (this.#context.view.get(id)?.reach ?? 'direct') !== 'direct'
  }

  /**
   * True if this node can tell by itself that a member is gone. `missedSince`: start of the
   * silence.
   */
  canTell(id: NodeId, missedSince: Milliseconds): boolean {
    const met = this.#met.get(id)
    if (met === undefined) return false
    if (this.#context.now - this.#relayedAt >= relayedTime) return true
    const heardAt = this.#heardAt(id)
    return heardAt > met.relayedAt && missedSince - heardAt < contactTime
  }

  linkUp(peer: NodeId): void {
    const known = this.#met.get(peer)
    // If an earlier link showed that the member can be dialled, a later link that the member opens
    // does not change that.
    const isDialable = this.#context.links.get(peer)?.dialable === true || known?.isDialable === true
    this.#met.set(peer, { isDialable, heardAt: known?.heardAt ?? -Infinity, relayedAt: known?.relayedAt ?? -Infinity })
  }

  linkLost({ peer, lastHeard }: Link): void {
    const met = this.#met.get(peer)
    // This node remembers members for as long as they live. It forgets other peers.
    if (this.#context.view.get(peer) === undefined) this.#met.delete(peer)
    else if (met !== undefined) met.heardAt = lastHeard
  }

  /**
   * Takes in a helper's proof that a member lives although this node does not reach it. Returns
   * false if the proof may be older than the member's last frame to this node. The member may then
   * be dead.
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
