/**
 * Accusations: signed suspicions, gathered into death certificates (JEL §5.2, with signatures, a
 * quorum and refutation). This file takes in the accusations of others.
 *
 * SWIM gossips each suspicion, too (§4.2). So a member that no accuser and no helper reaches still
 * receives the accusation, through nodes that reach both sides. `confirmation.ts` decides when
 * accusations make a death.
 *
 * If the topic does not bring enough accusations, they also travel over links
 * (`accusation-spread.ts`).
 */
import { FrameError } from '../../base/errors.ts'
import type { NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { isKind, type Accusation, type Statement } from '../../facts/statement.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import { lifetime, type Suspicion } from '../suspicion/suspicion.ts'
import { AccusationSpread, roundsAtOnce } from './accusation-spread.ts'
import { Confirmation } from './confirmation.ts'
import { OwnAccusations } from './own-accusations.ts'
import { mostAccusers } from './quorum.ts'
import { RefutationExchange, type RefutationParts } from './refutation-exchange.ts'

export interface AccusationEvents {
  /** Somebody accuses this member. `isDirect`: a peer sent the accusation over a link. */
  onReported(suspicion: Suspicion, isDirect: boolean): void
  /**
   * A member signed that it lives, or accusations expired. `isFresh`: the member signed a moment
   * ago.
   */
  onRefuted(id: NodeId, isFresh: boolean): void
}

export interface AccusationParts extends RefutationParts {
  readonly scheduler: ProbeScheduler
}

export class Accusations {
  readonly confirmation: Confirmation
  readonly refutationExchange: RefutationExchange
  /** The accusations that this node makes. */
  readonly own: OwnAccusations
  readonly #context: Context
  readonly #parts: AccusationParts
  readonly #events: AccusationEvents
  readonly #spread: AccusationSpread

  constructor(context: Context, parts: AccusationParts, events: AccusationEvents) {
    this.#context = context
    this.#parts = parts
    this.#events = events
    const { suspicions, heartbeats, batcher, scheduler } = parts
    this.refutationExchange = new RefutationExchange(context, parts, (suspicion, isFresh) => {
      if (suspicion.accusations.has(context.id)) this.confirmation.accused(suspicion)
      events.onRefuted(suspicion.id, isFresh)
    })
    const { refutationExchange } = this
    this.confirmation = new Confirmation(context, { suspicions, scheduler, refutationExchange }, (suspicion) => this.own.publish(suspicion))
    const { confirmation } = this
    this.#spread = new AccusationSpread(context, batcher, suspicions)
    this.own = new OwnAccusations(context, { suspicions, heartbeats, batcher, refutationExchange, confirmation, spread: this.#spread })
  }

  /**
   * Checks and takes in one entry of an alarm. Throws {@link FrameError}. Skips kinds of a later
   * version.
   */
  receive(from: NodeId | undefined, statement: Statement): void {
    const { codec, view, id } = this.#context
    if (isKind(statement, 'suspicion')) {
      const { suspect, incarnation } = statement.content
      if (from !== undefined) this.refutationExchange.object(statement, from)
      // Most accusations of a dead member come after this node knows of the death. Their signatures
      // need no check.
      if (!view.isAlive(suspect, incarnation) || !view.wasMember(statement.signer)) return
      if (suspect !== id && !this.#isNews(statement)) {
        if (from === undefined) this.#heardAgain(statement)
        return
      }
      if (!codec.verify(statement)) throw new FrameError('a suspicion with a forged signature')
      this.hear(statement, from, from === undefined)
    } else if (isKind(statement, 'refutation')) this.refutationExchange.receive(statement, from)
    else if (!isKind(statement, 'unknown')) throw new FrameError(`a ${statement.content.kind} is no alarm`)
  }

  /** Takes in a verified accusation that `from` sent. `isPublished`: it came on the topic. */
  hear(accusation: Statement<Accusation>, from: NodeId | undefined, isPublished = false): void {
    const { suspect, incarnation } = accusation.content
    const { view, id } = this.#context
    if (suspect === id) {
      this.refutationExchange.refute(accusation, from)
      return
    }
    if (!this.#isNews(accusation) || !view.isAlive(suspect, incarnation) || !view.wasMember(accusation.signer)) return
    const suspicion = this.#parts.suspicions.open(suspect)
    if (suspicion === undefined) return
    suspicion.add(accusation)
    if (from !== undefined) suspicion.exchange(from, accusation)
    this.confirmation.added(suspicion, accusation.signer, isPublished)
    this.#events.onReported(suspicion, from !== undefined)
    if (!suspicion.isOwn) this.#spread.sendToSubject(suspicion, accusation)
    this.confirmation.judge(suspicion)
  }

  linkUp(peer: NodeId): void {
    this.#spread.linkUp(peer)
  }

  unreachable(peer: NodeId): void {
    this.#spread.unreachable(peer)
  }

  clear(): void {
    this.#spread.clear()
    this.refutationExchange.clear()
  }

  due(): void {
    const { now } = this.#context
    let rounds = 0
    for (const suspicion of this.#parts.suspicions.due()) {
      if (now < suspicion.accusationsDue) continue
      if (now - suspicion.since >= lifetime) {
        for (const accuser of suspicion.accusations.keys()) suspicion.remove(accuser)
        suspicion.unpublish()
        this.#events.onRefuted(suspicion.id, false)
        continue
      }
      if (now >= suspicion.at('spread')) {
        if (rounds++ < roundsAtOnce) this.#spread.round(suspicion)
        else suspicion.schedule('spread', now + this.#context.jitter(this.confirmation.spreadTime))
      }
      this.confirmation.judge(suspicion)
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
    if (this.#isHeld(statement)) this.confirmation.published(statement)
    else if (
      proof !== undefined &&
      proof.content.heartbeat > heartbeat &&
      refutations.isNews(proof) &&
      this.#context.codec.verify(statement)
    ) {
      const fact = refutations.merge(proof)
      this.#context.outcomes.push({ type: 'publish', fact, after: this.confirmation.waitFor(this.#context.random() * mostAccusers) })
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
    if (signer === this.#context.id || signer === content.suspect || !this.refutationExchange.isValid(content)) return false
    const present = this.#parts.suspicions.get(content.suspect)?.accusations.get(signer)
    return present === undefined || present.content.heartbeat < content.heartbeat
  }
}
