/**
 * The lifecycle of a suspicion: how each finding changes the state of a suspicion, and what this
 * node does next. `transitions.ts` has the table of the states.
 */
import { FrameError } from '../base/errors.ts'
import type { DialFailure, HostProbeOutcome } from '../base/input.ts'
import type { NodeId } from '../base/values.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Refutation, Statement } from '../facts/statement.ts'
import type { Heartbeats } from './probing/heartbeats.ts'
import type { DirectProbes } from './suspicion/direct-probes.ts'
import type { DisputedDeaths } from './verdict/disputed-deaths.ts'
import type { HelpersVerdict } from './helpers-verdict.ts'
import type { AccusedLifecycle } from './verdict/accusations.ts'
import type { Confirmation } from './verdict/confirmation.ts'
import type { OwnAccusations } from './verdict/own-accusations.ts'
import type { Looks } from './suspicion/looks.ts'
import type { IndirectProbeHelper } from './suspicion/indirect-probe-helper.ts'
import type { IndirectProbes } from './suspicion/indirect-probes.ts'
import type { Batcher } from './suspicion/batcher.ts'
import type { ProbeScheduler } from './probing/probe-scheduler.ts'
import type { ProofsOfLife } from './suspicion/proofs-of-life.ts'
import type { Suspicion } from './suspicion/suspicion.ts'
import type { Suspicions } from './suspicion/suspicions.ts'

/**
 * If accusations led to nothing, this many nodes probe the member besides its observers, on
 * average. Guess: an accuser asks six helpers, too.
 */
const helpers = 6

/**
 * A node that does not observe a member gives the observers this time before it asks helpers, ms.
 * Guess: observers need 150 ms for a dead process.
 */
const observersFirst = 1_500

export interface LifecycleParts {
  readonly suspicions: Suspicions
  readonly heartbeats: Heartbeats
  readonly scheduler: ProbeScheduler
  readonly batcher: Batcher
  readonly direct: DirectProbes
  readonly looks: Looks
  readonly indirect: IndirectProbes
  readonly helper: IndirectProbeHelper
  readonly proofs: ProofsOfLife
  readonly confirmation: Confirmation
  readonly own: OwnAccusations
  readonly disputed: DisputedDeaths
  readonly verdict: HelpersVerdict
}

export class SuspicionLifecycle implements AccusedLifecycle {
  readonly #context: Context
  readonly #parts: LifecycleParts

  constructor(context: Context, parts: LifecycleParts) {
    this.#context = context
    this.#parts = parts
  }

  /** An observed member did not answer in time. */
  fellSilent(id: NodeId): void {
    const known = this.#parts.suspicions.get(id)
    if (known === undefined || known.state === 'reported') this.#parts.direct.begin(id)
  }

