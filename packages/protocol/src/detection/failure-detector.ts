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
 * (`own-accusations.ts`). Then its other observers probe the member. Enough accusers make a death
 * (`confirmation.ts`).
 *
 * A node may be cut off itself if no helper answers. In a pool of more than two members it then
 * accuses nobody, unless it has heard no member for long (docs/decisions).
 *
 * This class passes each input on to the parts of the detector. `suspicion-lifecycle.ts` decides
 * how a finding changes a suspicion.
 */
import type { DialFailure, HostProbeOutcome } from '../base/input.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { probeLinkTime, type Link } from '../context/links.ts'
import type { Timed, TimerName } from '../context/timers.ts'
import type { Certificate } from '../facts/certificate.ts'
import { isKind, type Statement } from '../facts/statement.ts'
import type { Alarm, PingReqAck } from '../frames/message.ts'
import type * as wire from '../wire/messages.js'
import type { Accusations } from './verdict/accusations.ts'
import { Heartbeats } from './probing/heartbeats.ts'
import { Contacts } from './probing/contacts.ts'
import { Batcher } from './suspicion/batcher.ts'
import { ProbeScheduler } from './probing/probe-scheduler.ts'
import { ObserverTurns } from './probing/observer-turns.ts'
import { Refutations } from './verdict/refutations.ts'
import { SuspicionLifecycle } from './suspicion-lifecycle.ts'
import { Suspicions } from './suspicion/suspicions.ts'

/** The timers of failure detection. */
export type DetectionTimer = Extract<
  TimerName,
  'health' | 'probe' | 'suspicion' | 'indirectProbe' | 'helper' | 'refutation' | 'disputedDeath' | 'detectionBatch'
>

export class FailureDetector {
  readonly accusations: Accusations
  /** The parts with timers. */
  readonly timed: Readonly<Record<DetectionTimer, Timed>>
  readonly #context: Context
  readonly #suspicions: Suspicions
  readonly #lifecycle: SuspicionLifecycle
  readonly #heartbeats: Heartbeats
  readonly #refutations: Refutations
  readonly #batcher: Batcher
  readonly #turns: ObserverTurns
  readonly #scheduler: ProbeScheduler
  readonly #contacts: Contacts

  constructor(context: Context) {
    this.#context = context
    const suspicions = new Suspicions(context)
    const heartbeats = new Heartbeats(context)
    const refutations = new Refutations(context)
    const contacts = new Contacts(context)
    const scheduler = new ProbeScheduler(context, (id) => this.#lifecycle.fellSilent(id))
    const batcher = new Batcher(context, () => (scheduler.isSlow ? scheduler.roundTrip : 0))
    const lifecycle = new SuspicionLifecycle(context, { suspicions, contacts, heartbeats, refutations, scheduler, batcher })
    this.#turns = new ObserverTurns(
      context,
      () => refutations.heartbeat,
      (id) => scheduler.observed.has(id),
    )
    this.accusations = lifecycle.accusations
    this.timed = {
      health: scheduler.health,
      probe: scheduler,
      suspicion: lifecycle,
      indirectProbe: lifecycle.indirect,
      helper: lifecycle.helper,
      refutation: { due: () => this.accusations.refutationExchange.publish() },
      disputedDeath: lifecycle.disputed,
      detectionBatch: batcher,
    }
    this.#suspicions = suspicions
    this.#lifecycle = lifecycle
    this.#heartbeats = heartbeats
    this.#refutations = refutations
    this.#batcher = batcher
    this.#scheduler = scheduler
    this.#contacts = contacts
  }

  /** Number of members that this node itself suspects. */
  get suspected(): number {
    return this.#suspicions.size === 0 ? 0 : this.#suspicions.own
  }

  /** Number of members that only others reach. */
  get relayed(): number {
    return this.#suspicions.relayed
  }

  /** True if this node is not sure that the member lives. */
  isSuspected(id: NodeId): boolean {
    return this.#suspicions.get(id)?.isOwn === true
  }

  /** True if this node accuses the member. */
  isAccused(id: NodeId): boolean {
    return this.#suspicions.isAccused(id)
  }

  /** True if a link is up and this node does not suspect the member. */
  isInContact(id: NodeId): boolean {
    return this.#context.links.has(id) && !this.isSuspected(id)
  }

  /** Sets the members to probe. */
  observe(members: ReadonlySet<NodeId>): void {
    this.#scheduler.observe(members)
  }

