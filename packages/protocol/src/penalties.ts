/** Penalties: count faults that no honest peer commits. Enough faults ban a peer for a while. */
import type { Config } from './base/config.ts'
import type { Milliseconds, NodeId } from './base/values.ts'
import { remember } from './base/remember.ts'

export class Penalties {
  readonly #limits: Config['limits']
  readonly #banned = new Map<NodeId, Milliseconds>()
  /**
   * Recent faults of each peer, and the time of the last one. The faults count against the peer, so
   * a new link clears nothing.
   */
  readonly #counts = new Map<NodeId, { readonly count: number; readonly at: Milliseconds }>()

  constructor({ limits }: Config) {
    this.#limits = limits
  }

  /** True if this peer is banned at this time. */
  isBanned(peer: NodeId, now: Milliseconds): boolean {
    const until = this.#banned.get(peer)
    if (until === undefined) return false
    if (now < until) return true
    this.#banned.delete(peer)
    return false
  }

  /** Counts one more fault. Returns true if it bans the peer. */
  add(peer: NodeId, now: Milliseconds): boolean {
    const { penalties, ban, bans } = this.#limits
    const before = this.#counts.get(peer)
    const count = (before === undefined || now - before.at >= ban ? 0 : before.count) + 1
    remember(this.#counts, peer, { count, at: now }, bans)
    if (count < penalties) return false
    this.#counts.delete(peer)
    remember(this.#banned, peer, now + ban, bans)
    return true
  }
}
