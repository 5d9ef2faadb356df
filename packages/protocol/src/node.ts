/**
 * A node: the parts of the protocol, wired together.
 *
 * Inputs come in with the time and are handed to the part they concern; what one part finds out that concerns others goes through here.
 * Nothing in here decides anything about membership or elections: that is said in the parts.
 */
import type { Config } from './base/config.ts'
import { FrameError } from './base/errors.ts'
import type { Address, BroadcastVerdict, Effect, Encoded, Health, Input, Member, Milliseconds, NodeId, Reign } from './base/io.ts'
import { nameProblem } from './base/name.ts'
import { obey, type Commanded } from './commands.ts'
import { Context, type Timed } from './context/context.ts'
import { Link } from './context/links.ts'
import type { Services } from './context/services.ts'
import { FailureDetector } from './detection/failure-detector.ts'
import { stall } from './detection/health-multiplier.ts'
import { Broadcaster } from './dissemination/broadcaster.ts'
import { LazyPush } from './dissemination/lazy-push.ts'
import { Reconciler } from './dissemination/reconcile.ts'
import { Elections } from './election/elections.ts'
import type { Certificate } from './facts/certificate.ts'
import type { Fact, Told } from './facts/fact.ts'
import type { Change } from './facts/view.ts'
import type { Facts, Message } from './frames/message.ts'
import { HealthReport } from './health.ts'
import { Intake } from './intake.ts'
import { Introduction } from './life/introduction.ts'
import { OwnLife } from './life/own-life.ts'
import { Referral } from './life/referral.ts'
import { Reception } from './reception.ts'
import { Reporter } from './reporter.ts'
import { Signals } from './signals.ts'
import { Healer } from './topology/heal.ts'
import { Rings } from './topology/rings.ts'
import { Sampling } from './topology/sampling.ts'

/** A node this young is heard by few: it hands its news to its links as well, ms. Measured: a mesh takes a second or two to form. */
const youth = 3_000

export interface NodeOptions<Data extends Encoded = Uint8Array> {
  readonly id: NodeId
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  /** The last incarnation that was persisted under this identity; 0 for a new one. */
  readonly storedIncarnation: number
  readonly config: Config
  readonly services: Services<Data>
}

/** `Data`: how messages travel, by the codec among the services. */
export class ProtocolNode<Data extends Encoded = Uint8Array> {
  readonly #context: Context<Data>
  readonly #life: OwnLife
  readonly #reception: Reception<Data>
  readonly #introduction: Introduction
  readonly #referral: Referral
  readonly #reconciler: Reconciler
  readonly #lazyPush: LazyPush
  readonly #broadcaster: Broadcaster
  readonly #rings: Rings
  readonly #sampling: Sampling
  readonly #detector: FailureDetector
  readonly #healer: Healer
  readonly #elections: Elections
  readonly #signals: Signals
  readonly #reporter: Reporter
  readonly #health: HealthReport
  readonly #intake: Intake
  /** All parts that need to be woken but the detector. */
  readonly #others: readonly Timed[]
  /** When the first of them is due. */
  #othersDue: Milliseconds = -Infinity
  readonly #commanded: Commanded
  /** The incarnation that was handed to an introducer. */
  #introducedAs = 0
  /** The left-statement is out: until the host stops this node still passes on what others say, as they may be leaving, too. */
  #left = false
  #stopped = false
  #toldEntered = false
  #armedAt: Milliseconds = Infinity
  #ringsChanged = false
  /** The input was a probe, an answer to one, or the time for the next, and nobody is suspected: nothing but the detector is concerned. */
  #isProbing = false
  readonly #received = (link: Link, message: Message): void => this.#receive(link, message)