  /** Handles a failed dial of a member. */
  unreachable(id: NodeId, failure: DialFailure): void {
    if (this.#context.links.has(id) || this.#context.view.get(id) === undefined) return
    const known = this.#parts.suspicions.get(id)
    // Helpers reach the member, so this failure is no news.
    if (known?.state === 'relayed') return
    const isFirst = known?.isOwn !== true
    // If most answers are late, a handshake that timed out proves nothing.
    if (isFirst && failure === 'unresponsive' && this.#parts.scheduler.isSlow) return
    if (isFirst) this.#parts.direct.begin(id)
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion !== undefined && this.#parts.direct.failed(suspicion, failure, isFirst)) this.#timedOut(suspicion)
  }

  hostProbed(id: NodeId, outcome: HostProbeOutcome): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion === undefined) return
    if (this.#parts.direct.hostProbed(suspicion, outcome)) this.#timedOut(suspicion)
    if (outcome === 'accepted') this.#parts.direct.accepted(suspicion)
  }

  /** The member answered this node itself. */
  reached(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion === undefined || suspicion.state === 'reported') return
    this.#parts.scheduler.heard(id)
    this.#parts.indirect.end(id)
    this.#parts.own.withdraw(suspicion)
    suspicion.enter('answered', this.#context.now)
    if (suspicion.accusations.size === 0) this.#parts.suspicions.delete(id)
  }

  /** Takes in a member's signature of its present heartbeat. Throws {@link FrameError}. */
  proven(from: NodeId, refutation: Statement<Refutation>): void {
    const { view, codec } = this.#context
    const { signer, content } = refutation
    if (!view.isAlive(signer, content.incarnation) || !this.#parts.heartbeats.isFresh(refutation)) return
    if (!codec.verify(refutation)) throw new FrameError('a refutation with a forged signature')
    this.#parts.heartbeats.signed(refutation, true)
    this.#parts.helper.reached(refutation)
    const suspicion = this.#parts.suspicions.get(signer)
    if (suspicion === undefined || from === signer || !(suspicion.isTimedOut || this.#parts.indirect.isUnderWay(signer))) return
    this.#parts.indirect.end(signer)
    suspicion.relay = from
    suspicion.refutedHeartbeat = undefined
    this.#parts.proofs.relayed(suspicion)
  }

  /** Probes the suspects whose next probe is due. */
  probe(): void {
    for (const suspicion of this.#parts.suspicions.due()) if (this.#parts.direct.probe(suspicion)) this.#timedOut(suspicion)
  }

  /** Begins the rounds of indirect probes that are due. */
  askAgain(): void {
    for (const suspicion of this.#parts.suspicions.due()) if (this.#context.now >= suspicion.at('round')) this.#askAgainAbout(suspicion)
  }

  /** Handles a member that did not answer this node in time. */
  #timedOut(suspicion: Suspicion): void {
    const { id } = suspicion
    const certificate = this.#parts.disputed.get(id)
    if (certificate !== undefined) {
      // This node can't reach the member either.
      this.#parts.confirmation.believe(certificate)
      return
    }
    this.#parts.helper.missed(id)
    // Most often the observers decide at once. A node that is no observer asks one observer, and
    // waits. It goes on if another node accuses the member, or after `observersFirst`: the
    // observers may be dead.
    const { now } = this.#context
    const observer = this.#parts.proofs.isLeft(suspicion) ? this.#linkedObserver(id) : undefined
    if (observer !== undefined && now - suspicion.raised < observersFirst) {
      if (!suspicion.isTimedOut) this.#parts.batcher.ask(observer, id)
      suspicion.isTimedOut = true
      suspicion.advance('probe', suspicion.raised + observersFirst)
      return
    }
    if (this.#parts.proofs.isRecent(suspicion)) {
      this.#parts.proofs.refuted(suspicion, true)
      return
    }
    suspicion.enter('timedOut', now)
    suspicion.rounds = 0
    // A node that does not observe the member asks one observer first, because observers probe the
    // member regularly.
    this.#parts.indirect.begin(id, this.#isObserved(id) ? undefined : this.#linkedObserver(id))
  }

  #askAgainAbout(suspicion: Suspicion): void {
    suspicion.schedule('round', Infinity)
    if (suspicion.state === 'reported') {
      if (!this.#parts.confirmation.suffices(suspicion)) this.#probeAll(suspicion.id)
      return
    }
    if (suspicion.state === 'relayed' && this.#parts.proofs.isLeft(suspicion)) {
      this.#parts.suspicions.delete(suspicion.id)
      return
    }
    suspicion.rounds += 1
    this.#parts.indirect.begin(suspicion.id, suspicion.relay)
  }

  /**
   * Others accuse the member. Its observers probe it at once. So does a node that received the
   * accusation over a link: its probe is needed. Other nodes first wait for enough accusations.
   */
  reported(suspicion: Suspicion, isDirect: boolean): void {
    if (!this.#parts.indirect.isUnderWay(suspicion.id)) this.#parts.verdict.seconded(suspicion)
    if (isDirect || this.#isObserved(suspicion.id)) this.#parts.looks.suspect(suspicion.id)
    else if (suspicion.state === 'reported') suspicion.advance('round', this.#context.now + this.#parts.confirmation.refutationTime)
  }

  /**
   * Published accusations led to nothing: the observers may have died, too. The present observers
   * and a few other nodes probe the member.
   */
  #probeAll(id: NodeId): void {
    const { view } = this.#context
    if (this.#isObserved(id) || this.#context.random() * view.size < helpers) this.#parts.looks.suspect(id)
  }

  /** The member refuted accusations, or they expired. `isFresh`: the member signed a moment ago. */
  refuted(id: NodeId, isFresh: boolean): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion === undefined) return
    const { state } = suspicion
    const isVoid = state === 'accused' && !suspicion.accusations.has(this.#context.id)
    if (isVoid || (isFresh && (state === 'indirect' || state === 'relayed'))) {
      this.#parts.indirect.end(id)
      this.#parts.proofs.refuted(suspicion, isFresh)
    }
    if (state === 'reported' && suspicion.accusations.size === 0) this.#parts.suspicions.delete(id)
  }

  #linkedObserver(id: NodeId): NodeId | undefined {
    const { links } = this.#context
    return pickOne(
      () => this.#context.random(),
      [...this.#parts.suspicions.observersOf(id)].filter((observer) => links.has(observer)),
    )
  }

  /** True if this node is one of the member's observers. Both observe each other. */
  #isObserved(id: NodeId): boolean {
    return this.#parts.scheduler.observed.has(id)
  }
}
