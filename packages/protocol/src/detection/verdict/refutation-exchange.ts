/**
 * The path of a refutation: from the accused member, through its accusers and the topic, to all
 * nodes that hold an accusation.
 */
import { FrameError } from '../../base/errors.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Fact } from '../../facts/fact.ts'
import type { Accusation, Refutation, Statement } from '../../facts/statement.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'
import type { Batcher } from '../suspicion/batcher.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'
import type { Confirmation } from './confirmation.ts'
import type { Refutations } from './refutations.ts'

/**
 * Shortest interval between this node's refutations to one peer, ms: a node signs no more often.
 */
const pause = 1_000

export interface RefutationParts {
  readonly suspicions: Suspicions
  readonly heartbeats: Heartbeats
  readonly refutations: Refutations
  readonly batcher: Batcher
  readonly confirmation: Confirmation
  readonly lifecycle: RefutedLifecycle
}

/** Ends a suspicion that a refutation made void. */
export interface RefutedLifecycle {
  /**
   * A member signed that it lives, or accusations expired. `isFresh`: the member signed a moment
   * ago.
   */
  refuted(id: NodeId, isFresh: boolean): void
}

export class RefutationExchange {
  readonly #context: Context
  readonly #parts: RefutationParts
  /** The time at which this node last sent its own refutation to each peer. */
  readonly #sentAt = new Map<NodeId, Milliseconds>()

  constructor(context: Context, parts: RefutationParts) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * Checks a refutation that came in an alarm, and takes it in. Throws {@link FrameError} on a
   * forged signature.
   */
  receive(refutation: Statement<Refutation>, from: NodeId | undefined): void {
    const { view, codec } = this.#context
    const { signer, content } = refutation
    if (
      !view.isAlive(signer, content.incarnation) ||
      (this.#parts.refutations.latestOf(signer)?.content.heartbeat ?? -1) >= content.heartbeat
    )
      return
    if (!codec.verify(refutation)) throw new FrameError('a refutation with a forged signature')
    this.#hear(refutation, from)
  }

  /** Takes in a verified, published refutation. Returns the fact; undefined: no news. */
  take(refutation: Statement<Refutation>, from: NodeId | undefined): Fact | undefined {
    const { refutations } = this.#parts
    if (!refutations.isNews(refutation)) return undefined
    const fact = refutations.merge(refutation)
    this.#hear(refutation, from)
    return fact
  }

  /**
   * Voids the refuted accusations. Passes the refutation on to accusers and to peers that sent or
   * received accusations.
   */
  #hear(refutation: Statement<Refutation>, from: NodeId | undefined): void {
    const { signer, content } = refutation
    const { heartbeats, suspicions, batcher, confirmation, lifecycle } = this.#parts
    const isFresh = heartbeats.isFresh(refutation)
    heartbeats.signed(refutation, isFresh)
    const suspicion = suspicions.get(signer)
    if (suspicion === undefined) return
    // This node need not pass on a refutation from the topic: the peers receive it there, too.
    if (from !== undefined)
      for (const peer of new Set([...suspicion.peers, ...suspicion.accusations.keys()])) if (peer !== from) batcher.send(peer, refutation)
    for (const [accuser, accusation] of suspicion.accusations)
      if (accusation.content.heartbeat < content.heartbeat) suspicion.remove(accuser)
    suspicion.unpublish()
    if (suspicion.accusations.has(this.#context.id)) confirmation.accused(suspicion)
    lifecycle.refuted(signer, isFresh)
  }

  /** Sends the known refutation to a peer that sent an accusation. Possibly no other node does. */
  object({ content }: Statement<Accusation>, accuser: NodeId): void {
    if (content.suspect === this.#context.id) return
    const refutation = this.#parts.refutations.latestOf(content.suspect)
    if (refutation?.content.incarnation === content.incarnation && content.heartbeat < refutation.content.heartbeat)
      this.#parts.batcher.send(accuser, refutation)
  }

  /** Refutes an accusation against this node. The accuser receives the refutation at once. */
  refute(accusation: Statement<Accusation>, from: NodeId | undefined): void {
    const refutation = this.#parts.refutations.refute(accusation)
    if (refutation === undefined) return
    const { now, links } = this.#context
    for (const peer of new Set(from === undefined ? [accusation.signer] : [accusation.signer, from])) {
      const last = this.#sentAt.get(peer)
      if (!links.has(peer) || (last !== undefined && now - last < pause)) continue
      this.#sentAt.set(peer, now)
      this.#parts.batcher.send(peer, refutation)
    }
    for (const [peer, at] of this.#sentAt) if (now - at >= pause) this.#sentAt.delete(peer)
  }

  /** Publishes this node's refutation. */
  publish(): void {
    const fact = this.#parts.refutations.publication()
    if (fact !== undefined) this.#context.outcomes.push({ type: 'publish', fact, after: 0 })
  }

  clear(): void {
    this.#sentAt.clear()
  }
}
