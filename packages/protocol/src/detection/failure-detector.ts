/**
 * The failure detector: from a first missed probe to a death that this node believes (SWIM, DSN'02;
 * Lifeguard, DSN'18; observers as in Rapid, ATC'18).
 *
 * Each member is probed about once in two seconds, by one of its observers in turn
 * (`probe-scheduler.ts`, `observer-turns.ts`). An observer that gets no answer probes it at once in
 * all ways (`direct-probes.ts`), for a time that depends on the kind of failure
 * (`suspicion-timeout.ts`). If the member does not answer in time, the observer probes it through
 * others (`indirect-probes.ts`). If one of them reaches it, it lives, and the observer probes it
 * through them ever more rarely. If they fail, too, the observer accuses it (`accusations.ts`).
 * Then its other observers probe it, and enough accusers make a death.
 *
 * A node without any answering helper may be cut off itself. Above two members it accuses nobody,
 * unless it has heard no member for long (docs/decisions).
 *
 * This class takes what concerns the detector, and passes it to the parts that it concerns.
 * `suspicion-lifecycle.ts` decides what a finding does to a suspicion.
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

  /** Number of members that this node is not sure of. */
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

  /** True if this node missed it directly and through helpers, and signed that. */
  isAccused(id: NodeId): boolean {
    return this.#suspicions.isAccused(id)
  }

  /** True if a link is up and nothing speaks against the member. */
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

  /** Handles a peer's request to probe others for it, or to sign that this node is here. */
  asked(from: NodeId, subjects: readonly NodeId[]): void {
    const { id, now, links } = this.#context
    for (const subject of subjects) {
      if (subject !== id) this.#lifecycle.helper.request(from, subject)
      else {
        this.#batcher.reached(from, this.#refutations.sign())
        // A helper that has just connected for that wants nothing else.
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

  /** Takes in a hint that this member may be gone: probes it at once. */
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
   * Takes in a death that enough others certified, although this node is in contact with the
   * member, or knows that it lived long after.
   */
  dispute(certificate: Certificate, isOutlived: boolean): void {
    this.#lifecycle.disputed.hold(certificate, isOutlived)
    if (!isOutlived) this.#lifecycle.begin(certificate.suspect)
  }

  /** Takes in a death that this node has reason not to believe. */
  unproven(certificate: Certificate): void {
    this.#lifecycle.unproven(certificate)
  }

  /**
   * Returns the number of accusers, known to this node, that make it believe in the member's death.
   */
  accusersToBelieve(id: NodeId): number {
    return this.accusations.confirmation.quorum.toBelieve(id)
  }

  /**
   * Takes in each accusation of a death that has too few known accusers, or that the member has
   * outlived.
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

  /** This process stalled for `lateness`. Frames that it missed prove nothing about others. */
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
