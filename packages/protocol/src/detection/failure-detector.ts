/**
 * The failure detector: from a first missed probe to a death that this node believes (SWIM, DSN'02;
 * Lifeguard, DSN'18; observers as in Rapid, ATC'18).
 *
 * A member's observers take turns, so that it gets a probe about every two seconds
 * (`probe-scheduler.ts`, `observer-turns.ts`). An observer without an answer probes the member's
 * link and host at once (`direct-probes.ts`). The time for that depends on the kind of failure
 * (`suspicion-timeout.ts`). If the member does not answer in time, the observer asks helpers
 * (`indirect-probes.ts`). If a helper reaches the member, the member lives. The observer then asks
 * helpers ever more rarely. If all helpers fail, the observer accuses the member
 * (`own-accusations.ts`). Then the member's other observers probe it, too. The accusations of
 * enough members certify a death (`confirmation.ts`).
 *
 * A node may be cut off itself if no helper answers. In a pool of more than two members it then
 * accuses nobody, unless it has heard no member for a long time (docs/decisions).
 *
 * This class passes each input on to the parts of the detector. `suspicion-lifecycle.ts` decides
 * how a finding changes a suspicion.
 */
import type { DialFailure, HostProbeOutcome } from '../base/input.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { probeLinkTime, type Link } from '../context/links.ts'
import { accusationsIn, type Certificate } from '../facts/certificate.ts'
import type { Fact } from '../facts/fact.ts'
import { isKind, type Accusation, type Refutation, type Statement } from '../facts/statement.ts'
import type { Alarm, PingReqAck } from '../frames/message.ts'
import type * as wire from '../wire/messages.js'
import { createDetectionParts, type DetectionParts } from './parts.ts'
import { stall } from './probing/health-multiplier.ts'

export class FailureDetector {
  readonly timed: DetectionParts['timed']
  readonly #context: Context
  readonly #parts: DetectionParts

  constructor(context: Context) {
    this.#context = context
    this.#parts = createDetectionParts(context)
    this.timed = this.#parts.timed
  }

  /** Number of members that this node itself suspects. */
  get suspected(): number {
    return this.#parts.suspicions.size === 0 ? 0 : this.#parts.suspicions.own
  }

  /** Number of members that only others reach. */
  get relayed(): number {
    return this.#parts.suspicions.relayed
  }

  /** True if this node itself suspects the member. */
  isSuspected(id: NodeId): boolean {
    return this.#parts.suspicions.get(id)?.isOwn === true
  }

  /** True if this node accuses the member. */
  isAccused(id: NodeId): boolean {
    return this.#parts.suspicions.isAccused(id)
  }

  /** True if a link is up and this node does not suspect the member. */
  isInContact(id: NodeId): boolean {
    return this.#context.links.has(id) && !this.isSuspected(id)
  }

  /** Sets the members to probe. */
  observe(members: ReadonlySet<NodeId>): void {
    this.#parts.scheduler.observe(members)
  }

  linkUp(peer: NodeId): void {
    const { contacts, looks, lifecycle, scheduler, helper, spread, disputed } = this.#parts
    contacts.linkUp(peer)
    looks.linkUp(peer)
    lifecycle.reached(peer)
    for (const part of [scheduler, helper, spread, disputed]) part.linkUp(peer)
  }

  /** Handles a broken link. Deliberate ends (`goodbye`) raise no suspicion. */
  linkLost(link: Link): void {
    const { peer, goodbye } = link
    this.#parts.scheduler.forget(peer)
    this.#parts.turns.linkLost(peer)
    this.#parts.contacts.linkLost(link)
    this.#parts.direct.linkLost(peer)
    this.#parts.indirect.linkLost(peer)
    if (goodbye) return
    this.#parts.direct.begin(peer)
    this.#parts.proofs.relayLost(peer)
  }