  /** Throws RangeError on a pool's name that nobody would accept. */
  constructor(options: NodeOptions<Data>) {
    const problem = nameProblem(options.pool)
    if (problem !== undefined) throw new RangeError(`the pool's name ${problem}`)
    const context = new Context(options)
    this.#context = context
    this.#life = new OwnLife(context, options, {
      onChanges: (changes) => this.#changed(changes),
      onReentered: (fact) => this.#reentered(fact),
    })
    this.#reception = new Reception(context)
    this.#rings = new Rings(options.id, options.config.links.rings, context.facts.registry, context.view)
    this.#lazyPush = new LazyPush(context)
    this.#broadcaster = new Broadcaster(context, this.#lazyPush)
    this.#reporter = new Reporter(context)
    this.#introduction = new Introduction(context, {
      onEnter: (learned) => this.#enter(learned),
      onAlone: () => this.#entered(true),
    })
    this.#referral = new Referral(context, {
      onServed: (peer) => this.#introduction.linkUp(peer),
      onDisappointed: (peer) => this.#handOver(peer),
    })
    this.#detector = new FailureDetector(context, {
      onDeath: (certificate, after) => this.#died(certificate, after),
      onPublish: (fact, after) => this.#publish(fact, after),
    })
    this.#sampling = new Sampling(context, this.#detector, this.#referral)
    this.#healer = new Healer(context)
    this.#elections = new Elections(context, {
      onOwn: (facts) => this.#announce(facts),
      onUnsure: () => this.#reconciler.quicken('other'),
    })
    this.#signals = new Signals(context)
    this.#reconciler = new Reconciler(context, () => this.#reconciled())
    this.#health = new HealthReport(context, {
      detector: this.#detector,
      healer: this.#healer,
      introduction: this.#introduction,
      reconciler: this.#reconciler,
    })
    this.#intake = new Intake(
      context,
      {
        elections: this.#elections,
        detector: this.#detector,
        isCredulous: () => !this.#isWhole || this.#life.age < context.config.limits.credulity,
      },
      {
        onChanges: (changes) => this.#changed(changes),
        onImpersonated: (incarnation) => this.#impersonated(incarnation),
        onOwnEnd: (incarnation) => this.#life.surrender(incarnation),
        onOwnDeath: (incarnation, by) => this.#life.surrender(incarnation, by),
        onContested: (id) => this.#healer.contested(id),
        onOverheard: (key) => this.#broadcaster.suppress(key),
      },
    )
    this.#commanded = {
      elections: this.#elections,
      detector: this.#detector,
      signals: this.#signals,
      leave: () => this.#leave(),
      found: () => this.#found(),
    }
    this.#others = [
      this.#introduction,
      this.#referral,
      this.#reconciler,
      this.#broadcaster,
      this.#lazyPush,
      this.#sampling,
      this.#healer,
      this.#elections,
      this.#signals,
      this.#intake,
    ]
  }

  /** This node as others know it; undefined before it entered and after it left. */
  get self(): Member | undefined {
    return this.#life.self
  }

  /** The view, self included, ordered by id. */
  members(): Member[] {
    return [...this.#context.view.members()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  member(id: NodeId): Member | undefined {
    return this.#context.view.get(id)
  }

  /** The reign of this election as this node sees it; undefined while there is no live winner. */
  reign(election: string): Reign | undefined {
    return this.#elections.reign(election)
  }

  get links(): ReadonlySet<NodeId> {
    return new Set(this.#context.links.keys())
  }

  health(now: Milliseconds = this.#context.now): Health {
    this.#context.now = Math.max(this.#context.now, Math.floor(now))
    return this.#health.current
  }

  /** Takes one input and returns what is to be done, in order. */
  handle(input: Input<Data>, now: Milliseconds): Effect<Data>[] {
    if (this.#stopped) return []
    this.#begin(now)
    const wasLeft = this.#left
    this.#dispatch(input)
    return this.#finish(wasLeft)
  }

  /** A `broadcast` input, with a verdict on whether to pass it on. */
  handleBroadcast(data: Data, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Data>[] } {
    if (this.#stopped) return { verdict: 'ignore', effects: [] }
    this.#begin(now)
    const verdict = this.#broadcast(data)
    return { verdict, effects: this.#finish(this.#left) }
  }

  #begin(now: Milliseconds): void {
    const context = this.#context
    // Whole milliseconds: sums and differences of times are exact, and what is due by one comparison is due by the other.
    context.now = Math.max(context.now, Math.floor(now))
    context.effects = []
    this.#isProbing = false
    const lateness = context.now - this.#armedAt
    if (lateness <= stall || this.#left) return
    this.#armedAt = context.now
    this.#detector.stalled(lateness)
    this.#elections.stalled()
    this.#othersDue = -Infinity
    if (lateness >= context.config.healing.memory) this.#startOver()
  }

  /** `left`: the application has heard that this node left, and hears no more. */
  #finish(left: boolean): Effect<Data>[] {
    const context = this.#context
    if (this.#left) this.#attendLeaving()
    else if (!this.#probeOnly()) this.#attend()
    this.#arm()
    const { effects } = context
    context.effects = []
    return left ? effects.filter(({ type }) => type === 'send' || type === 'broadcast' || type === 'timer') : effects
  }

  /** Gives every part that is due its turn. */
  #attend(): void {
    const { view, now } = this.#context
    this.#updateRings()
    if (now >= this.#detector.nextDue && !this.#stopped) this.#detector.due()
    for (const part of this.#others) if (now >= part.nextDue && !this.#stopped) part.due()
    view.expire(now)
    this.#updateRings()
    this.#health.report()
    this.#othersDue = view.nextExpiry
    for (const part of this.#others) this.#othersDue = Math.min(this.#othersDue, part.nextDue)
  }

  /** After the left-statement, which is still to be published, as is what others say who leave at the same time. */
  #attendLeaving(): void {
    const parts = [this.#broadcaster, this.#lazyPush]
    for (const part of parts) if (this.#context.now >= part.nextDue) part.due()
    this.#othersDue = Math.min(...parts.map(({ nextDue }) => nextDue))
  }

  /**
   * Most of what an idle node does is to probe and to answer, and looking at all parts each time would be most of its work. True if the
   * detector alone was concerned; false if the others must be looked at, too.
   */
  #probeOnly(): boolean {
    const { now } = this.#context
    if (!this.#isProbing || now >= this.#othersDue) return false
    if (now >= this.#detector.nextDue) this.#detector.due()
    return this.#detector.isIdle
  }

  #arm(): void {
    if (this.#stopped) return
    const detectorDue = this.#left ? Infinity : this.#detector.nextDue
    const next = Math.max(Math.ceil(Math.min(this.#othersDue, detectorDue)), this.#context.now)
    if (next === this.#armedAt || next === Infinity) return
    this.#armedAt = next
    this.#context.effects.push({ type: 'timer', at: next })
  }

  #dispatch(input: Input<Data>): void {
    switch (input.type) {
      case 'start':
        this.#life.prepare(input.addresses)
        this.#context.isUnintroduced = input.introducers.some(({ id }) => id !== this.#context.id)
        this.#healer.start(input.introducers)
        this.#introduction.start(input.introducers)
        break
      case 'command':
        if (!this.#left) obey(input.command, this.#commanded)
        break
      case 'frame':
        this.#reception.frame(input.from, input.data, this.#received)
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
      case 'misbehaved':
        this.#reception.misbehaved(input.peer, input.problem)
        break
      case 'unreachable':
        this.#introduction.unreachable(input.peer, input.addresses, input.failure, input.reason)
        if (input.peer === undefined) break
        this.#detector.unreachable(input.peer, input.failure)
        this.#signals.unreachable(input.peer)
        break
      case 'hostProbed':
        this.#detector.hostProbed(input.peer, input.outcome)
        break
      case 'discovered':
        this.#introduction.discovered(input.introducer)
        break
      case 'addresses':
        this.#readdress(input.addresses)
        break
      case 'timer':
        this.#isProbing = this.#detector.isIdle
        this.#armedAt = Infinity
        break
    }
  }

  #receive(link: Link, message: Message): void {
    const from = link.peer
    if (this.#left) {
      // Nothing is done any more but passing on news.
      if (message.facts?.fresh === true) this.#broadcaster.passOnLeaving(this.#intake.take(message.facts.facts, from), from)
      else if (message.want !== undefined) this.#lazyPush.answer(from, message.want.items)
      return
    }
    this.#isProbing = (message.probe !== undefined || message.ack !== undefined) && this.#detector.isIdle
    this.#detector.heard(from)
    if (message.hello !== undefined) this.#greeted(link, message.hello)
    else if (message.goodbye !== undefined) link.goodbye = true
    else if (message.redirect !== undefined) this.#redirected(from, message.redirect.members)
    else if (this.self === undefined) return // not in yet: the rest would be told before our own join
    else if (message.reconcile !== undefined) this.#reconciler.receive(from, message.reconcile)
    else if (message.facts !== undefined) this.#facts(from, message.facts)
    else if (message.offer !== undefined) this.#lazyPush.receive(from, message.offer.items)
    else if (message.want !== undefined) this.#lazyPush.answer(from, message.want.items)
    else if (message.probe !== undefined) this.#detector.probed(from, message.probe.sequence)
    else if (message.ack !== undefined) this.#detector.acknowledged(from, message.ack)
    else if (message.alarm !== undefined) this.#detector.alarmed(from, message.alarm)
    else if (message.pingReq !== undefined) this.#detector.asked(from, message.pingReq.subjects)
    else if (message.pingReqAck !== undefined) this.#detector.helped(from, message.pingReqAck)
    else if (message.signal !== undefined) this.#signals.receive(from, message.signal)
    else if (message.signalAck !== undefined) this.#signals.acknowledged(from, message.signalAck.reference)
    // Anything else comes from a later version.
  }

  #broadcast(data: Data): BroadcastVerdict {
    if (this.self === undefined && !this.#left) return 'ignore'
    return this.#reception.broadcast(data, (facts, how) => {
      const news = this.#intake.take(facts, undefined, how)
      for (const fact of news) this.#broadcaster.suppress(fact.key)
      if (news.length > 0) this.#reconciler.quicken('broadcast')
    })
  }

  #facts(from: NodeId, { facts, fresh }: Facts): void {
    const { links, view } = this.#context
    // Asked before its join is taken in: it may tell nobody else of that, unlike a member whose next life begins.
    const isNewcomer = links.get(from)?.incarnation === 0 || view.known(from) === 0
    const news = this.#intake.take(facts, from)
    if (news.length === 0) return
    this.#reconciler.quicken(this.#broadcaster.isSurge ? 'broadcast' : 'other')
    this.#broadcaster.passOn(news, from, !fresh ? (this.#isWhole ? 'repair' : 'pool') : isNewcomer ? 'entry' : 'fresh')
  }

  #redirected(from: NodeId, members: readonly Told[]): void {
    if (this.#isWhole) return
    // It comes before the hello that lets this node in; until then nobody else's join may be told.
    this.#referral.accept(from, members)
    if (this.self !== undefined) this.#ask()
  }

  #linkUp(peer: NodeId, dialable: boolean): void {
    const { links, now, view } = this.#context
    if (links.has(peer)) return
    const link = new Link(peer, dialable, now, this.#context.budgets.account(peer, now))
    links.set(peer, link)
    if (this.#reception.turnsAway(link)) {
      this.#detector.heard(peer) // unwelcome, but not dead
      return
    }
    if (this.self !== undefined && view.known(peer) === 0) this.#referral.receive(peer)
    else this.#introduction.linkUp(peer)
    for (const part of [this.#detector, this.#sampling, this.#signals]) part.linkUp(peer)
  }

  #linkLost(peer: NodeId): void {
    const link = this.#context.links.get(peer)
    if (link === undefined) return
    this.#context.links.delete(peer)
    for (const part of [this.#reconciler, this.#lazyPush]) part.linkLost(peer)
    this.#detector.linkLost(peer, link.goodbye)
    this.#sampling.linkLost(link)
    this.#introduction.linkLost()
  }

  #greeted(link: Link, { known, ended, incarnation }: Exclude<Message['hello'], undefined>): void {
    const { view, config, id } = this.#context
    if (!(known <= config.limits.counter) || !(incarnation <= config.limits.counter)) throw new FrameError('an incarnation is out of range')
    link.greeted = true
    link.entered = incarnation > 0
    link.incarnation = incarnation
    const wasIn = this.self !== undefined
    link.isEntry = !wasIn || incarnation === 0
    this.#introduction.greeted(this.#life.credible(known))
    if (!wasIn || this.self === undefined) return // entering hands over to all greeted links
    // After a partition a stranger may be right, but keys that never were members are no company to each other.
    if (ended && known >= this.self.incarnation) this.#life.surrender(known, view.knows(link.peer) ? [link.peer] : [])
    if (incarnation === 0) return // a newcomer: it begins when it has entered
    if (known < this.self.incarnation) this.#handOver(link.peer)
    else if (!this.#isWhole || id < link.peer || view.known(link.peer) < incarnation) this.#reconciler.begin(link.peer)
  }

  /** Gives this node's own statement to a peer that does not know it, and reconciles. */
  #handOver(peer: NodeId): void {
    if (this.#referral.isReferrer(peer)) return
    const fact = this.#context.view.fact(this.#context.id)
    // One introducer makes this life known; to the others reconciliation tells it without ado.
    if (fact !== undefined && this.#introducedAs !== this.#life.incarnation) this.#context.sendFacts(peer, [fact], true)
    this.#introducedAs = this.#life.incarnation
    this.#reconciler.begin(peer)
  }

  /** Dials those who were named by who handed this node on. */
  #ask(): void {
    for (const [from, members] of this.#referral.takeNamed()) this.#referral.ask(this.#intake.take(members, from))
  }

  #enter(learned: number): void {
    this.#life.enter(learned)
    this.#ask()
    for (const link of this.#context.links.values()) if (link.greeted) this.#handOver(link.peer)
    this.#reconciler.quicken('other')
    this.#elections.renew()
  }

  /** Addresses changed within this life: told like any news of its own. */
  #readdress(addresses: readonly Address[]): void {
    const fact = this.#life.readdress(addresses)
    if (fact !== undefined) this.#broadcaster.announce(fact)
  }

  /** Tells the application, once. */
  #entered(alone: boolean): void {
    if (this.#toldEntered) return
    this.#toldEntered = true
    this.#context.notify({ type: 'entered', alone })
  }

  #reentered(fact: Fact): void {
    this.#elections.renew()
    this.#introducedAs = this.#life.incarnation
    this.#broadcaster.announce(fact)
  }

  #impersonated(incarnation: number): void {
    const message = `another process runs under this node's identity ${this.#context.id} (its incarnation is ${incarnation}); this one stops`
    this.#context.effects.push({ type: 'fail', code: 'IDENTITY_IN_USE', message })
    this.#stopped = true
  }

  /** No introducer will answer: this node is the pool. */
  #found(): void {
    this.#context.isUnintroduced = false
    this.#introduction.goAlone()
  }

  #leave(): void {
    const fact = this.#life.leave()
    if (fact === undefined) {
      this.#stopped = true
      return
    }
    this.#broadcaster.leave(fact)
    this.#left = true
  }

  /** Makes facts of this node's own known. */
  #announce(facts: readonly Fact[]): void {
    const isYoung = this.#life.age <= youth
    for (const fact of facts)
      if (isYoung) this.#broadcaster.announce(fact)
      else this.#broadcaster.queue(fact)
    this.#reconciler.quicken('other')
  }

  #changed(changes: readonly Change[]): void {
    for (const change of changes) {
      const { id } = change.member
      this.#reporter.report(change)
      if (change.type === 'updated') continue
      this.#detector.forget(id)
      if (change.type === 'joined') this.#lifeBegan(change.member)
      else this.#lifeEnded(change.member, change.type)
    }
    if (changes.length === 0) return
    this.#ringsChanged = true
    this.#reconciler.quicken('broadcast')
  }

  #lifeBegan(member: Member): void {
    this.#rings.add(member.id)
    const link = this.#context.links.get(member.id)
    if (link !== undefined) {
      link.incarnation = member.incarnation
      link.goodbye = false
    }
    this.#healer.found(member.id)
    this.#broadcaster.changed('joined')
    this.#elections.lifeBegan(member.id)
  }

  #lifeEnded(member: Member, how: 'left' | 'died'): void {
    const { view, facts, links, effects, now } = this.#context
    this.#rings.remove(member.id)
    this.#broadcaster.changed(how)
    if (how === 'left') this.#healer.left(member)
    else this.#healer.lost(member)
    this.#elections.lifeEnded(member.id)
    this.#signals.lifeEnded(member.id)
    const link = links.get(member.id)
    const end = view.fact(member.id)
    if (link === undefined || end === undefined || view.get(member.id) !== undefined) return
    link.goodbye = true
    // Not a link that a new process under the same identity has just opened.
    if (how === 'left' || link.incarnation !== member.incarnation) return
    // If it is only slow it reads this when it wakes, and enters anew.
    this.#context.send(member.id, { facts: { facts: [facts.told(end, now)], fresh: false } })
    effects.push({ type: 'disconnect', peer: member.id, reason: 'pronounced dead' })
  }

  #updateRings(): void {
    if (!this.#ringsChanged) return
    this.#ringsChanged = false
    this.#sampling.update(this.#rings.neighbours)
    this.#detector.observe(this.#rings.neighbours)
  }

  /** A reconciliation was completed: this is no longer a newcomer. */
  get #isWhole(): boolean {
    return this.#context.wholeSince < Infinity
  }

  #reconciled(): void {
    this.#context.isUnintroduced = false
    this.#entered(false)
    this.#referral.settle()
    this.#reporter.settle()
    this.#elections.reconciled()
  }

  #died(certificate: Certificate, after: Milliseconds): void {
    const fact = this.#intake.believe(certificate)
    if (fact !== undefined) this.#publish(fact, after)
  }

  /** Tells the pool on the topic, and while this node is young, all links as well. */
  #publish(fact: Fact, after?: Milliseconds): void {
    if (this.#life.age <= youth) for (const peer of this.#context.links.keys()) this.#context.sendFacts(peer, [fact], true)
    this.#broadcaster.queue(fact, after)
  }

  /** This process slept longer than others remember the dead: what it holds may revive them. It forgets everything and joins afresh. */
  #startOver(): void {
    const { view, facts, links, config } = this.#context
    const { self } = this
    if (self === undefined) return
    const former = [...view.members()]
    this.#reporter.remember(former)
    for (const { id } of former) this.#detector.forget(id)
    view.clear()
    facts.clear()
    this.#rings.clear()
    this.#detector.clear()
    this.#intake.clear()
    this.#broadcaster.clear()
    this.#elections.startOver()
    this.#context.wholeSince = Infinity
    // The others have forgotten this node, too: where no link outlived the sleep it has to call them.
    this.#introduction.startOver()
    for (const member of former.slice(0, config.limits.lost)) this.#healer.lost(member)
    this.#changed([{ type: 'died', member: self }])
    this.#life.beginAnew()
    this.#elections.renew()
    for (const peer of links.keys()) this.#handOver(peer)
  }
}