  linkUp(peer: NodeId): void {
    this.#contacts.linkUp(peer)
    this.#lifecycle.direct.linkUp(peer)
    this.#lifecycle.reached(peer)
    for (const part of [this.#scheduler, this.#lifecycle.helper, this.accusations, this.#lifecycle.disputed]) part.linkUp(peer)
  }

  /** Handles a broken link. Deliberate ends (`goodbye`) raise no suspicion. */
  linkLost(link: Link): void {
    const { peer, goodbye } = link
    this.#scheduler.forget(peer)
    this.#turns.linkLost(peer)
    this.#contacts.linkLost(link)
    this.#lifecycle.direct.linkLost(peer)
    this.#lifecycle.indirect.linkLost(peer)
    if (goodbye) return
    this.#lifecycle.begin(peer)
    this.#lifecycle.proofs.relayLost(peer)
  }

  /** Takes in a frame. Any frame is a sign of life. */
  heard(peer: NodeId): void {
    this.#lifecycle.heard(peer)
  }

  /** Answers a probe. */
  probed(from: NodeId, sequence: number): void {
    this.#turns.answer(sequence, from)
  }

  acknowledged(from: NodeId, { sequence, nextInMs, heartbeat }: wire.Ack): void {
    this.#heartbeats.heard(from, heartbeat)
    this.#scheduler.acknowledged(from, sequence, nextInMs)
  }

  /** Handles a peer's request to probe other members, or to sign that this node lives. */
  asked(from: NodeId, subjects: readonly NodeId[]): void {
    const { id, now, links } = this.#context
    for (const subject of subjects) {
      if (subject !== id) this.#lifecycle.helper.request(from, subject)
      else {
        this.#batcher.reached(from, this.#refutations.sign())
        // A helper that has just connected needs the link only for this probe.
        const link = links.get(from)
        if (link !== undefined && now - link.since < probeLinkTime) link.isProbeLink = true
      }
    }
  }

  /** Takes in the results of indirect probes. Throws {@link FrameError}. */
  helped(from: NodeId, { reached, missed, unknown }: PingReqAck): void {
    for (const statement of reached) if (isKind(statement, 'refutation')) this.#lifecycle.proven(from, statement)
    for (const id of missed) this.#lifecycle.indirect.missed(from, id, 'missed')
    for (const id of unknown) this.#lifecycle.indirect.missed(from, id, 'unknown')
  }

  /** Takes in suspicions and refutations of others. Throws {@link FrameError}. */
  alarmed(from: NodeId, { statements }: Alarm): void {
    for (const statement of statements) this.accusations.receive(from, statement)
  }

  /** Takes in a hint that this member may be gone. See {@link SuspicionLifecycle.suspect}. */
  suspect(id: NodeId): void {
    this.#lifecycle.suspect(id)
  }

  /** Handles a failed dial of a member. */
  unreachable(id: NodeId, failure: DialFailure): void {
    this.#lifecycle.helper.unreachable(id)
    this.accusations.unreachable(id)
    this.#lifecycle.unreachable(id, failure)
  }

  hostProbed(id: NodeId, outcome: HostProbeOutcome): void {
    this.#lifecycle.helper.hostProbed(id, outcome)
    const suspicion = this.#suspicions.get(id)
    if (suspicion !== undefined) this.#lifecycle.direct.hostProbed(suspicion, outcome)
  }

  /**
   * Takes in a death that enough accusers certified. This node is in contact with the member, or
   * (`isOutlived`) knows that the member refuted or outlived the accusations.
   */
  dispute(certificate: Certificate, isOutlived: boolean): void {
    this.#lifecycle.disputed.hold(certificate, isOutlived)
    if (!isOutlived) this.#lifecycle.begin(certificate.suspect)
  }

  /** Takes in a death that this node has reason not to believe. */
  unproven(certificate: Certificate): void {
    this.#lifecycle.unproven(certificate)
  }

  /** Returns the number of known accusers with which this node believes the member's death. */
  accusersToBelieve(id: NodeId): number {
    return this.accusations.confirmation.quorum.toBelieve(id)
  }

  /**
   * Takes in the accusations of a certificate that has too few known accusers, or that the member
   * has outlived.
   */
  report(accusations: readonly Statement[]): void {
    for (const accusation of accusations) if (isKind(accusation, 'suspicion')) this.accusations.hear(accusation, undefined)
  }

  /** Measures the time that the detection of a death took. */
  measure(id: NodeId): void {
    const { now, services } = this.#context
    const suspicion = this.#suspicions.get(id)
    if (suspicion !== undefined) services.measure?.({ what: 'detection', member: id, took: now - suspicion.raised })
  }

  /** Returns the duration of the member's last answer to a probe. */
  roundTrip(id: NodeId): Milliseconds | undefined {
    return this.#scheduler.took(id)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    for (const part of [this.#lifecycle, this.#contacts, this.#scheduler, this.#heartbeats, this.#refutations]) part.forget(id)
  }

  /** This process stalled for `lateness`. Frames that it missed prove nothing about members. */
  stalled(lateness: Milliseconds): void {
    this.#scheduler.health.degrade()
    this.#scheduler.stalled(lateness)
    this.#lifecycle.stalled(lateness)
  }

  /** Forgets all knowledge of members. */
  clear(): void {
    for (const part of [this.#lifecycle, this.#batcher, this.#heartbeats]) part.clear()
  }
}
