/**
 * Looks: probes of members that this node suspects only because of a hint, such as `maybeDead`, an
 * accusation by another node, or a doubted death.
 *
 * A hint costs its sender nothing, so anybody can send many hints. So a node looks at few members
 * at once.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { probeLinkTime } from '../../context/links.ts'
import type { DirectProbes } from './direct-probes.ts'
import type { ProofsOfLife } from './proofs-of-life.ts'
import { probesAtOnce, type Suspicions } from './suspicions.ts'

/**
 * A node may open more links than usual for probes. This share of the additional links stays free
 * for nodes that probe this node. Guess.
 */
const freeShare = 0.25

export interface LookParts {
  readonly suspicions: Suspicions
  readonly proofs: ProofsOfLife
  readonly direct: DirectProbes
}

export class Looks {
  readonly #context: Context
  readonly #parts: LookParts
  /**
   * Start times of links that probes brought up. This node keeps such a link for a moment, and
   * counts it as a probe meanwhile. So the number of links is bounded.
   */
  #probeLinks: Milliseconds[] = []

  constructor(context: Context, parts: LookParts) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * Takes in a hint that this member may be gone. Probes the member at once, unless too many probes
   * are under way.
   */
  suspect(id: NodeId): void {
    const { suspicions, proofs, direct } = this.#parts
    const suspicion = suspicions.get(id)
    // A proof from other nodes counts for a short time only.
    const isOld = suspicion?.state === 'relayed' && proofs.isOld(id)
    if (suspicion !== undefined && suspicion.state !== 'reported' && !isOld) return
    if (this.#mayLook) direct.begin(id)
  }

  linkUp(peer: NodeId): void {
    const link = this.#context.links.get(peer)
    if (link !== undefined && this.#parts.suspicions.get(peer)?.dialling !== undefined) {
      link.isProbeLink = true
      this.#probeLinks.push(link.since)
    }
  }

  /**
   * True if this node may probe one more member because of a hint. It probes few members at once,
   * and fewer if it has many links: each probe may bring one more link. One probe is always
   * allowed. Otherwise a peer could prevent all probes by opening many links.
   */
  get #mayLook(): boolean {
    const { now, config, links } = this.#context
    this.#probeLinks = this.#probeLinks.filter((since) => now - since < probeLinkTime)
    const { probing } = this.#parts.suspicions
    if (probing + this.#probeLinks.length === 0) return true
    return probing + this.#probeLinks.length < probesAtOnce && probing + links.size < config.links.max + probesAtOnce * (1 - freeShare)
  }
}
