/**
 * The failure detector: from a first missed probe to a death that this node believes (SWIM, DSN'02; Lifeguard, DSN'18; observers as in Rapid, ATC'18).
 *
 * Each member is probed about once in two seconds, by one of its observers in turn (`probe-scheduler.ts`, `probe-turns.ts`). An observer that gets no answer probes
 * it at once by all ways (`direct-probes.ts`); how long depends on the kind of failure (`suspicion-timeout.ts`). A member that did not answer in time is
 * probed through others (`indirect-probes.ts`): if one of them reaches it, it lives, and is asked for through them ever more rarely; if they fail, too, this
 * node accuses it (`accusations.ts`), its other observers probe it, and enough accusers make a death.
 *
 * A node that no helper answers may be cut off itself: above two members it accuses nobody, unless it has heard no member for long (docs/decisions).
 */
import { FrameError } from '../base/errors.ts'
import type { DialFailure, HostProbeOutcome, Milliseconds, NodeId } from '../base/io.ts'
import { pickOne } from '../base/random.ts'
import type { Context, Timed } from '../context/context.ts'
import { probeLinkTime, type Link } from '../context/links.ts'
import type { Certificate } from '../facts/certificate.ts'
import { isKind, type Refutation, type Statement } from '../facts/statement.ts'
import type { Alarm, PingReqAck } from '../frames/message.ts'
import type * as wire from '../wire/messages.js'
import { Accusations } from './accusations.ts'
import { Beats, slack } from './beats.ts'
import { Contacts } from './contacts.ts'
import { DirectProbes } from './direct-probes.ts'
import { DisputedDeaths } from './disputed-deaths.ts'
import { HealthMultiplier } from './health-multiplier.ts'
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
 * An observer asks for a member that only helpers reach again after this, ms; each later time after four times as long. Measured (simulated, sixty, thirty and ten nodes of which
 * the two larger sites are cut apart, seed 1): a node received 1.0 KB/s, and 2.3 with half a minute. Those who reach the member look after it meanwhile.
 */
const relayPause = 120_000
/** Longest such pause, ms. Guess. */
const longestRelayPause = 300_000
/** Others take it for reachable so long, ms, and ask again when their next dial fails. Guess: as long as the longest pause between two dials. */
const relayedFor = 32_000

/** For so long after a member was proven to live nobody accuses it, ms. Guess: above the pause between the refutations that it publishes. */
const standDown = 8_000

/** A node without helpers asks again after this, ms, doubling up to the longest. Guess. */
const retry = 500
const longestRetry = 2_000

/** So many of those who hear of an accusation probe themselves where nothing came of it, on average. Guess: six, as an accuser asks six helpers. */
const helpers = 6

/**
 * A helper's answer takes so many round trips where it has to dial the subject (TCP, Noise, hello), and up to so long, ms, as requests and answers are
 * gathered on the way four times. Guess.
 */
const roundTrips = 8
const gathering = 80
/** Where answers take seconds the machine has too much to do, and waits in proportion would keep it there, ms. Guess: as long as the network alone ever takes. */
const longestUsual = 2_000

/** A member's observers have this long, ms, before others ask for indirect probes. Guess: those of a dead process need a tenth of it. */
const observersFirst = 1_500

/**
 * A node that heard no member for this long pronounces dead, by itself, members whose hosts refuse, ms. Guess: a firewall that rejects everything is seldom, the
 * last process of a pool is not.
 */
const aloneAmongRefusals = 5_000
/** The same for silent members, ms. Guess: few outages of one's own network are longer. */
const aloneInSilence = 3_600_000

export class FailureDetector implements Timed {
  readonly accusations: Accusations
  readonly #context: Context
  readonly #suspicions: Suspicions
  readonly #health: HealthMultiplier
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
  readonly #timed: readonly Timed[]
  /** When a member was last heard. */
  #heardAt: Milliseconds = 0
  /** See {@link unproven}. */
  readonly #unproven = new Map<NodeId, Certificate>()

