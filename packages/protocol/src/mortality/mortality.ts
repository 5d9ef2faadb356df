/**
 * Mortality: from the first doubt to a death that this node believes.
 *
 * Three parts, wired here: the `detector` finds out whether this node itself can reach a member, the `witnesses` bring together what
 * several nodes found out, and `heldDeaths` keeps what others certified while this node has reason not to believe it yet.
 */
import type { DialFailure, Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import { suspicionsOf, type Certificate } from '../facts/certificate.ts'
import type { Alarm } from '../frames/message.ts'
import { Detector } from './detector.ts'
import { HeldDeaths } from './held-deaths.ts'
import { Witnesses } from './witness.ts'

export interface MortalityEvents {
  /** A member is dead for all that this node knows. `rank`: its place among those who make that known. */
  onDeath(certificate: Certificate, rank: number): void
  /** These members pronounced this node dead in the life that it has; too few, or it has refuted them. */
  onOwnDeath(incarnation: number, by: readonly NodeId[]): void
}

export class Mortality {
  readonly detector: Detector
  readonly witnesses: Witnesses
  /** Those with a place in the round of turns; the detector has its own. */
  readonly timed: readonly Timed[]
  readonly #context: Context
  readonly #events: MortalityEvents
  readonly #heldDeaths: HeldDeaths

  constructor(context: Context, events: MortalityEvents) {
    this.#context = context
    this.#events = events
    this.detector = new Detector(context, {
      onUnreachable: (id) => this.#unreachable(id),
      onReached: (id) => this.witnesses.acquit(id),
      suspectedSince: (id) => this.witnesses.suspectedSince(id),
    })
    this.witnesses = new Witnesses(context, {
      onDeath: (certificate) => this.#died(certificate),
      onSuspected: (id) => this.detector.suspect(id),
      onRefuted: (id) => this.detector.vouched(id),
      onUnlinked: (id) => context.connect(id),
      isHidden: (id) => this.detector.isHidden(id),
      isDoubted: (id) => this.detector.isDoubted(id),
      isSureAlone: (id) => this.detector.isSureAlone(id),
    })
    this.#heldDeaths = new HeldDeaths(context, {
      onDeath: (certificate) => this.#died(certificate),
      isDoubted: (id) => this.detector.isDoubted(id),
    })
    this.timed = [this.witnesses, this.#heldDeaths]
  }

  /** A dial came to nothing. */
  unreachable(id: NodeId, failure: DialFailure): void {
    this.detector.unreachable(id, failure)
    this.witnesses.unreachable(id)
  }

  linkUp(peer: NodeId): void {
    this.detector.linkUp(peer)
    this.witnesses.linkUp(peer)
    this.#heldDeaths.linkUp(peer)
  }

  /** What others suspect, refute, or only doubt. */
  alarm(from: NodeId, { statements, doubted }: Alarm): void {
    for (const statement of statements) this.witnesses.receive(from, statement)
    for (const id of doubted) this.detector.alarmed(id)
  }

  /** A death that others certified and this node can't believe: too few witnesses, or it is in contact with the member. */
  question(certificate: Certificate, sufficient: boolean): void {
    const { suspect, incarnation, witnesses } = certificate
    if (suspect === this.#context.id) {
      const by = witnesses.map(({ signer }) => signer).filter((signer) => this.#context.view.get(signer) !== undefined)
      this.#events.onOwnDeath(incarnation, by)
      return
    }
    if (!sufficient) for (const suspicion of suspicionsOf(certificate)) this.witnesses.hear(suspicion, undefined)
    const { view } = this.#context
    const members = witnesses.filter(({ signer }) => view.knows(signer))
    // Enough, but for a refutation that they had not heard of. It may be an old one: a node gets to know of it when it suspects the member.
    const isRefuted = !sufficient && members.length >= this.witnesses.required(suspect)
    if (isRefuted) this.detector.unvouch(suspect)
    if (sufficient) this.detector.confirm(suspect)
    else this.detector.suspect(suspect)
    // Strangers, and few members whom the suspect has refuted, bear no witness that this node's own failure could complete.
    const refutations = this.witnesses.refutationsOf(suspect)
    const isHeld = isRefuted || members.some((witness) => witness.refutations >= refutations)
    if (sufficient || isHeld) this.#heldDeaths.hold(certificate, sufficient)
  }

  stalled(lateness: Milliseconds): void {
    this.detector.stalled(lateness)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#heldDeaths.forget(id)
    this.witnesses.forget(id)
    this.detector.forget(id)
  }

  /** The detector is sure: this node can't reach the member. Where others certified its death that is what they lacked to be believed. */
  #unreachable(id: NodeId): void {
    const held = this.#heldDeaths.get(id)
    if (held === undefined) this.witnesses.testify(id)
    else this.#died(held)
  }

  #died(certificate: Certificate): void {
    this.#events.onDeath(certificate, this.witnesses.rank(certificate.suspect))
  }
}
