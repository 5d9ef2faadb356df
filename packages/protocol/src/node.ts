/**
 * A node: takes inputs with the time, and returns effects.
 *
 * An input goes to the part that it concerns. The findings of that part for other parts wait in a
 * queue of outcomes, and this class settles them in order. It decides nothing about membership or
 * elections: the parts do.
 */
import { hashSpace } from './base/hash.ts'
import type {
  BroadcastVerdict,
  Effect,
  Encoded,
  Health,
  Input,
  LinkState,
  Member,
  Milliseconds,
  NodeId,
  PoolRecord,
  Reign,
} from './base/io.ts'
import { nameProblem } from './base/name.ts'
import { obey, type Commanded } from './commands.ts'
import type { Context } from './context/context.ts'
import type { Link } from './context/links.ts'
import type { TimerName } from './context/timers.ts'
import type { Outcome } from './context/outcomes.ts'
import { stall } from './detection/probing/health-multiplier.ts'
import { meshTime } from './dissemination/broadcaster.ts'
import { Handshake } from './handshake.ts'
import type { Fact, Told } from './facts/fact.ts'
import type { Facts, Message } from './frames/message.ts'
import type { Source } from './intake.ts'
import { Membership } from './membership.ts'
import { Parts, type NodeOptions } from './parts.ts'

export type { NodeOptions } from './parts.ts'

/**
 * Wait before a claim after a sleep that is longer than others are remembered, ms. Guess: twice the
 * longest wait between two dials to one lost member (healing).
 */
const lookAround = 60_000

/** After its left-statement a node only publishes: that, and news of others that leave, too. */
const afterLeaving: ReadonlySet<TimerName> = new Set<TimerName>(['broadcast', 'lazyPush'])

/** `Data` is the encoded form of messages, by the codec among the services. */
export class ProtocolNode<Data extends Encoded = Uint8Array> {
  readonly #parts: Parts<Data>
  readonly #context: Context<Data>
  readonly #handshake: Handshake
  readonly #membership: Membership
  readonly #commanded: Commanded
  /**
   * The left-statement is sent. Until the host stops, this node still passes on news, as the
   * senders may be leaving, too.
   */
  #left = false
  #stopped = false
  #armedAt: Milliseconds = Infinity
  readonly #received = (link: Link, message: Message): void => this.#receive(link, message)

