/**
 * A node: the parts of the protocol, wired together.
 *
 * Inputs come in with the time and are handed to the part they concern; what one part finds out that concerns others goes through here.
 * Nothing in here decides anything about membership or elections: that is said in the parts.
 */
import { certificateToWire, suspicionsOf, type Certificate } from './certificate.ts'
import type { Config } from './config.ts'
import { Context, type Timed } from './context.ts'
import { Detector } from './detector.ts'
import { Elections } from './election.ts'
import { FrameError } from './errors.ts'
import { factToWire, type Fact } from './fact.ts'
import { Healer } from './heal.ts'
import { encodeId } from './id.ts'
import { Intake } from './intake.ts'
import { Introduction } from './introduction.ts'
import type { Address, BroadcastVerdict, Command, Effect, Health, Input, Member, Milliseconds, NodeId, Reign, Services } from './io.ts'
import { Link } from './links.ts'
import { nameProblem } from './name.ts'
import { Reconciler } from './reconcile.ts'
import { Rings } from './rings.ts'
import { Rumours } from './rumours.ts'
import { Sampling } from './sampling.ts'
import { Signals } from './signals.ts'
import { decode, isKind } from './statement.ts'
import type { Change } from './view.ts'
import * as wire from './wire/messages.js'
import { Witnesses } from './witness.ts'

export interface NodeOptions {
  readonly id: NodeId
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  /** The last incarnation that was persisted under this identity; 0 for a new one. */
  readonly storedIncarnation: number
  readonly config: Config
  readonly services: Services
}

/** A node this young is heard by few: it hands its news to its links as well, ms. Measured: a mesh takes a second or two to form. */
const youth = 3_000
/** Pause after a life given up for too few witnesses, ms; doubles up to 64 times. Guess. */
const surrenderPause = 5_000
/** After so long without one the pause is short again, ms. Guess. */
const surrenderMemory = 600_000

export class ProtocolNode {
  readonly #options: NodeOptions
  readonly #context: Context
  readonly #introduction: Introduction
  readonly #reconciler: Reconciler
  readonly #rumours: Rumours
  readonly #rings: Rings
  readonly #sampling: Sampling
  readonly #detector: Detector
  readonly #witnesses: Witnesses
  readonly #healer: Healer
  readonly #elections: Elections
  readonly #signals: Signals
  readonly #intake: Intake
  readonly #timed: readonly Timed[]
  /** Deaths of members that we are in contact with, pronounced elsewhere: they are told first and get time to answer with a new life. */
  readonly #held = new Map<NodeId, { readonly certificate: Certificate; readonly sufficient: boolean; readonly until: Milliseconds }>()
  /** Lives that this node gave up on the word of too few witnesses, and from when on it would again. */
  #surrenders = 0
  #surrenderAgain: Milliseconds = -Infinity
  readonly #banned = new Map<NodeId, Milliseconds>()
  /** Introducers that handed us on: no reconciliation with them, unless nobody else answers. */
  readonly #referredBy = new Map<NodeId, Milliseconds>()
  /** Lives that the application was told of before this node forgot everything (see `#startOver`). */
  readonly #former = new Map<NodeId, Member>()
  #addresses: readonly Address[] = []
  #incarnation: number
  #nonce = 0
  #enteredAt: Milliseconds | undefined
  #isWhole = false
  /** The incarnation that was handed to an introducer. */
  #introducedAs = 0
  #stopped = false
  /** The left-statement is out: until the host stops this node still passes on what others say, as they may be leaving, too. */
  #left = false
  #armedAt: Milliseconds = Infinity
  #wasAlone = false
  #ringsChanged = false

