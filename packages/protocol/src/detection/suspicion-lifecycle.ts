/**
 * The lifecycle of a suspicion. This table has the state after each finding. A dash: nothing
 * changes. docs/protocol.md draws the most frequent transitions.
 *
 * | finding | reported | probing | indirect | relayed | accused |
 * | --- | --- | --- | --- | --- | --- |
 * | this node misses it | probing | – | – | probing, once the proof is old | – |
 * | no answer in time | – | indirect | – | – | – |
 * | a helper reached it | – | relayed, once timed out | relayed | relayed | – |
 * | helpers missed it | – | – | accused | probing | – |
 * | helpers can't tell | – | – | asks again; accused (1) | probing | – |
 * | no helper answers | – | – | asks again; accused (2) | probing | – |
 * | it refutes | over, if nobody accuses it | – | relayed | relayed | relayed |
 * | it answers this node | – | over | over | over | over |
 *
 * - (1): if its host refuses and another member accuses it.
 * - (2): in a pool of two, or if this node has heard no member for long.
 *
 * "No answer in time" and "helpers missed it" have exceptions. A recent proof makes it relayed. A
 * disputed or doubted certificate makes it dead. A node that does not observe the member first
 * gives an observer time.
 *
 * A suspicion that is over stays as "reported" while others accuse the member. Enough accusations
 * make a death in any state but relayed (`confirmation.ts`).
 */
import { FrameError } from '../base/errors.ts'
import type { DialFailure } from '../base/input.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Refutation, Statement } from '../facts/statement.ts'
import { Accusations } from './verdict/accusations.ts'
import type { Heartbeats } from './probing/heartbeats.ts'
import type { Contacts } from './probing/contacts.ts'
import { DirectProbes } from './suspicion/direct-probes.ts'
import { DisputedDeaths } from './verdict/disputed-deaths.ts'
import { HelpersVerdict } from './helpers-verdict.ts'
import { IndirectProbeHelper } from './suspicion/indirect-probe-helper.ts'
import { IndirectProbes, usualAnswer } from './suspicion/indirect-probes.ts'
import type { Batcher } from './suspicion/batcher.ts'
import type { ProbeScheduler } from './probing/probe-scheduler.ts'
import { ProofsOfLife, standDown } from './suspicion/proofs-of-life.ts'
import type { Refutations } from './verdict/refutations.ts'
import type { Suspicion } from './suspicion/suspicion.ts'
import type { Suspicions } from './suspicion/suspicions.ts'

/**
 * If accusations led to nothing, this many nodes probe the member besides its observers, on
 * average. Guess: an accuser asks six helpers, too.
 */
const helpers = 6

/**
 * Other nodes give a member's observers this time before they ask helpers, ms. Guess: observers
 * need 150 ms for a dead process.
 */
const observersFirst = 1_500

export interface LifecycleParts {
  readonly suspicions: Suspicions
  readonly contacts: Contacts
  readonly heartbeats: Heartbeats
  readonly refutations: Refutations
  readonly scheduler: ProbeScheduler
  readonly batcher: Batcher
}

export class SuspicionLifecycle {
  readonly direct: DirectProbes
  readonly indirect: IndirectProbes
  readonly helper: IndirectProbeHelper
  readonly accusations: Accusations
  readonly disputed: DisputedDeaths
  readonly proofs: ProofsOfLife
  readonly #context: Context
  readonly #parts: LifecycleParts
  readonly #verdict: HelpersVerdict