  constructor(context: Context) {
    this.#context = context
    const suspicions = new Suspicions(context)
    const health = new HealthMultiplier(context)
    const beats = new Beats(context)
    const refutations = new Refutations(context)
    const scheduler = new ProbeScheduler(context, health, (id) => this.#fellSilent(id))
    const outbox = new Outbox(context, () => (scheduler.isSlow ? scheduler.roundTrip : 0))
    this.#turns = new ProbeTurns(
      context,
      () => refutations.beat,
      (id) => this.#isObserved(id),
    )
    const contacts = new Contacts(context)
    this.#direct = new DirectProbes(context, { suspicions, scheduler, health, contacts }, (suspicion) => this.#timedOut(suspicion))
    this.#helper = new IndirectProbeHelper(context, outbox, beats, {
      isMissed: (id) => this.#isMissed(id),
      canTell: (id) => this.#canTell(id),
      // The observers of a member that one of them misses look at once.
      onMissed: (id) => {
        if (this.#isObserved(id)) this.suspect(id)
      },
      get probeTimeout(): Milliseconds {
        return scheduler.timeout
      },
      // It brings the answer as long as it is waited for.
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
      // Where a host is silent that costs far less than to accuse it, and the one that reaches it may be the last.
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
    this.#health = health
    this.#beats = beats
    this.#refutations = refutations
    this.#outbox = outbox
    this.#scheduler = scheduler
    this.#timed = [health, scheduler, this.#direct, this.#indirect, this.#helper, this.accusations, this.#disputed, outbox]
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    for (const { nextDue } of this.#timed) next = Math.min(next, nextDue)
    return next
  }

  /** Members that this node is not sure of. */
  get suspected(): number {
    return this.#suspicions.size === 0 ? 0 : this.#suspicions.own
  }

  /** Members that only others reach. */
  get relayed(): number {
    return this.#suspicions.relayed
  }

  /** Nothing but probing is going on: it has nothing to tell the pool. */
  get isIdle(): boolean {
    return this.#suspicions.size === 0 && this.#refutations.nextDue === Infinity
  }

  /** This node is not sure that the member lives. */
  isSuspected(id: NodeId): boolean {
    return this.#suspicions.get(id)?.isOwn === true
  }

  /** This node missed it directly and through helpers, and signed that. */
  isAccused(id: NodeId): boolean {
    return this.#suspicions.isAccused(id)
  }

  /** A link is up and nothing speaks against the member. */
  isInContact(id: NodeId): boolean {
    return this.#context.links.has(id) && !this.isSuspected(id)
  }

  /** Whom to probe. */
  observe(members: ReadonlySet<NodeId>): void {
    this.#scheduler.observe(members)
  }

  linkUp(peer: NodeId): void {
    this.#contacts.linkUp(peer)
    this.#direct.linkUp(peer)
    this.#reached(peer)
    for (const part of [this.#scheduler, this.#helper, this.accusations, this.#disputed]) part.linkUp(peer)
  }

  /** A link broke. Deliberate ends (`goodbye`) raise no suspicion. */
  linkLost(link: Link): void {
    const { peer, goodbye } = link
    this.#scheduler.forget(peer)
    this.#turns.linkLost(peer)
    this.#contacts.linkLost(link)
    this.#direct.linkLost(peer)
    this.#indirect.linkLost(peer)
    if (goodbye) return
    this.#begin(peer)
    // Those that it reached for this node may be out of reach now.
    const soon = this.#context.now + standDown
    for (const suspicion of this.#suspicions.values())
      if (suspicion.state === 'relayed' && suspicion.relay === peer) suspicion.advance('round', soon)
  }

  /** Any frame is a sign of life. */
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

  /** A peer asks this node to probe others for it, or to sign that it is there. */
  asked(from: NodeId, subjects: readonly NodeId[]): void {
    const { id, now, links } = this.#context
    for (const subject of subjects) {
      if (subject !== id) this.#helper.request(from, subject)
      else {
        this.#outbox.reached(from, this.#refutations.sign())
        // A helper that has just come to ask that wants nothing else.
        const link = links.get(from)
        if (link !== undefined && now - link.since < probeLinkTime) link.isProbeLink = true
      }
    }
  }

  /** What came of indirect probes. Throws {@link FrameError}. */
  helped(from: NodeId, { reached, missed, unknown }: PingReqAck): void {
    for (const statement of reached) if (isKind(statement, 'refutation')) this.#proven(from, statement)
    for (const id of missed) this.#indirect.missed(from, id, 'missed')
    for (const id of unknown) this.#indirect.missed(from, id, 'unknown')
  }

  /** What others suspect and refute. Throws {@link FrameError}. */
  alarmed(from: NodeId, { statements }: Alarm): void {
    for (const statement of statements) this.accusations.receive(from, statement)
  }

  /** A hint that this member may be gone (`maybeDead`, an accusation, a disputed death): probe it now. */
  suspect(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    // That others reached it is no news for long.
    const isOld = suspicion?.state === 'relayed' && this.#context.now - this.#beats.provenAt(id) >= standDown
    if (suspicion !== undefined && suspicion.state !== 'reported' && !isOld) return
    if (this.#direct.mayLook) this.#begin(id)
  }

  /** A dial to a member came to nothing. */
  unreachable(id: NodeId, failure: DialFailure): void {
    this.#helper.unreachable(id)
    this.accusations.unreachable(id)
    if (this.#context.links.has(id) || this.#context.view.get(id) === undefined) return
    const known = this.#suspicions.get(id)
    // Helpers reach it: that this node does not is known.
    if (known?.state === 'relayed') return
    const isFirst = known?.isOwn !== true
    // Where all are slow a handshake that did not end in time proves nothing.
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

  /** A death that enough others certified, of a member that this node is in contact with, or knows to have lived long after. */
  dispute(certificate: Certificate, isOutlived: boolean): void {
    this.#disputed.hold(certificate, isOutlived)
    if (!isOutlived) this.#begin(certificate.suspect)
  }

  /**
   * A death that this node has reason not to believe: with too few accusers for it, as a smaller remainder pronounced it, also of a later life than it knows; or
   * one that the member has outlived. Once this node has missed the member directly and through helpers, it is the proof.
   */
  unproven(certificate: Certificate): void {
    this.#unproven.set(certificate.suspect, certificate)
    this.suspect(certificate.suspect)
  }

  /** So many accusers whom this node knows make it believe that the member died. */
  accusersToBelieve(id: NodeId): number {
    return this.accusations.confirmation.quorum.toBelieve(id)
  }

  /** A death with too few accusers that this node knows, or that the member has outlived: each of them is a suspicion. */
  report(accusations: readonly Statement[]): void {
    for (const accusation of accusations) if (isKind(accusation, 'suspicion')) this.accusations.hear(accusation, undefined)
  }

  /** A member is dead: how long that took to find out. */
  measure(id: NodeId): void {
    const { now, services } = this.#context
    const suspicion = this.#suspicions.get(id)
    if (suspicion !== undefined) services.measure?.({ what: 'detection', member: id, took: now - suspicion.raised })
  }

  /** How long the member took to answer the last probe. */
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

  /** This process did nothing for `lateness`: what it missed says nothing about others. */
  stalled(lateness: Milliseconds): void {
    this.#health.degrade()
    this.#heardAt += lateness
    this.#scheduler.stalled(lateness)
    this.#direct.stalled(lateness)
    this.#indirect.stalled(lateness)
  }

  /** All knowledge is gone. */
  clear(): void {
    for (const part of [this.#suspicions, this.#indirect, this.#helper, this.accusations, this.#outbox, this.#beats]) part.clear()
  }

  due(): void {
    const { now } = this.#context
    for (const part of this.#timed) if (now >= part.nextDue) part.due()
    if (this.#suspicions.size === 0) return
    for (const suspicion of this.#suspicions.due()) if (now >= suspicion.at('round')) this.#askAgain(suspicion)
    if (this.#outbox.nextDue <= now) this.#outbox.due()
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
      this.#foundTrue(certificate) // that this node can't reach it either is what was lacking
      return
    }
    this.#helper.missed(id)
    // Observers decide, and most often at once; others only have the broken link. They accuse where somebody else does, or where the observers died, too.
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
    // What a node without this task wants to know its observers know.
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

  /** Others accuse it. Its observers probe it at once, and who was told for being needed. Others wait whether that is enough. */
  #reported(suspicion: Suspicion, isDirect: boolean): void {
    if (isDirect || this.#isObserved(suspicion.id)) this.suspect(suspicion.id)
    else if (suspicion.state === 'reported') suspicion.advance('round', this.#context.now + this.accusations.confirmation.refutationTime)
  }

  /** What the pool heard of a member came to nothing: its observers may have died along with it. Those who observe it now probe it, and a few others. */
  #probeAll(id: NodeId): void {
    const { view } = this.#context
    if (this.#isObserved(id) || this.#context.random() * view.size < helpers) this.suspect(id)
  }

  /** A member signed its present beat. Throws {@link FrameError}. */
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

  /** Others reached it a moment ago, after this node began to miss it: for so long nobody accuses it. */
  #wasProven({ id, raised }: Suspicion): boolean {
    const provenAt = this.#beats.provenAt(id)
    return provenAt >= raised && this.#context.now - provenAt < standDown
  }

  /** Others reach a member that this node does not: it lives. */
  #lives(suspicion: Suspicion): void {
    const { now } = this.#context
    const isSure = this.#contacts.relayed(suspicion.id)
    if (suspicion.state !== 'relayed') {
      suspicion.enter('relayed', now)
      suspicion.rounds = 0
      // The link is up but nothing comes through: without it, the next dial finds out when the way is free again.
      this.#context.closeLink(suspicion.id, 'reached through others only')
    }
    const long = Math.min(relayPause * 4 ** Math.min(suspicion.rounds, 16), longestRelayPause)
    const pause = this.#isLeft(suspicion) ? relayedFor : long
    suspicion.schedule('round', now + this.#context.jitter(pause))
    if (isSure) return
    // The proof may be older than its death. This round does not count.
    suspicion.rounds -= 1
    suspicion.advance('round', now + standDown + this.#context.jitter(gathering))
  }

  /**
   * It refuted an accusation, and no helper of this node reached it. It may have signed that just before it went, and the same comes on several ways: until it signs
   * another one later that counts for a moment only. Where an accusation only found no company (not `isFresh`), it counts for a little longer.
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
    // What this node found out itself is old by now.
    else if (suspicion?.state === 'relayed') this.#direct.begin(suspicion)
  }

  /** Neither this node nor any helper can tell: somebody else may reach it, and stand still. */
  #unknownToHelpers(id: NodeId): void {
    const suspicion = this.#suspicions.get(id)
    if (suspicion?.state === 'relayed') this.#direct.begin(suspicion)
    if (suspicion?.state !== 'indirect') return
    const until = Math.max(this.#context.now + longestRetry, this.#waitsUntil(id))
    suspicion.schedule('round', until + this.#context.jitter(retry))
  }

  /** Nobody is there to ask, or nobody answers: this node may be cut off itself. */
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
    this.#health.degrade()
    // Where all are slow answers come later.
    if (!this.#scheduler.isSlow) this.#context.outcomes.push({ type: 'isolated' })
    suspicion.schedule('round', now + this.#context.jitter(Math.min(retry * 2 ** Math.min(suspicion.rounds, 16), longestRetry)))
  }

  /** Accusations were refuted, or came to nothing. `isFresh`: by what the member signed a moment ago. */
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

  /** By itself, without helpers. */
  #canTell(id: NodeId): boolean {
    const suspicion = this.#suspicions.get(id)
    return this.#contacts.canTell(id, suspicion?.isOwn === true ? suspicion.missedSince : this.#context.now)
  }

  /**
   * By then a process that reaches the member, and has stood still since this node began to miss it,
   * is back or dead.
   */
  #waitsUntil(id: NodeId): Milliseconds {
    const { unresponsive } = this.#context.config.detection
    return (this.#suspicions.get(id)?.missedSince ?? this.#context.now) + Math.max(unresponsive, this.#scheduler.late)
  }

  /** It is the task of others to probe it, and nobody accuses it. */
  #isLeft({ id, accusations }: Suspicion): boolean {
    return !this.#isObserved(id) && accusations.size === 0
  }

  /** Whether this node is one of the member's observers: both observe each other. */
  #isObserved(id: NodeId): boolean {
    return this.#scheduler.observed.has(id)
  }

  /** What it would answer a node that asks it to probe this member. */
  #isMissed(id: NodeId): boolean {
    const suspicion = this.#suspicions.get(id)
    return suspicion !== undefined && (suspicion.isTimedOut || ['indirect', 'accused', 'relayed'].includes(suspicion.state))
  }

  /** A death that this node was told of and did not believe. */
  #foundTrue(certificate: Certificate): void {
    const accusers = certificate.accusers.map(({ signer }) => signer)
    this.#died(certificate, this.accusations.confirmation.waitFor(this.#suspicions.rankAmong(accusers, certificate.suspect)))
  }

  #died(certificate: Certificate, after: Milliseconds | undefined): void {
    this.#context.outcomes.push({ type: 'certified', certificate, after, isLone: !this.#suspicions.areSeveral })
  }
}
