/**
 * The failure detector: from a first missed probe to a death that this node believes (SWIM, DSN'02;
 * Lifeguard, DSN'18; observers as in Rapid, ATC'18).
 *
 * Each member is probed about once in two seconds, by one of its observers in turn
 * (`probe-scheduler.ts`, `probe-turns.ts`). An observer that gets no answer probes it at once in
 * all ways (`direct-probes.ts`), for a time that depends on the kind of failure
 * (`suspicion-timeout.ts`). If the member does not answer in time, the observer probes it through
 * others (`indirect-probes.ts`). If one of them reaches it, it lives, and the observer probes it
 * through them ever more rarely. If they fail, too, the observer accuses it (`accusations.ts`).
 * Then its other observers probe it, and enough accusers make a death.
 *
 * A node without any answering helper may be cut off itself. Above two members it accuses nobody,
 * unless it has heard no member for long (docs/decisions).
 */
import { FrameError } from '../base/errors.ts'
import type { DialFailure, HostProbeOutcome, Milliseconds, NodeId } from '../base/io.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import { probeLinkTime, type Link } from '../context/links.ts'
import type { Timed, TimerName } from '../context/timers.ts'
import type { Certificate } from '../facts/certificate.ts'
import { isKind, type Refutation, type Statement } from '../facts/statement.ts'
import type { Alarm, PingReqAck } from '../frames/message.ts'
import type * as wire from '../wire/messages.js'
import { Accusations } from './accusations.ts'
import { Beats, slack } from './beats.ts'
import { Contacts } from './contacts.ts'
import { DirectProbes } from './direct-probes.ts'
import { DisputedDeaths } from './disputed-deaths.ts'
import { IndirectProbeHelper } from './indirect-probe-helper.ts'
import { IndirectProbes } from './indirect-probes.ts'
import { Outbox } from './outbox.ts'
import { ProbeScheduler } from './probe-scheduler.ts'
import { ProbeTurns } from './probe-turns.ts'
import { smallPool } from './quorum.ts'
import { Refutations } from './refutations.ts'
import type { Suspicion } from './suspicion.ts'
import { Suspicions } from './suspicions.ts'

/**
 * An observer asks helpers for a relayed member again after this time, ms. Each later pause is four
 * times as long. Measured (simulated, sixty, thirty and ten nodes of which the two larger sites are
 * cut apart, seed 1): a node received 1.0 KB/s, and 2.3 with half a minute. Nodes that reach the
 * member look after it meanwhile.
 */
const relayPause = 120_000
/** Longest such pause, ms. Guess. */
const longestRelayPause = 300_000
/**
 * Other nodes take it for reachable for this time, ms, and ask again when their next dial fails.
 * Guess: as long as the longest pause between two dials.
 */
const relayedFor = 32_000

/**
 * For this time after a proof of a member's life nobody accuses it, ms. Guess: above the pause
 * between the refutations that it publishes.
 */
const standDown = 8_000

/** A node without helpers asks again after this time, ms, doubling up to the longest. Guess. */
const retry = 500
const longestRetry = 2_000

/**
 * Average number of receivers of an accusation that probe the member themselves if the accusation
 * led to nothing. Guess: six, as an accuser asks six helpers.
 */
const helpers = 6

/**
 * The time of a helper's answer. It takes this many round trips if the helper has to dial the
 * subject (TCP, Noise, hello). The second constant is for requests and answers, which are gathered
 * four times on the way, ms. Guess.
 */
const roundTrips = 8
const gathering = 80
/**
 * Upper bound of these round trips, ms. If answers take seconds, the machine is overloaded, and
 * proportional waits would keep it so. Guess: as long as the network alone ever takes.
 */
const longestUsual = 2_000

/**
 * Time of a member's observers before others ask for indirect probes, ms. Guess: the observers of a
 * dead process need a tenth of it.
 */
const observersFirst = 1_500

/**
 * A node that has heard no member for this time accuses, by itself, members whose hosts refuse, ms.
 * Guess: a firewall that rejects everything is rare, the last process of a pool is not.
 */
const aloneAmongRefusals = 5_000
/** The same for silent members, ms. Guess: few outages of a node's own network are longer. */
const aloneInSilence = 3_600_000

/** The timers of failure detection. */
export type DetectionTimer = Extract<
  TimerName,
  'health' | 'probe' | 'suspicion' | 'indirectProbe' | 'helper' | 'refutation' | 'disputedDeath' | 'detectionMessages'