  /**
   * The parts report their findings here, and this class calls the next part:
   *
   * - `direct` probes a member. If the member does not answer, `indirect` asks helpers.
   * - `indirect` passes their answers to the verdict. The verdict has the member accused
   *   (`accusations`), relayed (`proofs`) or probed again (`direct`), or believes a certificate.
   * - `accusations` reports what others sign: accusations, refutations, and enough accusers for a
   *   death.
   * - `helper` answers other askers. It asks the verdict whether this node itself knows that a
   *   member is gone.
   * - `disputed` holds a death back. When the wait is over, this node believes the death.
   */
  constructor(context: Context, parts: LifecycleParts) {
    this.#context = context
    this.#parts = parts
    const { suspicions, contacts, heartbeats, refutations, scheduler, batcher } = parts
    this.proofs = new ProofsOfLife(context, { suspicions, contacts, heartbeats, isLeft: (suspicion) => this.#isLeft(suspicion) })
    const usual = (): Milliseconds => usualAnswer(scheduler.roundTrip)
    this.direct = new DirectProbes(context, { suspicions, scheduler, contacts }, (suspicion) => this.#timedOut(suspicion))
    this.helper = new IndirectProbeHelper(context, batcher, heartbeats, {
      isMissed: (id) => suspicions.get(id)?.isMissed === true,
      canTell: (id) => this.#verdict.canTell(id),
      // If a helper misses a member that it observes, it probes that member for itself.
      onMissed: (id) => {
        if (this.#isObserved(id)) this.suspect(id)
      },
      get probeTimeout(): Milliseconds {
        return scheduler.timeout
      },
      // The helper waits at most twice the usual time.
      get timeout(): Milliseconds {
        return Math.min(scheduler.timeout, 2 * usual())
      },
    })
    const sources = {
      observersOf: (id: NodeId) => suspicions.observersOf(id),
      canTell: (id: NodeId) => this.#verdict.canTell(id) || context.now >= this.#verdict.waitsUntil(id),
      isSuspected: (id: NodeId) => suspicions.get(id)?.isOwn === true,
      // The asker waits longer than the helper: the helper's answer takes time, too.
      get timeout(): Milliseconds {
        return scheduler.timeout * 1.5
      },
      get usual(): Milliseconds {
        return usual()
      },
      // A request over each link costs far less than an accusation. Possibly only one linked peer
      // reaches the member.
      wantsAll: (id: NodeId) => suspicions.get(id)?.evidence !== 'refused',
    }
    this.indirect = new IndirectProbes(context, batcher, sources, {
      onMissed: (id) => this.#verdict.missed(id),
      onUnknown: (id) => this.#verdict.unknown(id),
      onNoAnswer: (id) => this.#verdict.unanswered(id),
      onHelperSilent: (helper) => {
        if (!scheduler.isSlow) this.suspect(helper)
      },
    })
    this.accusations = new Accusations(
      context,
      { suspicions, heartbeats, refutations, batcher, scheduler },
      {
        onReported: (suspicion, isDirect) => this.#reported(suspicion, isDirect),
        onRefuted: (id, isFresh) => this.#refuted(id, isFresh),
      },
    )
    this.disputed = new DisputedDeaths(context, this.accusations.confirmation)
    const { direct, proofs, accusations } = this
    this.#verdict = new HelpersVerdict(context, { suspicions, contacts, scheduler, direct, proofs, accusations })
  }

  /** Begins to suspect a member that this node missed. */
  begin(id: NodeId): void {
    const suspicion = this.#parts.suspicions.open(id)
    if (suspicion !== undefined && !suspicion.isOwn) this.direct.begin(suspicion)
  }

  /** An observed member did not answer in time. */
  fellSilent(id: NodeId): void {
    const known = this.#parts.suspicions.get(id)
    if (known === undefined || known.state === 'reported') this.begin(id)
  }

  /**
   * Takes in a hint that this member may be gone (such as `maybeDead`, an accusation, a doubted
   * death). Probes the member at once, unless too many probes are under way.
   */
  suspect(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    // A proof from other nodes counts for a short time only.
    const isOld = suspicion?.state === 'relayed' && this.#context.now - this.#parts.heartbeats.provenAt(id) >= standDown
    if (suspicion !== undefined && suspicion.state !== 'reported' && !isOld) return
    if (this.direct.mayLook) this.begin(id)
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
    if (isFirst) this.begin(id)
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion !== undefined) this.direct.failed(suspicion, failure, isFirst)
  }

  /** Takes in a frame of a peer. */
  heard(peer: NodeId): void {
    if (this.#context.view.get(peer) !== undefined) this.#verdict.heard()
    if (this.#parts.suspicions.size > 0) this.reached(peer)
  }

  /** The member answered this node itself. */
  reached(id: NodeId): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion === undefined || suspicion.state === 'reported') return
    this.#parts.scheduler.heard(id)
    this.indirect.end(id)
    this.accusations.own.withdraw(suspicion)
    suspicion.enter('reported', this.#context.now)
    if (suspicion.accusations.size === 0) this.#parts.suspicions.delete(id)
  }

  /** Takes in a member's signature of its present heartbeat. Throws {@link FrameError}. */
  proven(from: NodeId, refutation: Statement<Refutation>): void {
    const { view, codec } = this.#context
    const { signer, content } = refutation
    if (!view.isAlive(signer, content.incarnation) || !this.#parts.heartbeats.isFresh(refutation)) return
    if (!codec.verify(refutation)) throw new FrameError('a refutation with a forged signature')
    this.#parts.heartbeats.signed(refutation, true)
    this.helper.reached(refutation)
    const suspicion = this.#parts.suspicions.get(signer)
    if (suspicion === undefined || from === signer || !(suspicion.isTimedOut || this.indirect.isUnderWay(signer))) return
    this.indirect.end(signer)
    suspicion.relay = from
    suspicion.refutedHeartbeat = undefined
    this.proofs.relayed(suspicion)
  }

  /**
   * Takes in a death that this node has reason not to believe. It may have too few accusers. A
   * small part of a split pool may have pronounced it. Or the member lived on after the
   * accusations.
   */
  unproven(certificate: Certificate): void {
    this.#verdict.doubt(certificate)
    this.suspect(certificate.suspect)
  }

  /** This process stalled for `lateness`. Frames that it missed prove nothing about members. */
  stalled(lateness: Milliseconds): void {
    this.#verdict.stalled(lateness)
    this.direct.stalled(lateness)
    this.indirect.stalled(lateness)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#parts.suspicions.delete(id)
    this.#parts.suspicions.viewChanged()
    this.indirect.end(id)
    this.helper.missed(id)
    this.disputed.forget(id)
    this.#verdict.forget(id)
  }

  clear(): void {
    for (const part of [this.#parts.suspicions, this.indirect, this.helper, this.accusations]) part.clear()
  }

  /** Does what is due in each suspicion. */
  due(): void {
    this.direct.due()
    this.accusations.due()
    for (const suspicion of this.#parts.suspicions.due()) if (this.#context.now >= suspicion.at('round')) this.#askAgain(suspicion)
    this.#parts.suspicions.arm()
  }

  /** Handles a member that did not answer this node in time. */
  #timedOut(suspicion: Suspicion): void {
    const { id } = suspicion
    const certificate = this.disputed.get(id)
    if (certificate !== undefined) {
      this.accusations.confirmation.believe(certificate) // This node can't reach the member either.
      return
    }
    this.helper.missed(id)
    // Most often the observers decide at once. A node that is no observer asks one observer, and
    // waits. It goes on if another node accuses the member, or after `observersFirst`: the
    // observers may be dead.
    const { now } = this.#context
    const observer = this.#isLeft(suspicion) ? this.#linkedObserver(id) : undefined
    if (observer !== undefined && now - suspicion.raised < observersFirst) {
      if (!suspicion.isTimedOut) this.#parts.batcher.ask(observer, id)
      suspicion.isTimedOut = true
      suspicion.advance('probe', suspicion.raised + observersFirst)
      return
    }
    if (this.proofs.isRecent(suspicion)) {
      this.proofs.refuted(suspicion, true)
      return
    }
    suspicion.enter('indirect', now)
    suspicion.rounds = 0
    // A node that does not observe the member asks one observer first. The observer knows.
    this.indirect.begin(id, this.#isObserved(id) ? undefined : this.#linkedObserver(id))
  }

  #askAgain(suspicion: Suspicion): void {
    suspicion.schedule('round', Infinity)
    if (suspicion.state === 'reported') {
      if (!this.accusations.confirmation.suffices(suspicion)) this.#probeAll(suspicion.id)
      return
    }
    if (suspicion.state === 'relayed' && this.#isLeft(suspicion)) {
      this.#parts.suspicions.delete(suspicion.id)
      return
    }
    suspicion.rounds += 1
    this.indirect.begin(suspicion.id, suspicion.relay)
  }

  /**
   * Others accuse the member. Its observers probe it at once. So does a node that received the
   * accusation over a link: its probe is needed. Other nodes first wait for enough accusations.
   */
  #reported(suspicion: Suspicion, isDirect: boolean): void {
    if (!this.indirect.isUnderWay(suspicion.id)) this.#verdict.seconded(suspicion)
    if (isDirect || this.#isObserved(suspicion.id)) this.suspect(suspicion.id)
    else if (suspicion.state === 'reported') suspicion.advance('round', this.#context.now + this.accusations.confirmation.refutationTime)
  }

  /**
   * Published accusations led to nothing: the observers may have died, too. The present observers
   * and a few other nodes probe the member.
   */
  #probeAll(id: NodeId): void {
    const { view } = this.#context
    if (this.#isObserved(id) || this.#context.random() * view.size < helpers) this.suspect(id)
  }

  /** Accusations were refuted, or expired. `isFresh`: the member signed a moment ago. */
  #refuted(id: NodeId, isFresh: boolean): void {
    const suspicion = this.#parts.suspicions.get(id)
    if (suspicion === undefined) return
    const { state } = suspicion
    const isVoid = state === 'accused' && !suspicion.accusations.has(this.#context.id)
    if (isVoid || (isFresh && (state === 'indirect' || state === 'relayed'))) {
      this.indirect.end(id)
      this.proofs.refuted(suspicion, isFresh)
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

  /** True if this node does not observe the member, and nobody accuses the member. */
  #isLeft({ id, accusations }: Suspicion): boolean {
    return !this.#isObserved(id) && accusations.size === 0
  }

  /** True if this node is one of the member's observers. Both observe each other. */
  #isObserved(id: NodeId): boolean {
    return this.#parts.scheduler.observed.has(id)
  }
}