  /** Takes in a frame. Any frame is a sign of life. */
  heard(peer: NodeId): void {
    if (this.#context.view.get(peer) !== undefined) this.#parts.verdict.heard()
    if (this.#parts.suspicions.size > 0) this.#parts.lifecycle.reached(peer)
  }

  /** Answers a probe. */
  probed(from: NodeId, sequence: number): void {
    this.#parts.turns.answer(sequence, from)
  }

  acknowledged(from: NodeId, { sequence, nextInMs, heartbeat }: wire.Ack): void {
    // Only members count: anybody can connect and state a heartbeat, under any number of ids.
    if (this.#context.view.get(from) !== undefined) this.#parts.heartbeats.heard(from, heartbeat)
    this.#parts.scheduler.acknowledged(from, sequence, nextInMs)
  }

  /** Handles a peer's request to probe other members, or to sign that this node lives. */
  asked(from: NodeId, subjects: readonly NodeId[]): void {
    const { id, now, links } = this.#context
    for (const subject of subjects) {
      if (subject !== id) this.#parts.helper.request(from, subject)
      else {
        this.#parts.batcher.reached(from, this.#parts.refutations.sign())
        // A helper that has just connected needs the link only for this probe.
        const link = links.get(from)
        if (link !== undefined && now - link.since < probeLinkTime) link.isProbeLink = true
      }
    }
  }

  /** Takes in the results of indirect probes. Throws {@link FrameError}. */
  helped(from: NodeId, { reached, missed, unknown }: PingReqAck): void {
    for (const statement of reached) if (isKind(statement, 'refutation')) this.#parts.lifecycle.proven(from, statement)
    for (const id of missed) this.#parts.indirect.missed(from, id, 'missed')
    for (const id of unknown) this.#parts.indirect.missed(from, id, 'unknown')
  }

  /** Takes in accusations and refutations of others. Throws {@link FrameError}. */
  alarmed(from: NodeId, { statements }: Alarm): void {
    for (const statement of statements) this.#parts.accusations.receive(from, statement)
  }

  /**
   * Takes in an accusation that came as a fact. `from` is undefined if it came on the topic. Checks
   * the signature if the accusation is news. Throws {@link FrameError}.
   */
  accused(from: NodeId | undefined, accusation: Statement<Accusation>): void {
    this.#parts.accusations.receive(from, accusation)
  }

  /**
   * Takes in the accusations of a verified certificate, although this node does not believe the
   * death.
   */
  accusedIn(certificate: Certificate, from?: NodeId): void {
    for (const accusation of accusationsIn(certificate)) this.#parts.accusations.hear(accusation, from)
  }

  /** Takes in a verified refutation that came as a fact. Returns the fact; undefined: no news. */
  refuted(from: NodeId | undefined, refutation: Statement<Refutation>): Fact | undefined {
    return this.#parts.exchange.take(refutation, from)
  }

  /**
   * True if the refutation is later than the known one, and the member's life goes on. Callers ask
   * this before they check the signature.
   */
  isNews(refutation: Statement<Refutation>): boolean {
    return this.#parts.refutations.isNews(refutation)
  }

  /** True if the member refuted accusations that cite this heartbeat. */
  isRefuted(id: NodeId, heartbeat: number): boolean {
    return this.#parts.refutations.isRefuted(id, heartbeat)
  }

  /** True if this node knows that the member lived long after this heartbeat. */
  isOutlived(id: NodeId, heartbeat: number): boolean {
    return this.#parts.refutations.isOutlived(id, heartbeat)
  }

  /** Takes in a hint that this member may be gone. See {@link Looks.suspect}. */
  suspect(id: NodeId): void {
    this.#parts.looks.suspect(id)
  }

  /** Handles a failed dial of a member. */
  unreachable(id: NodeId, failure: DialFailure): void {
    this.#parts.helper.unreachable(id)
    this.#parts.spread.unreachable(id)
    this.#parts.lifecycle.unreachable(id, failure)
  }

  hostProbed(id: NodeId, outcome: HostProbeOutcome): void {
    this.#parts.helper.hostProbed(id, outcome)
    this.#parts.lifecycle.hostProbed(id, outcome)
  }

  /**
   * Takes in a death that enough accusers certified. This node is in contact with the member, or
   * (`isOutlived`) knows that the member refuted or outlived the accusations.
   */
  dispute(certificate: Certificate, isOutlived: boolean): void {
    this.#parts.disputed.hold(certificate, isOutlived)
    if (!isOutlived) this.#parts.direct.begin(certificate.suspect)
  }

  /**
   * Takes in a death that this node has reason not to believe. It may have too few accusers. A
   * small part of a split pool may have pronounced it. Or the member lived on after the
   * accusations.
   */
  unproven(certificate: Certificate): void {
    this.#parts.verdict.doubt(certificate)
    this.#parts.looks.suspect(certificate.suspect)
  }

  /** Returns the number of known accusers that this node needs to believe the member's death. */
  accusersToBelieve(id: NodeId): number {
    return this.#parts.confirmation.quorum.toBelieve(id)
  }

  /** Measures the time that the detection of a death took. */
  measure(id: NodeId): void {
    const { now, services } = this.#context
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion !== undefined) services.measure?.({ what: 'detection', member: id, took: now - suspicion.raised })
  }

  /** Returns the duration of the member's last answer to a probe. */
  roundTrip(id: NodeId): Milliseconds | undefined {
    return this.#parts.scheduler.took(id)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    const { suspicions, indirect, helper, disputed, verdict, contacts, scheduler, heartbeats, refutations } = this.#parts
    suspicions.delete(id)
    suspicions.viewChanged()
    indirect.end(id)
    helper.missed(id)
    for (const part of [disputed, verdict, contacts, scheduler, heartbeats, refutations]) part.forget(id)
  }

  /**
   * This process stalled for `lateness`. Frames that did not come meanwhile prove nothing about
   * members. They may wait in the sockets, and the node reads them only after this call. So waits
   * end `stall` ms from now at the earliest.
   */
  stalled(lateness: Milliseconds): void {
    const { scheduler, verdict, direct, indirect, helper, disputed } = this.#parts
    scheduler.degrade()
    for (const part of [scheduler, verdict]) part.stalled(lateness)
    for (const part of [direct, indirect, helper, disputed]) part.stalled(lateness + stall)
  }

  /** Forgets all knowledge of members. */
  clear(): void {
    const { suspicions, indirect, helper, spread, exchange, batcher, heartbeats } = this.#parts
    for (const part of [suspicions, indirect, helper, spread, exchange, batcher, heartbeats]) part.clear()
  }
}
