/**
 * Proofs of life: other nodes show that a member lives although this node does not reach it.
 *
 * A helper brings the member's fresh signature, or the member refutes an accusation. Either proof
 * counts for some time only: the member may have died after it.
 */
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { slack, type Heartbeats } from '../probing/heartbeats.ts'
import type { Contacts } from '../probing/contacts.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import { gathering } from './indirect-probes.ts'
import type { Suspicion } from './suspicion.ts'
import type { Suspicions } from './suspicions.ts'

/**
 * An observer asks helpers about a relayed member again after this time, ms. Each later pause is
 * four times as long. Measured (simulated, sites of sixty, thirty and ten nodes, a cut between the
 * two larger ones, seed 1): a node received 1.0 KB/s. With half a minute it received 2.3 KB/s.
 * Nodes that reach the member probe it meanwhile.
 */
const relayPause = 120_000
/** Longest such pause, ms. Guess. */
const longestRelayPause = 300_000
/**
 * A node that does not observe the relayed member forgets the suspicion after this time, ms. It
 * asks helpers again when its next dial fails. Guess: as long as the longest pause between two
 * dials.
 */
const relayedFor = 32_000

/**
 * This node does not accuse a member within this time after a proof of the member's life, ms.
 * Guess: longer than the pause between published refutations.
 */
const standDown = 8_000

export interface ProofParts {
  readonly suspicions: Suspicions
  readonly contacts: Contacts
  readonly heartbeats: Heartbeats
  readonly scheduler: ProbeScheduler
}

export class ProofsOfLife {
  readonly #context: Context
  readonly #parts: ProofParts

  constructor(context: Context, parts: ProofParts) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * True if other nodes reached the member a moment ago, after this suspicion began. This node does
   * not accuse the member for that moment.
   */
  isRecent({ id, raised }: Suspicion): boolean {
    return this.#parts.heartbeats.provenAt(id) >= raised && !this.isOld(id)
  }

  /** True if the last proof of the member's life no longer counts. */
  isOld(id: NodeId): boolean {
    return this.#context.now - this.#parts.heartbeats.provenAt(id) >= standDown
  }

  /** True if this node does not observe the member, and nobody accuses the member. */
  isLeft({ id, accusations }: Suspicion): boolean {
    return !this.#parts.scheduler.observed.has(id) && accusations.size === 0
  }

  /** Other nodes reach the member although this node does not: it lives. */
  relayed(suspicion: Suspicion): void {
    const { now } = this.#context
    const isSure = this.#parts.contacts.relayed(suspicion.id)
    if (suspicion.enter('proven', now)) {
      suspicion.rounds = 0
      // If a link is up, nothing comes through it. So this node closes the link. The next dial then
      // shows whether the path is free again.
      this.#context.closeLink(suspicion.id, 'reached through others only')
    }
    const long = Math.min(relayPause * 4 ** Math.min(suspicion.rounds, 16), longestRelayPause)
    const pause = this.isLeft(suspicion) ? relayedFor : long
    suspicion.schedule('round', now + this.#context.jitter(pause))
    if (isSure) return
    // The proof may be older than the member's death, so this round does not count.
    suspicion.rounds -= 1
    suspicion.advance('round', now + standDown + this.#context.jitter(gathering))
  }

  /**
   * A member refuted an accusation, but no helper of this node reached it. The member may have
   * signed the refutation just before it died, and the same refutation may come over several paths.
   * So the first refutation counts for a moment only. A later one counts for as long as any proof.
   * If accusations only expired (not `isFresh`), the member counts as alive for about half a
   * minute.
   */
  refuted(suspicion: Suspicion, isFresh: boolean): void {
    const { now } = this.#context
    const heartbeat = this.#parts.heartbeats.of(suspicion.id)
    const isSure = isFresh && heartbeat - (suspicion.refutedHeartbeat ?? Infinity) > slack
    this.relayed(suspicion)
    if (isSure) return
    suspicion.refutedHeartbeat = isFresh ? (suspicion.refutedHeartbeat ?? heartbeat) : undefined
    const pause = isFresh ? standDown + this.#context.jitter(gathering) : this.#context.jitter(relayedFor)
    suspicion.advance('round', now + pause)
  }

  /**
   * The link to this peer is lost. Members that the peer reached for this node may be out of reach.
   */
  relayLost(peer: NodeId): void {
    const soon = this.#context.now + standDown
    for (const suspicion of this.#parts.suspicions.values())
      if (suspicion.state === 'relayed' && suspicion.relay === peer) suspicion.advance('round', soon)
  }
}
