/**
 * Proofs of life: others show that a member lives that this node does not reach.
 *
 * A helper brings the member's fresh signature, or the member refutes an accusation. Either counts
 * for some time only. It may be older than the member's death.
 */
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { slack, type Heartbeats } from '../probing/heartbeats.ts'
import type { Contacts } from '../probing/contacts.ts'
import { gathering } from './indirect-probes.ts'
import type { Suspicion } from './suspicion.ts'
import type { Suspicions } from './suspicions.ts'

/**
 * An observer asks helpers for a relayed member again after this time, ms. Each later pause is four
 * times as long. Measured (simulated, sixty, thirty and ten nodes of which the two larger sites are
 * cut apart, seed 1): a node received 1.0 KB/s, and 2.3 with half a minute. Nodes that reach the
 * member look after it meanwhile.
 */
const relayPause = 120_000
/** Longest such pause, ms. Guess. */
const longestRelayPause = 300_000
/**
 * Other nodes take it for reachable for this time, ms, and ask again when their next dial fails.
 * Guess: as long as the longest pause between two dials.
 */
const relayedFor = 32_000

/**
 * For this time after a proof of a member's life nobody accuses it, ms. Guess: above the pause
 * between the refutations that it publishes.
 */
export const standDown = 8_000

export interface ProofParts {
  readonly suspicions: Suspicions
  readonly contacts: Contacts
  readonly heartbeats: Heartbeats
  /** True if the probes are the task of others, and nobody accuses the member. */
  isLeft(suspicion: Suspicion): boolean
}

export class ProofsOfLife {
  readonly #context: Context
  readonly #parts: ProofParts

  constructor(context: Context, parts: ProofParts) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * True if others reached it a moment ago, after this node began to miss it. Nobody accuses it for
   * that moment.
   */
  isRecent({ id, raised }: Suspicion): boolean {
    const provenAt = this.#parts.heartbeats.provenAt(id)
    return provenAt >= raised && this.#context.now - provenAt < standDown
  }

  /** Others reach a member that this node does not, so it lives. */
  relayed(suspicion: Suspicion): void {
    const { now } = this.#context
    const isSure = this.#parts.contacts.relayed(suspicion.id)
    if (suspicion.state !== 'relayed') {
      suspicion.enter('relayed', now)
      suspicion.rounds = 0
      // The link is up but nothing comes through. Without it, the next dial shows when the path is
      // free again.
      this.#context.closeLink(suspicion.id, 'reached through others only')
    }
    const long = Math.min(relayPause * 4 ** Math.min(suspicion.rounds, 16), longestRelayPause)
    const pause = this.#parts.isLeft(suspicion) ? relayedFor : long
    suspicion.schedule('round', now + this.#context.jitter(pause))
    if (isSure) return
    // The proof may be older than its death, so this round does not count.
    suspicion.rounds -= 1
    suspicion.advance('round', now + standDown + this.#context.jitter(gathering))
  }

  /**
   * A member refuted an accusation, and no helper of this node reached it. It may have signed that
   * just before it went, and the same refutation comes on several ways. So the refutation counts
   * for a moment only, until the member signs another one later. If an accusation only expired (not
   * `isFresh`), the member counts as alive for a little longer.
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

  /** The link to this peer is lost. Members that it reached for this node may be out of reach. */
  relayLost(peer: NodeId): void {
    const soon = this.#context.now + standDown
    for (const suspicion of this.#parts.suspicions.values())
      if (suspicion.state === 'relayed' && suspicion.relay === peer) suspicion.advance('round', soon)
  }
}