  /** Throws RangeError on an invalid pool name. */
  constructor(options: NodeOptions<Data>) {
    const problem = nameProblem(options.pool)
    if (problem !== undefined) throw new RangeError(`the pool's name ${problem}`)
    this.#parts = new Parts(options)
    this.#context = this.#parts.context
    const parts = this.#parts as Parts
    this.#membership = new Membership(parts)
    this.#handshake = new Handshake(parts)
    const { elections, detector, signals, records } = parts
    this.#commanded = {
      elections,
      detector,
      signals,
      records,
      retag: (tag) => this.#tellOfItself(this.#parts.life.retag(tag)),
      setConstant: (name, value) => this.#tellOfItself(this.#parts.life.setConstant(name, value)),
      leave: () => this.#leave(),
      found: () => this.#found(),
    }
  }

  /** This node as others know it; undefined before it entered and after it left. */
  get self(): Member | undefined {
    return this.#parts.life.self
  }

  /** Returns the view, self included, ordered by id. */
  members(): Member[] {
    return [...this.#context.view.members()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  member(id: NodeId): Member | undefined {
    return this.#context.view.get(id)
  }

  /** True if this node stands in this election. */
  stands(election: string): boolean {
    return this.#parts.elections.stands(election)
  }

  /** The reign of this election as this node sees it; undefined while there is no live winner. */
  reign(election: string): Reign | undefined {
    return this.#parts.elections.reign(election)
  }

  /**
   * Returns the published records by name, each with its owner, whose names begin with `prefix`.
   */
  records(prefix?: string): PoolRecord[] {
    return this.#parts.records.list(prefix)
  }

  get links(): ReadonlySet<NodeId> {
    return new Set(this.#context.links.keys())
  }

  /** Returns the links, ordered by peer. */
  linkStates(): LinkState[] {
    return [...this.#context.links.keys()].sort().map((id) => ({ id, roundTrip: this.#parts.detector.roundTrip(id) }))
  }

  health(now: Milliseconds = this.#context.now): Health {
    this.#context.now = Math.max(this.#context.now, Math.floor(now))
    return this.#parts.health.current
  }

  /**
   * Fingerprint of all facts that this node exchanges: the same at two nodes that agree on
   * everything.
   */
  get fingerprint(): { readonly count: number; readonly high: number; readonly low: number } {
    return this.#context.facts.fingerprint(0, hashSpace)
  }

  /** Takes one input and returns the effects to carry out, in order. */
  handle(input: Input<Data>, now: Milliseconds): Effect<Data>[] {
    if (this.#stopped) return []
    this.#begin(now)
    const wasLeft = this.#left
    this.#dispatch(input)
    return this.#finish(wasLeft)
  }

  /** Takes a `broadcast` input, and also returns a verdict on forwarding it. */
  handleBroadcast(data: Data, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Data>[] } {
    if (this.#stopped) return { verdict: 'ignore', effects: [] }
    this.#begin(now)
    const verdict = this.#broadcast(data)
    return { verdict, effects: this.#finish(this.#left) }
  }

  #begin(now: Milliseconds): void {
    const context = this.#context
    // Whole milliseconds keep sums and differences of times exact, so that all comparisons agree
    // about the due time.
    context.now = Math.max(context.now, Math.floor(now))
    context.effects = []
    const lateness = context.now - this.#armedAt
    if (lateness <= stall || this.#left) return
    this.#armedAt = context.now
    this.#parts.detector.stalled(lateness)
    this.#parts.elections.stalled()
    if (lateness >= context.config.healing.memory) this.#startOver()
  }

  /**
   * `left`: the application received the end of this node already, and gets no more notifications.
   */
  #finish(left: boolean): Effect<Data>[] {
    const context = this.#context
    this.#settle()
    this.#fireTimers()
    this.#arm()
    const { effects } = context
    context.effects = []
    return left ? effects.filter(({ type }) => type === 'send' || type === 'broadcast' || type === 'timer') : effects
  }

  /** Gives each part whose timer is due its turn, and settles the outcomes of each. */
  #fireTimers(): void {
    const { timers, now } = this.#context
    const { timed, health } = this.#parts
    if (!this.#left) this.#membership.updateRings()
    timers.fire(now, (name) => {
      if (this.#stopped) return
      timed[name].due()
      this.#settle()
    })
    if (this.#left) return
    this.#membership.updateRings()
    health.report()
  }

  /** Asks to be woken when the next timer fires. */
  #arm(): void {
    if (this.#stopped) return
    const next = Math.max(Math.ceil(this.#context.timers.next), this.#context.now)
    if (next === this.#armedAt || next === Infinity) return
    this.#armedAt = next
    this.#context.effects.push({ type: 'timer', at: next })
  }

  #dispatch(input: Input<Data>): void {
    const { life, healer, introduction, reception, detector, signals } = this.#parts
    switch (input.type) {
      case 'start':
        life.prepare(input.addresses)
        this.#context.isUnintroduced = input.introducers.some(({ id }) => id !== this.#context.id)
        healer.start(input.introducers)
        introduction.start(input.introducers)
        break
      case 'command':
        if (!this.#left) obey(input.command, this.#commanded)
        break
      case 'frame':
        reception.frame(input.from, input.data, this.#received)
        break
      case 'broadcast':
        this.#broadcast(input.data)
        break
      case 'connected':
        this.#handshake.linkUp(input.peer, input.dialable)
        break
      case 'disconnected':
        this.#linkLost(input.peer)
        break
      case 'misbehaved':
        reception.misbehaved(input.peer, input.problem)
        break
      case 'unreachable':
        introduction.unreachable(input.peer, input.addresses, input.failure, input.reason)
        if (input.peer === undefined) break
        detector.unreachable(input.peer, input.failure)
        signals.unreachable(input.peer)
        break
      case 'hostProbed':
        detector.hostProbed(input.peer, input.outcome)
        break
      case 'discovered':
        introduction.discovered(input.introducer)
        break
      case 'addresses':
        this.#tellOfItself(this.#parts.life.readdress(input.addresses))
        break
      case 'timer':
        this.#armedAt = Infinity
        break
    }
  }

  #receive(link: Link, message: Message): void {
    const from = link.peer
    const { detector, lazyPush, signals, reconciler, broadcaster } = this.#parts
    if (this.#left) {
      // Only pass on news.
      if (message.facts?.fresh === true) broadcaster.passOnLeaving(this.#takeIn(message.facts.facts, link), from)
      else if (message.want !== undefined) lazyPush.answer(from, message.want.items)
      else if (message.hello !== undefined) this.#tellEnd(from)
      return
    }
    detector.heard(from)
    if (message.hello !== undefined) this.#handshake.greeted(link, message.hello)
    else if (message.goodbye !== undefined) link.goodbye = true
    else if (message.redirect !== undefined) this.#handshake.redirected(from, message.redirect.members)
    else if (this.self === undefined) return // not in yet: our own join comes first
    else if (message.reconcile !== undefined) reconciler.receive(from, message.reconcile)
    else if (message.facts !== undefined) this.#facts(link, message.facts)
    else if (message.offer !== undefined) lazyPush.receive(from, message.offer.items)
    else if (message.want !== undefined) lazyPush.answer(from, message.want.items)
    else if (message.probe !== undefined) detector.probed(from, message.probe.sequence)
    else if (message.ack !== undefined) detector.acknowledged(from, message.ack)
    else if (message.alarm !== undefined) detector.alarmed(from, message.alarm)
    else if (message.pingReq !== undefined) detector.asked(from, message.pingReq.subjects)
    else if (message.pingReqAck !== undefined) detector.helped(from, message.pingReqAck)
    else if (message.signal !== undefined) signals.receive(from, message.signal)
    else if (message.signalAck !== undefined) signals.acknowledged(from, message.signalAck.reference)
    // All other messages come from a later version.
  }

  /**
   * Sends this node's end to a peer that links with it after it left. Otherwise the peer would take
   * it for dead.
   */
  #tellEnd(peer: NodeId): void {
    const end = this.#context.view.fact(this.#context.id)
    if (end !== undefined) this.#context.sendFacts(peer, [end], true)
  }

  #broadcast(data: Data): BroadcastVerdict {
    if (this.self === undefined && !this.#left) return 'ignore'
    const { reception, broadcaster, reconciler } = this.#parts
    return reception.broadcast(data, (facts, how) => {
      const news = this.#takeIn(facts, 'topic', how)
      for (const fact of news) broadcaster.suppress(fact.key)
      if (news.length > 0) reconciler.quicken('broadcast')
    })
  }

  #facts(link: Link, { facts, fresh }: Facts): void {
    const { isWhole, view } = this.#context
    const { reconciler, broadcaster } = this.#parts
    // Checked before its join is taken in. A newcomer sends that to nobody else, unlike a member
    // whose next life begins.
    const isNewcomer = link.incarnation === 0 || view.known(link.peer) === 0
    const news = this.#takeIn(facts, link)
    if (news.length === 0) return
    reconciler.quicken(broadcaster.isSurge ? 'broadcast' : 'other')
    if (fresh) broadcaster.tellYoungLinks(news, link.peer)
    broadcaster.passOn(news, link.peer, !fresh ? (isWhole ? 'repair' : 'pool') : isNewcomer ? 'entry' : 'fresh')
  }

  /**
   * The only entry for facts. Takes each in, and settles its consequences before the next. Returns
   * the news.
   */
  #takeIn(told: readonly Told[], source: Source, how: 'frame' | 'broadcast' | 'echo' = 'frame'): Fact[] {
    const news: Fact[] = []
    for (const each of told) {
      const taken = this.#parts.intake.take(each, source, how)
      if (taken !== undefined) news.push(taken)
      this.#settle()
    }
    return news
  }

  #linkLost(peer: NodeId): void {
    const { reconciler, lazyPush, detector, linkMaintenance, introduction, elections } = this.#parts
    const link = this.#context.links.get(peer)
    if (link === undefined) return
    this.#context.links.delete(peer)
    for (const part of [reconciler, lazyPush]) part.linkLost(peer)
    detector.linkLost(link)
    linkMaintenance.linkLost(link)
    introduction.linkLost()
    elections.schedule()
  }

  /** Settles the waiting outcomes in order, and the consequences of each before the next. */
  #settle(): void {
    const { outcomes } = this.#context
    if (outcomes.length === 0) return
    this.#context.outcomes = []
    for (const outcome of outcomes) {
      this.#settleOne(outcome)
      this.#settle()
    }
  }

  #settleOne(outcome: Outcome): void {
    const { life, reconciler, broadcaster, healer, intake } = this.#parts
    switch (outcome.type) {
      case 'changed':
        this.#membership.changed(outcome.changes)
        break
      case 'certified': {
        const { certificate, after, isLone } = outcome
        const fact = intake.believe(certificate)
        if (fact !== undefined && after !== undefined) this.#publish([fact], after, isLone && after === 0)
        break
      }
      case 'publish':
        this.#publish([outcome.fact], outcome.after)
        break
      case 'announce':
        this.#publish(outcome.facts, 0, outcome.isAtOnce)
        reconciler.quicken('other')
        break
      case 'isolated':
        this.#parts.linkMaintenance.isolated()
        break
      case 'unsure':
        reconciler.quicken('other')
        break
      case 'reconciled':
        this.#reconciled(outcome.peer)
        break
      case 'enter':
        this.#handshake.enter(outcome.learned)
        break
      case 'alone':
        this.#handshake.notify(true)
        this.#parts.elections.schedule()
        break
      case 'referred':
        this.#parts.referral.ask(this.#takeIn(outcome.members, { peer: outcome.from }))
        break
      case 'introduce':
        this.#handshake.introduce(outcome.peer)
        break
      case 'rejoined':
        this.#handshake.rejoined(outcome.fact)
        break
      case 'impersonated':
        this.#impersonated(outcome.incarnation)
        break
      case 'rejoin':
        life.rejoin(outcome.incarnation, outcome.by)
        break
      case 'contested':
        healer.contested(outcome.id)
        break
      case 'overheard':
        broadcaster.suppress(outcome.key)
        break
    }
  }

  /**
   * After a reconciliation with a member, both sides know at least that member. One with a stranger
   * proves no knowledge of the pool.
   */
  #reconciled(peer: NodeId): void {
    const { view, now } = this.#context
    if (view.get(peer) === undefined) return
    this.#handshake.compareCalendars(peer)
    this.#context.wholeSince = Math.min(this.#context.wholeSince, now)
    this.#context.lastReconciliation = now
    this.#context.isUnintroduced = false
    this.#handshake.notify(false)
    const { referral, reporter, elections } = this.#parts
    referral.settle()
    reporter.settle()
    elections.reconciled()
  }

  /**
   * Announces a new version of this node's own statement. A change before it enters needs none: the
   * node enters with it.
   */
  #tellOfItself(fact: Fact | undefined): void {
    if (fact !== undefined) this.#parts.broadcaster.announce(fact)
  }

  #impersonated(incarnation: number): void {
    const message = `another process runs under this node's identity ${this.#context.id} (its incarnation is ${incarnation}); this one stops`
    this.#context.effects.push({ type: 'fail', code: 'IDENTITY_IN_USE', message })
    this.#stopped = true
  }

  /** Founds the pool, since no introducer will answer. */
  #found(): void {
    this.#context.isUnintroduced = false
    this.#parts.introduction.goAlone()
  }

  #leave(): void {
    const fact = this.#parts.life.leave()
    if (fact === undefined) {
      this.#stopped = true
      return
    }
    this.#settle()
    this.#parts.broadcaster.leave(fact)
    this.#context.timers.retain(afterLeaving)
    this.#left = true
  }

  /**
   * Publishes on the topic. A young node has no mesh there yet, so it also sends the facts over its
   * links. `isAtOnce`: they wait for no batch.
   */
  #publish(facts: readonly Fact[], after?: Milliseconds, isAtOnce = false): void {
    const { broadcaster } = this.#parts
    const { links, age } = this.#context
    if (age <= meshTime) for (const peer of links.keys()) this.#context.sendFacts(peer, facts, true)
    if (isAtOnce) broadcaster.publish(facts)
    else for (const fact of facts) broadcaster.queue(fact, after)
  }

  /**
   * This process slept longer than others remember the dead, so its facts may revive them. It
   * forgets all but records and joins afresh.
   */
  #startOver(): void {
    const { view, facts, links, config } = this.#context
    const { reporter, detector, rings, intake, records, broadcaster, elections, introduction, healer, life } = this.#parts
    const { self } = this
    if (self === undefined) return
    const former = [...view.members()]
    reporter.remember(former)
    for (const { id } of former) detector.forget(id)
    view.clear()
    facts.clear()
    rings.clear()
    detector.clear()
    intake.clear()
    records.startOver()
    broadcaster.clear()
    elections.startOver()
    this.#context.wholeSince = Infinity
    // The others have forgotten this node, too, so it has to call them.
    introduction.startOver()
    for (const member of former.slice(0, config.limits.lost)) healer.lost(member)
    this.#membership.changed([{ type: 'died', member: self }])
    life.beginAnew()
    this.#settle()
    // The first members that it meets may have slept as well.
    elections.renew(former.length > 1 ? lookAround : 0)
    // The others ended these links long ago, and TCP may take minutes to report it.
    for (const peer of links.keys()) this.#context.closeLink(peer, 'slept for too long')
  }
}
