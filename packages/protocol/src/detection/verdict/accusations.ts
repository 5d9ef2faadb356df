/**
 * Accusations: signed suspicions, gathered into death certificates (JEL §5.2, with signatures, a
 * quorum and refutation).
 *
 * A node that failed to reach a member, directly and through helpers, signs an accusation. The node
 * sends the accusation to the member, which may refute it, and publishes it on the topic. SWIM
 * gossips each suspicion, too (§4.2). So a member that no accuser and no helper reaches still
 * receives the accusation, through nodes that reach both sides. `confirmation.ts` decides when
 * accusations make a death.
 *
 * If the topic did not bring enough accusations, they also travel over links
 * (`accusation-spread.ts`).
 */
import { FrameError } from '../../base/errors.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow } from '../../facts/certificate.ts'
import { factOf, type Fact } from '../../facts/fact.ts'
import { isKind, type Accusation, type Statement } from '../../facts/statement.ts'
import { Confirmation, longestTurn, turnTrips, type ConfirmationEvents } from './confirmation.ts'
import { mostAccusers } from './quorum.ts'
import { RefutationExchange, type RefutationParts } from './refutation-exchange.ts'
import { AccusationSpread, firstRound, roundsAtOnce } from './accusation-spread.ts'
import { lifetime, type Suspicion } from '../suspicion/suspicion.ts'

/**
 * An accusation waits for this time, so that others can share its broadcast, ms. Measured
 * (simulated, 18 of 60 nodes die): without the wait 99 % of the deaths are known after 3.5 s
 * instead of 3.1 s.
 */
const company = 40

export interface AccusationEvents {
  onDeath: ConfirmationEvents['onDeath']
  /** Somebody accuses this member. `isDirect`: a peer sent the accusation over a link. */
  onReported(suspicion: Suspicion, isDirect: boolean): void
  /**
   * A member signed that it lives, or accusations expired. `isFresh`: the member signed a moment
   * ago.
   */
  onRefuted(id: NodeId, isFresh: boolean): void
}

export interface AccusationParts extends RefutationParts {
  /** The usual round trip, ms. */
  roundTrip(): Milliseconds
}

export class Accusations {
  readonly confirmation: Confirmation
  readonly refutationExchange: RefutationExchange
  readonly #context: Context
  readonly #parts: AccusationParts
  readonly #events: AccusationEvents
  readonly #spread: AccusationSpread