>

export class FailureDetector {
  readonly accusations: Accusations
  /** The parts with timers. */
  readonly timed: Readonly<Record<DetectionTimer, Timed>>
  readonly #context: Context
  readonly #suspicions: Suspicions
  readonly #beats: Beats
  readonly #refutations: Refutations
  readonly #outbox: Outbox
  readonly #turns: ProbeTurns
  readonly #scheduler: ProbeScheduler
  readonly #contacts: Contacts
  readonly #direct: DirectProbes
  readonly #indirect: IndirectProbes
  readonly #helper: IndirectProbeHelper
  readonly #disputed: DisputedDeaths
  /** Time of the last frame from a member. */
  #heardAt: Milliseconds = 0
  /** See {@link unproven}. */
  readonly #unproven = new Map<NodeId, Certificate>()

  constructor(context: Context) {
    this.#context = context
    const suspicions = new Suspicions(context)
    const beats = new Beats(context)
    const refutations = new Refutations(context)
    const scheduler = new ProbeScheduler(context, (id) => this.#fellSilent(id))
    const outbox = new Outbox(context, () => (scheduler.isSlow ? scheduler.roundTrip : 0))
    this.#turns = new ProbeTurns(
      context,
      () => refutations.beat,
      (id) => this.#isObserved(id),
    )
    const contacts = new Contacts(context)
    this.#direct = new DirectProbes(context, { suspicions, scheduler, contacts }, (suspicion) => this.#timedOut(suspicion))
    this.#helper = new IndirectProbeHelper(context, outbox, beats, {
      isMissed: (id) => this.#isMissed(id),
      canTell: (id) => this.#canTell(id),
      // If one observer misses a member, this one looks at once.
      onMissed: (id) => {
        if (this.#isObserved(id)) this.suspect(id)
      },
      get probeTimeout(): Milliseconds {
        return scheduler.timeout
      },
      // The helper returns answers for as long as the asker waits.
      get timeout(): Milliseconds {
        return Math.min(scheduler.timeout, 2 * (gathering + Math.min(scheduler.roundTrip * roundTrips, longestUsual)))
      },
    })
    const sources = {
      observersOf: (id: NodeId) => suspicions.observersOf(id),
      canTell: (id: NodeId) => this.#canTell(id) || this.#context.now >= this.#waitsUntil(id),
      isSuspected: (id: NodeId) => this.isSuspected(id),
      // A helper waits for the subject, and both answers take their time.
      get timeout(): Milliseconds {
        return scheduler.timeout * 1.5
      },
      get usual(): Milliseconds {
        return gathering + Math.min(scheduler.roundTrip * roundTrips, longestUsual)
      },
      // That costs far less than an accusation, and the last link may be the only one that reaches
      // it.
      wantsAll: (id: NodeId) => suspicions.get(id)?.evidence !== 'refused',
    }
    this.#indirect = new IndirectProbes(context, outbox, sources, {
      onMissed: (id) => this.#missedByHelpers(id),
      onUnknown: (id) => this.#unknownToHelpers(id),
      onNoAnswer: (id) => this.#noHelperAnswered(id),
      onHelperSilent: (helper) => {
        if (!scheduler.isSlow) this.suspect(helper)
      },
    })
    const parts = { suspicions, beats, refutations, outbox, roundTrip: () => scheduler.roundTrip }
    this.accusations = new Accusations(context, parts, {
      onDeath: (certificate, after) => this.#died(certificate, after),
      onReported: (suspicion, isDirect) => this.#reported(suspicion, isDirect),
      onRefuted: (id, isFresh) => this.#refuted(id, isFresh),
    })
    this.#disputed = new DisputedDeaths(context, (certificate) => this.#foundTrue(certificate))
    this.#contacts = contacts
    this.#suspicions = suspicions
    this.#beats = beats
    this.#refutations = refutations
    this.#outbox = outbox
    this.#scheduler = scheduler
    this.timed = {
      health: scheduler.health,
      probe: scheduler,
      suspicion: { due: () => this.#suspicionsDue() },
      indirectProbe: this.#indirect,
      helper: this.#helper,
      refutation: { due: () => this.accusations.publishRefutation() },
      disputedDeath: this.#disputed,
      detectionMessages: outbox,
    }
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
    this.#direct.linkUp(peer)
    this.#reached(peer)
    for (const part of [this.#scheduler, this.#helper, this.accusations, this.#disputed]) part.linkUp(peer)
  }

  /** Handles a broken link. Deliberate ends (`goodbye`) raise no suspicion. */
  linkLost(link: Link): void {
    const { peer, goodbye } = link
    this.#scheduler.forget(peer)
    this.#turns.linkLost(peer)
    this.#contacts.linkLost(link)
    this.#direct.linkLost(peer)
    this.#indirect.linkLost(peer)
    if (goodbye) return
    this.#begin(peer)
    // Members that the peer reached for this node may be out of reach.
    const soon = this.#context.now + standDown
    for (const suspicion of this.#suspicions.values())
      if (suspicion.state === 'relayed' && suspicion.relay === peer) suspicion.advance('round', soon)
  }

  /** Takes in a frame. Any frame is a sign of life. */
  heard(peer: NodeId): void {
    if (this.#context.view.get(peer) !== undefined) this.#heardAt = this.#context.now
    if (this.#suspicions.size > 0) this.#reached(peer)
  }

  /** Answers a probe. */
  probed(from: NodeId, sequence: number): void {
    this.#turns.answer(sequence, from)
  }

  acknowledged(from: NodeId, { sequence, nextInMs, beat }: wire.Ack): void {
    this.#beats.heard(from, beat)
    this.#scheduler.acknowledged(from, sequence, nextInMs)
  }

  /** Handles a peer's request to probe others for it, or to sign that this node is here. */
  asked(from: NodeId, subjects: readonly NodeId[]): void {
    const { id, now, links } = this.#context
    for (const subject of subjects) {
      if (subject !== id) this.#helper.request(from, subject)
      else {
        this.#outbox.reached(from, this.#refutations.sign())
        // A helper that has just connected for that wants nothing else.
        const link = links.get(from)
        if (link !== undefined && now - link.since < probeLinkTime) link.isProbeLink = true
      }
    }
  }

  /** Takes in the results of indirect probes. Throws {@link FrameError}. */
  helped(from: NodeId, { reached, missed, unknown }: PingReqAck): void {
    for (const statement of reached) if (isKind(statement, 'refutation')) this.#proven(from, statement)
    for (const id of missed) this.#indirect.missed(from, id, 'missed')
    for (const id of unknown) this.#indirect.missed(from, id, 'unknown')
  }

  /** Takes in suspicions and refutations of others. Throws {@link FrameError}. */
  alarmed(from: NodeId, { statements }: Alarm): void {
    for (const statement of statements) this.accusations.receive(from, statement)
  }

  /**
   * Takes in a hint that this member may be gone (`maybeDead`, an accusation, a disputed death):
   * probes it at once.
   */
  suspect(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    // The proof of others counts for a short time only.
    const isOld = suspicion?.state === 'relayed' && this.#context.now - this.#beats.provenAt(id) >= standDown
    if (suspicion !== undefined && suspicion.state !== 'reported' && !isOld) return
    if (this.#direct.mayLook) this.#begin(id)
  }

  /** Handles a failed dial of a member. */
  unreachable(id: NodeId, failure: DialFailure): void {
    this.#helper.unreachable(id)
    this.accusations.unreachable(id)
    if (this.#context.links.has(id) || this.#context.view.get(id) === undefined) return
    const known = this.#suspicions.get(id)
    // Helpers reach it, so this failure is no news.
    if (known?.state === 'relayed') return
    const isFirst = known?.isOwn !== true
    // If all are slow, a handshake that did not end in time proves nothing.
    if (isFirst && failure === 'unresponsive' && this.#scheduler.isSlow) return
    if (isFirst) this.#begin(id)
    const suspicion = this.#suspicions.get(id)
    if (suspicion !== undefined) this.#direct.failed(suspicion, failure, isFirst)
  }

  hostProbed(id: NodeId, outcome: HostProbeOutcome): void {
    this.#helper.hostProbed(id, outcome)
    const suspicion = this.#suspicions.get(id)
    if (suspicion !== undefined) this.#direct.hostProbed(suspicion, outcome)
  }

  /**
   * Takes in a death that enough others certified, although this node is in contact with the
   * member, or knows that it lived long after.
   */
  dispute(certificate: Certificate, isOutlived: boolean): void {
    this.#disputed.hold(certificate, isOutlived)
    if (!isOutlived) this.#begin(certificate.suspect)
  }

  /**
   * Takes in a death that this node has reason not to believe. It has too few accusers for this
   * node, as a smaller remainder pronounced it, also of a later life than this node knows. Or the
   * member has outlived it. Once this node has missed the member directly and through helpers, the
   * certificate is the proof.
   */
  unproven(certificate: Certificate): void {
    this.#unproven.set(certificate.suspect, certificate)
    this.suspect(certificate.suspect)
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
    this.#suspicions.delete(id)
    this.#suspicions.viewChanged()
    this.#indirect.end(id)
    this.#helper.missed(id)
    this.#disputed.forget(id)
    this.#unproven.delete(id)
    this.#contacts.forget(id)
    this.#scheduler.forget(id)
    this.#beats.forget(id)
    this.#refutations.forget(id)
  }

  /** This process stalled for `lateness`. Frames that it missed prove nothing about others. */
  stalled(lateness: Milliseconds): void {
    this.#scheduler.health.degrade()
    this.#heardAt += lateness
    this.#scheduler.stalled(lateness)
    this.#direct.stalled(lateness)
    this.#indirect.stalled(lateness)
  }

  /** Forgets all knowledge of members. */
  clear(): void {
    for (const part of [this.#suspicions, this.#indirect, this.#helper, this.accusations, this.#outbox, this.#beats]) part.clear()
  }

  #suspicionsDue(): void {
    this.#direct.due()
    this.accusations.due()
    for (const suspicion of this.#suspicions.due()) if (this.#context.now >= suspicion.at('round')) this.#askAgain(suspicion)
    this.#suspicions.arm()
  }

  /** An observed member did not answer in time. */
  #fellSilent(id: NodeId): void {
    const known = this.#suspicions.get(id)
    if (known === undefined || known.state === 'reported') this.#begin(id)
  }

  #begin(id: NodeId): void {
    const suspicion = this.#suspicions.open(id)
    if (suspicion !== undefined && !suspicion.isOwn) this.#direct.begin(suspicion)
  }

  /** The member answered this node itself. */
  #reached(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    if (suspicion === undefined || suspicion.state === 'reported') return
    this.#scheduler.heard(id)
    this.#indirect.end(id)
    this.accusations.withdraw(suspicion)
    suspicion.enter('reported', this.#context.now)
    if (suspicion.accusations.size === 0) this.#suspicions.delete(id)
  }

  /** It did not answer this node in time. */
  #timedOut(suspicion: Suspicion): void {
    const { id } = suspicion
    const certificate = this.#disputed.get(id)
    if (certificate !== undefined) {
      this.#foundTrue(certificate) // The missing proof: this node can't reach it either.
      return
    }
    this.#helper.missed(id)
    // Observers decide, and most often at once. Other nodes only have the broken link. They accuse
    // if somebody else does, or if the observers died, too.
    const { now } = this.#context
    const observer = this.#isLeft(suspicion) ? this.#linkedObserver(id) : undefined
    if (observer !== undefined && now - suspicion.raised < observersFirst) {
      if (!suspicion.isTimedOut) this.#outbox.ask(observer, id)
      suspicion.isTimedOut = true
      suspicion.advance('probe', suspicion.raised + observersFirst)
      return
    }
    if (this.#wasProven(suspicion)) {
      this.#livesByRefutation(suspicion, true)
      return
    }
    suspicion.enter('indirect', now)
    suspicion.rounds = 0
    // The observers know the answer for a node without this task.
    this.#indirect.begin(id, this.#isObserved(id) ? undefined : this.#linkedObserver(id))
  }

  #askAgain(suspicion: Suspicion): void {
    suspicion.schedule('round', Infinity)
    if (suspicion.state === 'reported') {
      if (!this.accusations.confirmation.suffices(suspicion)) this.#probeAll(suspicion.id)
      return
    }
    if (suspicion.state === 'relayed' && this.#isLeft(suspicion)) {
      this.#suspicions.delete(suspicion.id)
      return
    }
    suspicion.rounds += 1
    this.#indirect.begin(suspicion.id, suspicion.relay)
  }

  /**
   * Others accuse it. Its observers probe it at once, and so does a node that received the
   * accusation over a link, as its probe is needed. Other nodes wait to see if the accusations
   * suffice.
   */
  #reported(suspicion: Suspicion, isDirect: boolean): void {
    if (suspicion.state === 'indirect' && isSeconded(suspicion) && !this.#indirect.isUnderWay(suspicion.id)) {
      this.#missedByHelpers(suspicion.id)
    }
    if (isDirect || this.#isObserved(suspicion.id)) this.suspect(suspicion.id)
    else if (suspicion.state === 'reported') suspicion.advance('round', this.#context.now + this.accusations.confirmation.refutationTime)
  }

  /**
   * Published accusations led to nothing, as the observers may have died, too. The present
   * observers probe the member, and a few other nodes.
   */
  #probeAll(id: NodeId): void {
    const { view } = this.#context
    if (this.#isObserved(id) || this.#context.random() * view.size < helpers) this.suspect(id)
  }

  /** Takes in a member's signature of its present beat. Throws {@link FrameError}. */
  #proven(from: NodeId, refutation: Statement<Refutation>): void {
    const { view, codec } = this.#context
    const { signer, content } = refutation
    if (!view.isAlive(signer, content.incarnation) || !this.#beats.isFresh(refutation)) return
    if (!codec.verify(refutation)) throw new FrameError('a refutation with a forged signature')
    this.#beats.signed(refutation, true)
    this.#helper.reached(refutation)
    const suspicion = this.#suspicions.get(signer)
    if (suspicion === undefined || from === signer || !(suspicion.isTimedOut || this.#indirect.isUnderWay(signer))) return
    this.#indirect.end(signer)
    suspicion.relay = from
    suspicion.refutedBeat = undefined
    this.#lives(suspicion)
  }

  /**
   * True if others reached it a moment ago, after this node began to miss it. Nobody accuses it for
   * that moment.
   */
  #wasProven({ id, raised }: Suspicion): boolean {
    const provenAt = this.#beats.provenAt(id)
    return provenAt >= raised && this.#context.now - provenAt < standDown
  }

  /** Others reach a member that this node does not, so it lives. */
  #lives(suspicion: Suspicion): void {
    const { now } = this.#context
    const isSure = this.#contacts.relayed(suspicion.id)
    if (suspicion.state !== 'relayed') {
      suspicion.enter('relayed', now)
      suspicion.rounds = 0
      // The link is up but nothing comes through. Without it, the next dial shows when the path is
      // free again.
      this.#context.closeLink(suspicion.id, 'reached through others only')
    }
    const long = Math.min(relayPause * 4 ** Math.min(suspicion.rounds, 16), longestRelayPause)
    const pause = this.#isLeft(suspicion) ? relayedFor : long
    suspicion.schedule('round', now + this.#context.jitter(pause))
    if (isSure) return
    // The proof may be older than its death, so this round does not count.
    suspicion.rounds -= 1
    suspicion.advance('round', now + standDown + this.#context.jitter(gathering))
  }

  /**
   * A member refuted an accusation, and no helper of this node reached it. It may have signed that
   * just before it went, and the same refutation comes on several ways. So the refutation counts
   * for a moment only, until the member signs another one later. If an accusation only expired (not
   * `isFresh`), the member counts as alive for a little longer.
   */
  #livesByRefutation(suspicion: Suspicion, isFresh: boolean): void {
    const { now } = this.#context
    const beat = this.#beats.of(suspicion.id)
    const isSure = isFresh && beat - (suspicion.refutedBeat ?? Infinity) > slack
    this.#lives(suspicion)
    if (isSure) return
    suspicion.refutedBeat = isFresh ? (suspicion.refutedBeat ?? beat) : undefined
    const pause = isFresh ? standDown + this.#context.jitter(gathering) : this.#context.jitter(relayedFor)
    suspicion.advance('round', now + pause)
  }

  #missedByHelpers(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    const certificate = this.#unproven.get(id)
    if (suspicion?.state === 'indirect' && certificate !== undefined) this.#foundTrue(certificate)
    else if (suspicion?.state === 'indirect' && this.#wasProven(suspicion)) this.#livesByRefutation(suspicion, true)
    else if (suspicion?.state === 'indirect') this.accusations.accuse(suspicion)
    // This node's own finding is old.
    else if (suspicion?.state === 'relayed') this.#direct.begin(suspicion)
  }

  /** Neither this node nor any helper can tell: another node may reach it, and stand still. */
  #unknownToHelpers(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    if (suspicion?.state === 'relayed') this.#direct.begin(suspicion)
    if (suspicion?.state !== 'indirect') return
    if (isSeconded(suspicion)) {
      this.#missedByHelpers(id)
      return
    }
    const until = Math.max(this.#context.now + longestRetry, this.#waitsUntil(id))
    suspicion.schedule('round', until + this.#context.jitter(retry))
  }

  /** No helper exists, or none answers: this node may be cut off itself. */
  #noHelperAnswered(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    const { now, view } = this.#context
    if (suspicion?.state === 'relayed') this.#direct.begin(suspicion)
    if (suspicion?.state !== 'indirect') return
    const alone = now - this.#heardAt
    const isSure = alone >= (suspicion.evidence === 'refused' ? aloneAmongRefusals : aloneInSilence)
    if (view.size <= smallPool || isSure) {
      this.accusations.accuse(suspicion)
      return
    }
    this.#scheduler.health.degrade()
    // If all are slow, answers come later.
    if (!this.#scheduler.isSlow) this.#context.outcomes.push({ type: 'isolated' })
    suspicion.schedule('round', now + this.#context.jitter(Math.min(retry * 2 ** Math.min(suspicion.rounds, 16), longestRetry)))
  }

  /** Accusations were refuted, or expired. `isFresh`: the member signed a moment ago. */
  #refuted(id: NodeId, isFresh: boolean): void {
    const suspicion = this.#suspicions.get(id)
    if (suspicion === undefined) return
    const { state } = suspicion
    const isVoid = state === 'accused' && !suspicion.accusations.has(this.#context.id)
    if (isVoid || (isFresh && (state === 'indirect' || state === 'relayed'))) {
      this.#indirect.end(id)
      this.#livesByRefutation(suspicion, isFresh)
    }
    if (state === 'reported' && suspicion.accusations.size === 0) this.#suspicions.delete(id)
  }

  #linkedObserver(id: NodeId): NodeId | undefined {
    const { links } = this.#context
    return pickOne(
      () => this.#context.random(),
      [...this.#suspicions.observersOf(id)].filter((observer) => links.has(observer)),
    )
  }

  /** True if this node can tell by itself, without helpers. */
  #canTell(id: NodeId): boolean {
    const suspicion = this.#suspicions.get(id)
    return this.#contacts.canTell(id, suspicion?.isOwn === true ? suspicion.missedSince : this.#context.now)
  }

  /**
   * Returns the time by which a process that reaches the member, and has stood still since this
   * node began to miss it, is back or dead.
   */
  #waitsUntil(id: NodeId): Milliseconds {
    const { unresponsive } = this.#context.config.detection
    return (this.#suspicions.get(id)?.missedSince ?? this.#context.now) + Math.max(unresponsive, this.#scheduler.late)
  }

  /** True if the probes are the task of others, and nobody accuses it. */
  #isLeft({ id, accusations }: Suspicion): boolean {
    return !this.#isObserved(id) && accusations.size === 0
  }

  /** True if this node is one of the member's observers. Both observe each other. */
  #isObserved(id: NodeId): boolean {
    return this.#scheduler.observed.has(id)
  }

  /** True if this node would answer a request to probe this member without another attempt. */
  #isMissed(id: NodeId): boolean {
    const suspicion = this.#suspicions.get(id)
    return suspicion !== undefined && (suspicion.isTimedOut || ['indirect', 'accused', 'relayed'].includes(suspicion.state))
  }

  /** Believes a certified death that this node doubted at first. */
  #foundTrue(certificate: Certificate): void {
    const accusers = certificate.accusers.map(({ signer }) => signer)
    this.#died(certificate, this.accusations.confirmation.waitFor(this.#suspicions.rankAmong(accusers, certificate.suspect)))
  }

  #died(certificate: Certificate, after: Milliseconds | undefined): void {
    this.#context.outcomes.push({ type: 'certified', certificate, after, isLone: !this.#suspicions.areSeveral })
  }
}

/**
 * Returns whether another member accuses one whose host refuses this node. An accusation then
 * counts as a helper's "missed" (docs/decisions/0065). Where the host is silent it does not: the
 * accuser and this node may stand on one side of a cut. By ablation (simulated, 300 seeds of a
 * bridge that stands still): 152 of 600 runs lose a life if it does, 6 with this rule or without.
 */
function isSeconded({ evidence, accusations }: Suspicion): boolean {
  return evidence === 'refused' && accusations.size > 0
}
