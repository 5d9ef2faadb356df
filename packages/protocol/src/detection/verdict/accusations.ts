/**
 * Accusations: signed suspicions, gathered into death certificates (JEL §5.2, with signatures, a
 * quorum and refutation). This file takes in the accusations of others.
 *
 * Nodes publish accusations on the topic, as SWIM gossips suspicions (§4.2). So a member that no
 * accuser and no helper reaches still receives the accusation, through nodes that reach both sides.
 * `confirmation.ts` decides when accusations make a death.
 *
 * If the topic does not bring enough accusations, they also travel over links
 * (`accusation-spread.ts`).
 */
import { FrameError } from '../../base/errors.ts'
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { isKind, type Accusation, type Statement } from '../../facts/statement.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'
import { lifetime, type Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'
import { roundsAtOnce, type AccusationSpread } from './accusation-spread.ts'
import type { Confirmation } from './confirmation.ts'
import { mostAccusers } from './quorum.ts'
import type { RefutationExchange, RefutedLifecycle } from './refutation-exchange.ts'
import type { Refutations } from './refutations.ts'

export interface AccusationParts {
  readonly suspicions: Suspicions
  readonly heartbeats: Heartbeats
  readonly refutations: Refutations
  readonly confirmation: Confirmation
  readonly spread: AccusationSpread
  readonly exchange: RefutationExchange
  readonly lifecycle: AccusedLifecycle
}

/** Decides what the accusations of others mean for a suspicion. */
export interface AccusedLifecycle extends RefutedLifecycle {
  /** Somebody accuses this member. `isDirect`: a peer sent the accusation over a link. */
  reported(suspicion: Suspicion, isDirect: boolean): void
}

export class Accusations {
  readonly #context: Context
  readonly #parts: AccusationParts

  constructor(context: Context, parts: AccusationParts) {
    this.#context = context
    this.#parts = parts
  }

  /**
   * Checks and takes in one entry of an alarm. Throws {@link FrameError}. Skips kinds of a later
   * version.
   */
  receive(from: NodeId | undefined, statement: Statement): void {
    const { codec, view, id } = this.#context
    if (isKind(statement, 'suspicion')) {
      const { suspect, incarnation } = statement.content
      if (from !== undefined) this.#parts.exchange.object(statement, from)
      // Most accusations of a dead member come after this node knows of the death. Their signatures
      // need no check.
      if (!view.isAlive(suspect, incarnation) || !view.wasMember(statement.signer)) return
      if (suspect !== id && !this.#isNews(statement)) {
        if (from === undefined) this.#heardAgain(statement)
        return
      }
      if (!codec.verify(statement)) throw new FrameError('a suspicion with a forged signature')
      this.hear(statement, from, from === undefined)
    } else if (isKind(statement, 'refutation')) this.#parts.exchange.receive(statement, from)
    else if (!isKind(statement, 'unknown')) throw new FrameError(`a ${statement.content.kind} is no alarm`)
  }

  /** Takes in a verified accusation that `from` sent. `isPublished`: it came on the topic. */
  hear(accusation: Statement<Accusation>, from: NodeId | undefined, isPublished = false): void {
    const { suspect, incarnation } = accusation.content
    const { view, id } = this.#context
    if (suspect === id) {
      this.#parts.exchange.refute(accusation, from)
      return
    }
    if (!this.#isNews(accusation) || !view.isAlive(suspect, incarnation) || !view.wasMember(accusation.signer)) return
    const suspicion = this.#parts.suspicions.open(suspect)
    if (suspicion === undefined) return
    suspicion.add(accusation)
    if (from !== undefined) suspicion.exchange(from, accusation)
    this.#parts.confirmation.added(suspicion, accusation.signer, isPublished)
    this.#parts.lifecycle.reported(suspicion, from !== undefined)
    if (!suspicion.isOwn) this.#parts.spread.sendToSubject(suspicion, accusation)
    this.#parts.confirmation.judge(suspicion)
  }

  due(): void {
    const { now } = this.#context
    let rounds = 0
    for (const suspicion of this.#parts.suspicions.due()) {
      if (now < suspicion.accusationsDue) continue
      if (now - suspicion.since >= lifetime) {
        for (const accuser of suspicion.accusations.keys()) suspicion.remove(accuser)
        suspicion.unpublish()
        this.#parts.lifecycle.refuted(suspicion.id, false)
        continue
      }
      if (now >= suspicion.at('spread')) {
        if (rounds++ < roundsAtOnce) this.#parts.spread.round(suspicion)
        else suspicion.schedule('spread', now + this.#context.jitter(this.#parts.confirmation.spreadTime))
      }
      this.#parts.confirmation.judge(suspicion)
    }
  }

  /**
   * Handles an accusation from the topic that is known or void. If the member refuted it only to a
   * helper, possibly no other node knows the refutation. Then this node publishes the refutation in
   * the member's place. In SWIM, too, any node spreads a later incarnation that it knows. Several
   * nodes may publish the refutation: if the topic is cut into parts, each part needs it.
   */
  #heardAgain(statement: Statement<Accusation>): void {
    const { suspect, heartbeat } = statement.content
    const { heartbeats, refutations } = this.#parts
    const proof = heartbeats.refutation(suspect)
    if (this.#isHeld(statement)) this.#parts.confirmation.published(statement)
    else if (
      proof !== undefined &&
      proof.content.heartbeat > heartbeat &&
      refutations.isNews(proof) &&
      this.#context.codec.verify(statement)
    ) {
      const fact = refutations.merge(proof)
      this.#context.outcomes.push({ type: 'publish', fact, after: this.#parts.confirmation.waitFor(this.#context.random() * mostAccusers) })
    }
  }

  #isHeld({ signer, content, signature }: Statement<Accusation>): boolean {
    const held = this.#parts.suspicions.get(content.suspect)?.accusations.get(signer)
    return held?.signature.every((byte, i) => byte === signature[i]) === true
  }

  /**
   * True if the signature of an accusation is worth a check. Accusations by this node are not: this
   * node knows them, and may have withdrawn them since.
   */
  #isNews({ signer, content }: Statement<Accusation>): boolean {
    if (signer === this.#context.id || signer === content.suspect || !this.#parts.refutations.isValid(content)) return false
    const present = this.#parts.suspicions.get(content.suspect)?.accusations.get(signer)
    return present === undefined || present.content.heartbeat < content.heartbeat
  }
}