  constructor(context: Context, parts: AccusationParts, events: AccusationEvents) {
    this.#context = context
    this.#parts = parts
    this.#events = events
    this.confirmation = new Confirmation(
      context,
      {
        suspicions: parts.suspicions,
        isValid: (suspect, accusation) => this.#isValid(suspect, accusation),
        roundTrip: () => parts.roundTrip(),
      },
      { onTurn: (suspicion) => this.#publish(suspicion), onDeath: (certificate, after) => events.onDeath(certificate, after) },
    )
    this.#spread = new AccusationSpread(context, parts.batcher, parts.suspicions)
    this.refutationExchange = new RefutationExchange(context, parts, (suspicion, isFresh) => {
      if (suspicion.accusations.has(context.id)) this.confirmation.accused(suspicion)
      events.onRefuted(suspicion.id, isFresh)
    })
  }

  /** Accuses a member that this node failed to reach, directly and through helpers. */
  accuse(suspicion: Suspicion): void {
    const { now, codec, id } = this.#context
    const heartbeat = this.#citedHeartbeat(suspicion)
    const accusation = codec.sign(id, { kind: 'suspicion', suspect: suspicion.id, incarnation: suspicion.incarnation, heartbeat })
    suspicion.enter('accused', now)
    suspicion.spreads = 0
    suspicion.schedule('spread', now + this.#firstRound)
    suspicion.add(accusation)
    this.#spread.sendToSubject(suspicion, accusation)
    this.confirmation.accused(suspicion)
    this.confirmation.added(suspicion, id, false)
    this.confirmation.judge(suspicion)
    this.#judgeOthers(suspicion.id)
  }

  /**
   * Judges other suspicions again: the quorum no longer counts the accused member. Fewer accusers
   * may now suffice for members that the accused member observes. If few members are left, that
   * holds for all of them.
   */
  #judgeOthers(accused: NodeId): void {
    const { suspicions } = this.#parts
    const isChange = this.confirmation.quorum.toBelieve(accused) < mostAccusers
    // Observation is mutual: a member observes its ring neighbours on both sides.
    const concerned = isChange ? [...suspicions.values()] : [...suspicions.observersOf(accused)].flatMap((id) => suspicions.get(id) ?? [])
    for (const suspicion of concerned) if (suspicion.accusations.size > 0) suspicion.advance('judge', this.#context.now)
  }

  /**
   * Withdraws this node's accusation of a member that it reached. Other nodes may hold the
   * accusation, so the member receives it and can refute it.
   */
  withdraw(suspicion: Suspicion): void {
    const own = suspicion.accusations.get(this.#context.id)
    if (own === undefined) return
    suspicion.remove(this.#context.id)
    suspicion.unpublish()
    this.#parts.batcher.send(suspicion.id, own)
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
      // Most suspicions of a member come after its death is known. Their signatures need no check.
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

  /** Takes in a verified suspicion that `from` sent. `isPublished`: it came on the topic. */
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

  /** True if the member refuted suspicions that cite this heartbeat. */
  isRefuted(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < (this.refutationExchange.latestOf(suspect)?.content.heartbeat ?? 0)
  }

  /** True if this node knows that the member lived long after this heartbeat. */
  isOutlived(suspect: NodeId, heartbeat: number): boolean {
    return heartbeat < this.#parts.heartbeats.of(suspect) - heartbeatWindow
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
        else suspicion.schedule('spread', now + this.#context.jitter(this.#firstRound))
      }
      this.confirmation.judge(suspicion)
    }
  }

  /**
   * Returns the heartbeat that this node cites: the last one that it received. If it received none,
   * returns the lower median of the heartbeats that the accusers cite. The result is never below
   * the heartbeat of the member's last refutation.
   */
  #citedHeartbeat({ id, accusations }: Suspicion): number {
    const { heartbeats } = this.#parts
    const told = [...accusations.values()].map(({ content }) => content.heartbeat).sort((a, b) => a - b)
    const heard = heartbeats.of(id) || (told[(told.length - 1) >> 1] ?? 0)
    return Math.max(heard, this.refutationExchange.latestOf(id)?.content.heartbeat ?? 0)
  }

  /**
   * Handles an accusation from the topic that is known or void. If the member refuted it only to a
   * helper, possibly no other node knows the refutation. Then this node publishes the refutation in
   * the member's place. In SWIM, too, any node spreads a later incarnation that it knows. Several
   * nodes may publish it: if the topic is cut in parts, each part needs the refutation.
   */
  #heardAgain(statement: Statement<Accusation>): void {
    const { suspect, heartbeat } = statement.content
    const { heartbeats, refutations } = this.#parts
    const proof = heartbeats.refutation(suspect)
    if (this.#isHeld(statement)) this.#published(statement)
    else if (
      proof !== undefined &&
      proof.content.heartbeat > heartbeat &&
      refutations.isNews(proof) &&
      this.#context.codec.verify(statement)
    )
      this.#broadcast(refutations.merge(proof), this.confirmation.waitFor(this.#context.random() * mostAccusers))
  }

  #isHeld({ signer, content, signature }: Statement<Accusation>): boolean {
    const held = this.#parts.suspicions.get(content.suspect)?.accusations.get(signer)
    return held?.signature.every((byte, i) => byte === signature[i]) === true
  }

  /**
   * True if the signature of an accusation is worth a check. Accusations by this node are not: it
   * knows them, and may have withdrawn them since.
   */
  #isNews({ signer, content }: Statement<Accusation>): boolean {
    if (signer === this.#context.id || signer === content.suspect || !this.#isValid(content.suspect, content)) return false
    const present = this.#parts.suspicions.get(content.suspect)?.accusations.get(signer)
    return present === undefined || present.content.heartbeat < content.heartbeat
  }

  #isValid(suspect: NodeId, { heartbeat }: Accusation): boolean {
    return !this.isRefuted(suspect, heartbeat) && !this.isOutlived(suspect, heartbeat)
  }

  /** Wait before accusations go over links, ms: the topic needs time to bring enough. */
  get #firstRound(): Milliseconds {
    return firstRound + Math.min(this.#parts.roundTrip() * turnTrips, 3 * longestTurn)
  }

  /** Publishes this node's accusation. The member's time to refute it begins. */
  #publish(suspicion: Suspicion): void {
    const own = suspicion.accusations.get(this.#context.id)
    if (own === undefined) return
    this.#broadcast(factOf({ statement: own }), this.#parts.suspicions.own > 1 ? company : 0)
    this.#published(own)
  }

  #published({ signer, content }: Statement<Accusation>): void {
    const suspicion = this.#parts.suspicions.get(content.suspect)
    if (suspicion !== undefined) this.confirmation.added(suspicion, signer, true)
  }

  #broadcast(fact: Fact, after = 0): void {
    this.#context.outcomes.push({ type: 'publish', fact, after })
  }
}
