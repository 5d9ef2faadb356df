/**
 * Penalties: what is held against a peer that sent what nobody honest sends, and for how long it is turned away.
 */
import type { Config } from './base/config.ts'
import type { Milliseconds, NodeId } from './base/io.ts'
import { remember } from './base/remember.ts'

export class Penalties {
  readonly #limits: Config['limits']
  readonly #banned = new Map<NodeId, Milliseconds>()
  /** Rules broken lately, and when the last was. They are held against the peer, not the link: a new link is no clean slate. */
  readonly #counts = new Map<NodeId, { readonly count: number; readonly at: Milliseconds }>()

  constructor({ limits }: Config) {
    this.#limits = limits
  }

  /** Whether this peer is kept away now. */
  isBanned(peer: NodeId, now: Milliseconds): boolean {
    const until = this.#banned.get(peer)
    if (until === undefined) return false
    if (now < until) return true
    this.#banned.delete(peer)
    return false
  }

  /** One more. True if that is one too many: the peer is kept away from now on. */
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