  constructor(options: NodeOptions) {
    const problem = nameProblem(options.pool)
    if (problem !== undefined) throw new RangeError(`the pool's name ${problem}`)
    this.#options = options
    this.#incarnation = options.storedIncarnation
    const context = new Context(options)
    this.#context = context
    this.#rings = new Rings(options.id, options.config.links.rings)
    this.#rumours = new Rumours(context)
    this.#introduction = new Introduction(
      context,
      (learned) => this.#enter(learned),
      () => this.#isWhole,
    )
    this.#detector = new Detector(context, {
      onUnreachable: (id) => this.#unreachable(id),
      onReached: (id) => this.#witnesses.acquit(id),
    })
    this.#witnesses = new Witnesses(context, {
      onDeath: (certificate) => this.#died(certificate),
      onSuspected: (id) => this.#detector.suspect(id),
      onUnlinked: (ids) => ids.forEach((id) => this.#connect(id)),
    })
    this.#sampling = new Sampling(context, (id) => this.#detector.isDoubted(id))
    this.#healer = new Healer(context)
    this.#elections = new Elections(context, {
      onOwn: (facts) => this.#announce(facts),
      onEvidence: (evidence) => this.#intake.evidence(evidence),
      onUnsure: () => this.#reconciler.quicken('other'),
    })
    this.#signals = new Signals(context)
    this.#reconciler = new Reconciler(context, () => this.#reconciled())
    this.#intake = new Intake(
      context,
      {
        elections: this.#elections,
        required: (suspect) => this.#witnesses.required(suspect),
        refutationsOf: (id) => this.#witnesses.refutationsOf(id),
        isInContact: (id) => this.#detector.isInContact(id),
      },
      {
        onChanges: (changes) => this.#changed(changes),
        onImpersonated: (incarnation) => this.#impersonated(incarnation),
        onOwnEnd: (incarnation) => this.#reenter(incarnation),
        onDoubtfulDeath: (certificate, sufficient) => this.#doubtfulDeath(certificate, sufficient),
      },
    )
    this.#timed = [
      this.#introduction,
      this.#reconciler,
      this.#rumours,
      this.#sampling,
      this.#detector,
      this.#witnesses,
      this.#healer,
      this.#elections,
      this.#signals,
    ]
  }

  get self(): Member | undefined {
    return this.#context.view.get(this.#context.id)
  }

  /** The view, self included, ordered by id. */
  members(): Member[] {
    return [...this.#context.view.members()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  member(id: NodeId): Member | undefined {
    return this.#context.view.get(id)
  }

  reign(election: string): Reign | undefined {
    return this.#elections.reign(election)
  }

  get links(): ReadonlySet<NodeId> {
    return new Set(this.#context.links.keys())
  }

  health(now: Milliseconds = this.#context.now): Health {
    this.#context.now = Math.max(this.#context.now, Math.floor(now))
    const { view, links } = this.#context
    const lost = this.#healer.recentlyLost()
    const others = view.size - 1 + lost
    const suspectedShare = others <= 0 ? 0 : Math.min(1, (this.#detector.doubted + lost) / others)
    const introducers = this.#introduction.failing
    const inContact = [...links.keys()].some((peer) => this.#detector.isInContact(peer))
    const alone = !inContact && (view.size > 1 || this.#healer.size > 0 || introducers.length > 0)
    return { links: links.size, members: view.size, suspectedShare, alone, lastReconciliation: this.#reconciler.lastCompleted, introducers }
  }

  /** Takes one input and returns what is to be done, in order. */
  handle(input: Input, now: Milliseconds): Effect[] {
    if (this.#stopped) return []
    this.#begin(now)
    if (this.#left) return this.#passOn(input)
    this.#dispatch(input)
    return this.#finish()
  }

  /** A `broadcast` input, with a verdict on whether to pass it on. */
  handleBroadcast(data: Uint8Array, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect[] } {
    if (this.#stopped) return { verdict: 'ignore', effects: [] }
    this.#begin(now)
    const verdict = this.#broadcast(data)
    const effects = this.#finish()
    return { verdict, effects: this.#left ? [] : effects }
  }

  /** After the left-statement: nothing is done any more but passing on news. */
  #passOn(input: Input): Effect[] {
    if (input.type === 'disconnected') this.#context.links.delete(input.peer)
    if (input.type !== 'frame' || !this.#context.links.has(input.from)) return []
    try {
      const { facts } = decode(wire.Frame, input.data)
      if (facts?.fresh !== true) return []
      const news = this.#intake.take(facts.facts, input.from)
      for (const peer of this.#context.links.keys()) if (peer !== input.from) this.#context.sendFacts(peer, news, true)
      this.#rumours.publish(news)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
    }
    return this.#finish().filter(({ type }) => type === 'send' || type === 'broadcast')
  }

  #begin(now: Milliseconds): void {
    const context = this.#context
    // Whole milliseconds: sums and differences of times are exact, and what is due by one comparison is due by the other.
    context.now = Math.max(context.now, Math.floor(now))
    context.effects = []
    const lateness = context.now - this.#armedAt
    if (lateness <= context.config.detection.stall) return
    this.#armedAt = context.now
    this.#detector.stalled(lateness)
    if (lateness >= context.config.healing.memory) this.#startOver()
  }

  #finish(): Effect[] {
    const context = this.#context
    this.#updateRings()
    if (!this.#left) {
      for (const part of this.#timed) if (context.now >= part.nextDue && !this.#stopped) part.due()
      this.#releaseHeld()
      context.view.expire(context.now)
      this.#updateRings()
      this.#reportHealth()
      this.#arm()
    }
    const { effects } = context
    context.effects = []
    return effects
  }

  #arm(): void {
    if (this.#stopped) return
    let next = this.#context.view.nextExpiry
    for (const part of this.#timed) next = Math.min(next, part.nextDue)
    // Those overdue wait for the detector, which has a timer of its own.
    for (const { until } of this.#held.values()) if (until > this.#context.now) next = Math.min(next, until)
    for (const until of this.#referredBy.values()) next = Math.min(next, until)
    next = Math.max(Math.ceil(next), this.#context.now)
    if (next === this.#armedAt || next === Infinity) return
    this.#armedAt = next
    this.#context.effects.push({ type: 'timer', at: next })
  }

  #dispatch(input: Input): void {
    switch (input.type) {
      case 'start':
        this.#addresses = input.addresses.slice(0, this.#context.config.limits.addresses)
        this.#nonce = Math.floor(this.#context.random() * 2 ** 32)
        this.#introduction.start(input.introducers)
        break
      case 'command':
        this.#command(input.command)
        break
      case 'frame':
        this.#frame(input.from, input.data)
        break
      case 'broadcast':
        this.#broadcast(input.data)
        break
      case 'connected':
        this.#linkUp(input.peer, input.dialable)
        break
      case 'disconnected':
        this.#linkLost(input.peer)
        break
      case 'unreachable':
        this.#introduction.unreachable(input.peer, input.addresses, input.reason)
        if (input.peer === undefined) break
        this.#detector.unreachable(input.peer, input.failure)
        this.#witnesses.unreachable(input.peer)
        this.#signals.unreachable(input.peer)
        break
      case 'knocked':
        this.#detector.knocked(input.peer, input.outcome)
        break
      case 'discovered':
        this.#introduction.discovered(input.introducer)
        break
      case 'addresses':
        this.#readdress(input.addresses)
        break
      case 'timer':
        this.#armedAt = Infinity
        break
    }
  }

  #command(command: Command): void {
    switch (command.type) {
      case 'elect':
        this.#elections.elect(command.election)
        break
      case 'withdraw':
        this.#elections.withdraw(command.election)
        break
      case 'maybeDead':
        this.#detector.suspect(command.id)
        break
      case 'signal':
        this.#signals.send(command.ref, command.name, command.to)
        break
      case 'leave':
        this.#leave()
        break
    }
  }

  #frame(from: NodeId, data: Uint8Array): void {
    const { links, config, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    try {
      if (data.length > config.limits.frameBytes)
        throw new FrameError(`a frame has at most ${config.limits.frameBytes} bytes, not ${data.length}`)
      if (!link.spend(now, config.limits.framesPerSecond)) {
        link.strikes = config.limits.strikes
        throw new FrameError(`more than ${config.limits.framesPerSecond} frames a second`)
      }
      const frame = decode(wire.Frame, data)
      link.lastHeard = now
      this.#detector.heard(from)
      this.#receive(link, frame)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#strike(link, error)
    }
  }

  #receive(link: Link, frame: wire.Frame): void {
    const from = link.peer
    if (frame.hello !== undefined) this.#greeted(link, frame.hello)
    else if (frame.goodbye !== undefined) link.goodbye = true
    else if (this.self === undefined) return // not in yet: the rest would be told before our own join
    else if (frame.redirect !== undefined) this.#redirected(from, frame.redirect)
    else if (frame.reconcile !== undefined) this.#reconciler.receive(from, frame.reconcile)
    else if (frame.facts !== undefined) this.#facts(from, frame.facts)
    else if (frame.probe !== undefined) this.#detector.answer(frame.probe.sequence, from)
    else if (frame.ack !== undefined) this.#detector.acknowledged(from, frame.ack.sequence, frame.ack.nextInMs)
    else if (frame.alarm !== undefined) this.#alarm(from, frame.alarm)
    else if (frame.signal !== undefined) this.#signalled(from, frame.signal)
    else if (frame.signalAck !== undefined) this.#signals.acknowledged(from, frame.signalAck.reference)
    // Anything else comes from a later version.
  }

  #strike(link: Link, error: FrameError): void {
    const { config, now, effects } = this.#context
    link.strikes += 1
    this.#context.warn('PEER_MISBEHAVED', `${link.peer} sent a bad frame: ${error.message}`)
    if (link.strikes < config.limits.strikes) return
    this.#banned.set(link.peer, now + config.limits.ban)
    link.goodbye = true
    this.#context.send(link.peer, { goodbye: { reason: error.message } })
    effects.push({ type: 'disconnect', peer: link.peer, reason: error.message })
  }

  #broadcast(data: Uint8Array): BroadcastVerdict {
    if (this.self === undefined && !this.#left) return 'ignore'
    try {
      if (data.length > this.#context.config.limits.frameBytes) throw new FrameError('a broadcast that is too long')
      const { facts } = decode(wire.Broadcast, data)
      const news = this.#intake.take(facts, undefined, true)
      for (const fact of news) this.#rumours.overheard(fact.key)
      if (news.length > 0) this.#reconciler.quicken('broadcast')
      return 'accept'
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      return 'reject'
    }
  }

  #facts(from: NodeId, { facts, fresh }: wire.Facts): void {
    const news = this.#intake.take(facts, from)
    if (news.length === 0) return
    this.#reconciler.quicken('other')
    if (!fresh) return
    for (const fact of news) {
      // A newcomer hands its join to us alone; everything else that is handed round others heard, too.
      const isIntroduction =
        'statement' in fact.content && isKind(fact.content.statement, 'joined') && fact.content.statement.signer === from
      this.#rumours.tell(fact, !isIntroduction)
    }
  }

  #alarm(from: NodeId, { statements, doubted }: wire.Alarm): void {
    const { config, codec, view } = this.#context
    if (statements.length + doubted.length > config.limits.statementsPerAlarm)
      throw new FrameError(`an alarm has at most ${config.limits.statementsPerAlarm} entries`)
    for (const message of statements) {
      const statement = codec.read(message)
      if (isKind(statement, 'suspicion')) {
        if (!this.#witnesses.wants(statement) || !view.knows(statement.signer)) continue
        if (!codec.verify(statement)) throw new FrameError('a suspicion with a forged signature')
        this.#witnesses.hear(statement, from)
      } else if (isKind(statement, 'refutation')) {
        if (!this.#witnesses.wantsRefutation(statement)) continue
        if (!codec.verify(statement)) throw new FrameError('a refutation with a forged signature')
        this.#witnesses.hearRefutation(statement, from)
      } else if (!isKind(statement, 'unknown')) throw new FrameError(`a ${statement.content.kind} is no alarm`)
    }
    for (const key of doubted) this.#detector.suspect(encodeId(key))
  }

  #signalled(from: NodeId, { reference, name }: wire.Signal): void {
    const problem = nameProblem(name)
    if (problem !== undefined) throw new FrameError(`the name of a signal ${problem}`)
    const member = this.#context.view.get(from)
    if (member === undefined) return
    this.#context.send(from, { signalAck: { reference } })
    this.#context.notify({ type: 'signal', name, from: member })
  }

  #linkUp(peer: NodeId, dialable: boolean): void {
    const { links, now, config, effects } = this.#context
    if (links.has(peer)) return
    links.set(peer, new Link(peer, dialable, now, config.limits))
    if ((this.#banned.get(peer) ?? -Infinity) > now) {
      effects.push({ type: 'disconnect', peer, reason: 'banned for breaking the rules' })
      return
    }
    this.#banned.delete(peer)
    this.#introduction.linkUp(peer)
    this.#detector.linkUp(peer)
    this.#sampling.linkUp(peer)
    this.#witnesses.linkUp(peer)
    this.#signals.linkUp(peer)
    const held = this.#held.get(peer)
    if (held !== undefined) this.#tellEnd(peer, held.certificate)
  }

  #linkLost(peer: NodeId): void {
    const { links } = this.#context
    const link = links.get(peer)
    if (link === undefined) return
    links.delete(peer)
    this.#reconciler.linkLost(peer)
    this.#detector.linkLost(peer, link.goodbye, link.dialable)
    this.#sampling.linkLost()
    this.#introduction.linkLost()
  }

  #greeted(link: Link, { known, ended, incarnation }: wire.Hello): void {
    const { view, config, id } = this.#context
    if (!(known <= config.limits.counter) || !(incarnation <= config.limits.counter)) throw new FrameError('an incarnation is out of range')
    link.greeted = true
    link.entered = incarnation > 0
    link.incarnation = incarnation
    const before = this.self
    this.#introduction.greeted(this.#credible(known))
    if (before === undefined) return // entering hands over to all greeted links
    if (ended && this.#credible(known) >= before.incarnation) this.#surrender(known)
    const mine = this.self ?? before
    if (known < mine.incarnation) this.#handOver(link.peer)
    else if (incarnation > 0 && (!this.#isWhole || id < link.peer || view.known(link.peer) < incarnation)) this.#reconciler.begin(link.peer)
  }

  /** What others say of this node's lives counts only in reach of what it knows itself: a lie must not use up the numbers. */
  #credible(incarnation: number): number {
    return incarnation <= this.#incarnation + this.#context.config.limits.incarnationJump ? incarnation : 0
  }

  /** Gives this node's own statement to a peer that does not know it, and reconciles. */
  #handOver(peer: NodeId): void {
    if (this.#referredBy.has(peer)) return
    const fact = this.#context.view.fact(this.#context.id)
    // One introducer makes this life known; to the others reconciliation tells it without ado.
    if (fact !== undefined && this.#introducedAs !== this.#incarnation) this.#context.sendFacts(peer, [fact], true)
    this.#introducedAs = this.#incarnation
    this.#reconciler.begin(peer)
  }

  #redirected(from: NodeId, { members }: wire.Redirect): void {
    const { config, now, effects } = this.#context
    if (this.#isWhole) return
    if (members.length > config.limits.factsPerFrame) throw new FrameError('too many referrals')
    const news = this.#intake.take(members.slice(0, config.introduction.referrals), from)
    this.#referredBy.set(from, now + config.introduction.referralGrace)
    for (const { content } of news.slice(0, config.links.early)) {
      if (!('statement' in content) || !isKind(content.statement, 'joined')) continue
      effects.push({ type: 'connect', peer: content.statement.signer, addresses: content.statement.content.addresses })
    }
  }

  #enter(learned: number): void {
    this.#joinAs(Math.max(this.#incarnation, learned) + 1)
    this.#enteredAt = this.#context.now
    for (const link of this.#context.links.values()) if (link.greeted) this.#handOver(link.peer)
    this.#reconciler.quicken('other')
    this.#elections.renew()
  }

  /** Stores an incarnation, then signs and takes in this node's joined-statement for it. */
  #joinAs(incarnation: number): void {
    const { codec, id, effects, view } = this.#context
    if (incarnation > this.#incarnation) effects.push({ type: 'persist', incarnation })
    this.#incarnation = incarnation
    const statement = codec.sign(id, {
      kind: 'joined',
      incarnation,
      nonce: this.#nonce,
      addresses: this.#addresses,
      location: this.#options.location,
      tag: this.#options.tag,
    })
    this.#changed(view.mergeJoined(statement))
  }

  /** Others ended this life: begins the next. */
  #reenter(ended: number): void {
    const { self } = this
    const { view, links, id } = this.#context
    if (self === undefined || ended < self.incarnation) return
    this.#context.warn('INCARNATION_REPLACED', `incarnation ${self.incarnation} of this node was pronounced dead; entering again`)
    this.#joinAs(ended + 1)
    this.#elections.renew()
    const fact = view.fact(id)
    if (fact === undefined) return
    for (const peer of links.keys()) this.#context.sendFacts(peer, [fact], true)
    this.#rumours.tell(fact, false)
  }

  #readdress(addresses: readonly Address[]): void {
    this.#addresses = addresses.slice(0, this.#context.config.limits.addresses)
    // One life has one statement: new addresses mean a new life, or others would hold different statements of the same.
    if (this.self !== undefined && !sameAddresses(this.self.addresses, this.#addresses)) this.#reenter(this.self.incarnation)
  }

  #impersonated(incarnation: number): void {
    const message = `another process runs under this node's identity ${this.#context.id} (its incarnation is ${incarnation}); this one stops`
    this.#context.effects.push({ type: 'fail', code: 'IDENTITY_IN_USE', message })
    this.#stopped = true
  }

  #leave(): void {
    const { codec, id, view, links, now } = this.#context
    const { self } = this
    if (self === undefined || this.#left) {
      this.#stopped ||= !this.#left
      return
    }
    const statement = codec.sign(id, { kind: 'left', incarnation: self.incarnation })
    const changes = view.mergeLeft(statement, now, 0)
    for (const { member } of changes) this.#context.notify({ type: 'left', member })
    const fact = view.fact(id)
    if (fact === undefined) return
    for (const peer of links.keys()) this.#context.sendFacts(peer, [fact], true)
    this.#rumours.publish([fact])
    this.#left = true
  }

  /** Makes facts of this node's own known. */
  #announce(facts: readonly Fact[]): void {
    const { now, links, config } = this.#context
    for (const fact of facts) this.#rumours.tell(fact, false)
    this.#reconciler.quicken('other')
    if (this.#enteredAt === undefined || now - this.#enteredAt > youth) return
    for (const peer of [...links.keys()].slice(0, config.links.early)) this.#context.sendFacts(peer, facts, true)
  }

  #changed(changes: readonly Change[]): void {
    const { id, view, links, effects } = this.#context
    for (const { type, member } of changes) {
      const former = this.#former.get(member.id)
      const isFormer = former?.incarnation === member.incarnation
      if (former !== undefined && !isFormer) this.#context.notify({ type: 'died', member: former })
      this.#former.delete(member.id)
      if (!isFormer || type !== 'joined') this.#context.notify({ type, member })
      this.#held.delete(member.id)
      this.#witnesses.forget(member.id)
      if (type === 'joined') {
        this.#detector.forget(member.id)
        if (member.id !== id) this.#rings.add(member.id)
        const link = links.get(member.id)
        if (link !== undefined) {
          link.incarnation = member.incarnation
          link.goodbye = false
        }
        this.#healer.found(member.id)
        this.#rumours.arrived()
        this.#elections.lifeBegan(member.id)
      } else {
        this.#detector.forget(member.id)
        this.#rings.remove(
          member.id,
          [...view.members()].filter((other) => other.id !== id),
        )
        if (type === 'left') this.#healer.found(member.id)
        else this.#healer.lost(member)
        this.#elections.lifeEnded(member.id)
        this.#signals.unreachable(member.id)
        const link = links.get(member.id)
        if (link !== undefined && view.get(member.id) === undefined) {
          link.goodbye = true
          const end = view.fact(member.id)
          // Not a link that a new process under the same identity has just opened.
          if (type === 'died' && end !== undefined && link.incarnation === member.incarnation) {
            // If it is only slow it reads this when it wakes, and enters anew.
            this.#context.send(member.id, { facts: { facts: [factToWire(end, this.#context.now)], fresh: false } })
            effects.push({ type: 'disconnect', peer: member.id, reason: 'pronounced dead' })
          }
        }
      }
      this.#ringsChanged = true
    }
    if (changes.length > 0) this.#reconciler.quicken('broadcast')
  }

  #updateRings(): void {
    if (!this.#ringsChanged) return
    this.#ringsChanged = false
    this.#sampling.update(this.#rings.neighbours)
    this.#detector.observe(this.#rings.neighbours)
  }

  #reconciled(): void {
    this.#isWhole = true
    this.#referredBy.clear()
    for (const member of this.#former.values()) this.#context.notify({ type: 'died', member })
    this.#former.clear()
    this.#elections.reconciled()
  }

  /** The detector is sure: this node can't reach the member. */
  #unreachable(id: NodeId): void {
    const held = this.#held.get(id)
    // Its own failure to reach the member is what this node lacked to believe others.
    if (held !== undefined) this.#died(held.certificate)
    else this.#witnesses.testify(id)
  }

  #died(certificate: Certificate): void {
    const fact = this.#intake.believe(certificate)
    if (fact !== undefined) this.#rumours.tell(fact, true)
  }

  /** A death that is not believed yet: its member is told, so that it may answer with a new life, and looked after. */
  #doubtfulDeath(certificate: Certificate, sufficient: boolean): void {
    const { suspect } = certificate
    const { now, config, id, links, view } = this.#context
    if (suspect === id) {
      this.#surrender(certificate.incarnation)
      return
    }
    if (!sufficient) {
      for (const suspicion of suspicionsOf(certificate)) if (view.knows(suspicion.signer)) this.#witnesses.hear(suspicion, undefined)
    }
    this.#detector.suspect(suspect)
    const held = this.#held.get(suspect)
    if (held?.sufficient === true || held?.sufficient === sufficient) return
    this.#held.set(suspect, { certificate, sufficient, until: now + config.detection.hold })
    if (links.has(suspect)) this.#tellEnd(suspect, certificate)
    else this.#connect(suspect)
  }

  /** Tells a member that it was pronounced dead. */
  #tellEnd(id: NodeId, certificate: Certificate): void {
    this.#context.send(id, { facts: { facts: [{ certificate: certificateToWire(certificate), ageSeconds: 0 }], fresh: false } })
  }

  /**
   * Somebody holds this life for ended, with fewer witnesses than this node would believe. It can't take that back, so only a new
   * life brings both together again; but as a liar could ask for that for ever, each time makes the next one later.
   */
  #surrender(ended: number): void {
    const { now } = this.#context
    if (now < this.#surrenderAgain) return
    if (now - this.#surrenderAgain > surrenderMemory) this.#surrenders = 0
    this.#surrenderAgain = now + surrenderPause * 2 ** Math.min(this.#surrenders, 6)
    this.#surrenders += 1
    this.#reenter(ended)
  }

  #releaseHeld(): void {
    for (const [id, { certificate, sufficient, until }] of this.#held) {
      if (this.#context.now < until) continue
      if (!sufficient && this.#detector.isDoubted(id)) continue
      this.#held.delete(id)
      if (sufficient) this.#died(certificate)
    }
    for (const [peer, until] of this.#referredBy) {
      if (this.#isWhole || this.#context.now < until) continue
      this.#referredBy.delete(peer)
      if (this.#context.links.has(peer)) this.#handOver(peer)
    }
  }

  #connect(id: NodeId): void {
    const member = this.#context.view.get(id)
    if (member !== undefined) this.#context.effects.push({ type: 'connect', peer: id, addresses: member.addresses })
  }

  /**
   * This process slept longer than others remember the dead: what it holds may revive them. It forgets everything and joins afresh;
   * members that it then does not find again have died.
   */
  #startOver(): void {
    const { view, facts, links, id } = this.#context
    const { self } = this
    if (self === undefined) return
    for (const member of view.members()) if (member.id !== id) this.#former.set(member.id, member)
    view.clear()
    facts.clear()
    this.#rings.clear()
    this.#witnesses.clear()
    this.#intake.clear()
    this.#elections.startOver()
    this.#isWhole = false
    this.#changed([{ type: 'died', member: self }])
    this.#joinAs(this.#incarnation + 1)
    this.#elections.renew()
    for (const peer of links.keys()) this.#handOver(peer)
  }

  #reportHealth(): void {
    const health = this.health()
    if (health.alone === this.#wasAlone) return
    this.#wasAlone = health.alone
    this.#context.notify({ type: 'health', health })
  }
}

function sameAddresses(a: readonly Address[], b: readonly Address[]): boolean {
  return a.length === b.length && a.every((address, i) => address.length === b[i]?.length && address.every((byte, j) => byte === b[i]?.[j]))
}
