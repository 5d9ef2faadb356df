/**
 * The path of a refutation: from the accused member, through its accusers and the topic, to all
 * nodes that hold an accusation.
 */
import { FrameError } from '../../base/errors.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow } from '../../facts/certificate.ts'
import type { Fact } from '../../facts/fact.ts'
import type { Accusation, Refutation, Statement } from '../../facts/statement.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'
import type { Batcher } from '../suspicion/batcher.ts'
import type { Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'
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
}

export class RefutationExchange {
  readonly #context: Context
  readonly #parts: RefutationParts
  readonly #onRefuted: (suspicion: Suspicion, isFresh: boolean) => void
  /** The time at which this node last sent its own refutation to each peer. */
  readonly #sentAt = new Map<NodeId, Milliseconds>()

  /** `onRefuted`: a suspected member signed that it lives. `isFresh`: it signed a moment ago. */
  constructor(context: Context, parts: RefutationParts, onRefuted: (suspicion: Suspicion, isFresh: boolean) => void) {
    this.#context = context
    this.#parts = parts
    this.#onRefuted = onRefuted
  }

  /** Returns the member's latest refutation, published or sent to a helper. */
  latestOf(id: NodeId): Statement<Refutation> | undefined {
    const { heartbeats, refutations } = this.#parts
    const [published, proof] = [refutations.of(id), heartbeats.refutation(id)]
    return (proof?.content.heartbeat ?? -1) > (published?.content.heartbeat ?? -1) ? proof : published
  }

  /** True if the member refuted accusations that cite this heartbeat. */
  isRefuted(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < (this.latestOf(suspect)?.content.heartbeat ?? 0)
  }

  /** True if this node knows that the member lived long after this heartbeat. */
  isOutlived(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < this.#parts.heartbeats.of(suspect) - heartbeatWindow
  }

  /** True if the member neither refuted nor outlived the accusation. */
  isValid({ suspect, heartbeat }: Accusation): boolean {
    return !this.isRefuted(suspect, heartbeat) && !this.isOutlived(suspect, heartbeat)
  }

  /**
   * Checks a refutation that came in an alarm, and takes it in. Throws {@link FrameError} on a
   * forged signature.
   */
  receive(refutation: Statement<Refutation>, from: NodeId | undefined): void {
    const { view, codec } = this.#context
    const { signer, content } = refutation
    if (!view.isAlive(signer, content.incarnation) || (this.latestOf(signer)?.content.heartbeat ?? -1) >= content.heartbeat) return
    if (!codec.verify(refutation)) throw new FrameError('a refutation with a forged signature')
    this.#hear(refutation, from)
  }

  /** See {@link Refutations.isNews}. Callers ask this before they check the signature. */
  isNews(refutation: Statement<Refutation>): boolean {
    return this.#parts.refutations.isNews(refutation)
  }

  /** Takes in a verified, published refutation. Returns the fact; undefined: no news. */
  take(refutation: Statement<Refutation>, from: NodeId | undefined): Fact | undefined {
    const { refutations } = this.#parts
    if (!this.isNews(refutation)) return undefined
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
    const { heartbeats, suspicions, batcher } = this.#parts
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
    this.#onRefuted(suspicion, isFresh)
  }

  /** Sends the known refutation to a peer that sent an accusation. Possibly no other node does. */
  object({ content }: Statement<Accusation>, accuser: NodeId): void {
    if (content.suspect === this.#context.id) return
    const refutation = this.latestOf(content.suspect)
    if (refutation?.content.incarnation === content.incarnation && content.heartbeat < refutation.content.heartbeat)
      this.#parts.batcher.send(accuser, refutation)
  }

  /** Refutes an accusation of this node. The accuser receives the refutation at once. */
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
