/** Passes each input, and each message of a peer, to the part that it concerns. */
import type { BroadcastVerdict } from './base/effect.ts'
import { FrameError } from './base/errors.ts'
import type { Command, Input } from './base/input.ts'
import type { Encoded, Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Link } from './context/links.ts'
import { Departure } from './departure.ts'
import type { Fact } from './facts/fact.ts'
import { isKind } from './facts/statement.ts'
import type { Facts, Message } from './frames/message.ts'
import type { Parts } from './parts.ts'
import { skew } from './records/records.ts'
import type { Settlement } from './settlement.ts'

/**
 * After an absence of at most this time, ms, a node takes in its saved records, even if a member
 * was in the pool for all that time. The calendars of honest members differ by less (`skew`).
 * Guess.
 */
const briefAbsence = 2 * skew

export class Inputs<Data extends Encoded> {
  readonly departure: Departure<Data>
  readonly #parts: Parts<Data>
  readonly #context: Context<Data>
  readonly #settlement: Settlement
  readonly #received = (link: Link, message: Message): void => this.#receive(link, message)

  /** True once this node has taken in or dropped the records of an earlier run. */
  hasRestored = false
  #saved: { readonly records: readonly Data[]; readonly at: Milliseconds } | undefined

  constructor(parts: Parts<Data>, settlement: Settlement) {
    this.#parts = parts
    this.#context = parts.context
    this.#settlement = settlement
    this.departure = new Departure(parts, settlement)
  }

  /** Handles an input. Its outcomes wait for their settlement. */
  dispatch(input: Exclude<Input<Data>, { type: 'timer' }>): void {
    const { life, healer, introduction, reception, detector, signals } = this.#parts
    switch (input.type) {
      case 'start':
        life.prepare(input.addresses)
        this.#context.isUnintroduced = input.introducers.some(({ id }) => id !== this.#context.id)
        healer.start(input.introducers)
        introduction.start(input.introducers)
        this.#saved = input.saved
        break
      case 'command':
        if (!this.#hasLeft) this.#obey(input.command)
        break
      case 'frame':
        reception.frame(input.from, input.data, this.#received)
        break
      case 'broadcast':
        this.broadcast(input.data)
        break
      case 'connected':
        this.#settlement.handshake.linkUp(input.peer, input.dialable)
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
        this.departure.lost(input.peer)
        detector.unreachable(input.peer, input.failure)
        signals.unreachable(input.peer)
        break
      case 'hostProbed':
        detector.hostProbed(input.peer, input.outcome)
        break
      case 'discovered':
        introduction.discovered(input.introducer)
        break
      case 'reach':
        this.#announceSelf(this.#parts.life.reached(input.reach))
        break
      case 'addresses':
        this.#announceSelf(this.#parts.life.readdress(input.addresses))
        break
    }
  }

  /**
   * Takes in the records of an earlier run, once this node has entered. Leaves out damaged records
   * and records of the future, with a warning for each kind. After a long absence it takes in none
   * of them if a member was in the pool for all that time. Such a member has the newer records. If
   * it lacks a record, the owner withdrew the record, or replaced it by one that has expired since.
   */
  restoreRecords(): void {
    const { view, id, isUnintroduced, services } = this.#context
    if (this.hasRestored || isUnintroduced || this.#parts.life.self === undefined) return
    this.hasRestored = true
    const saved = this.#saved
    this.#saved = undefined
    if (saved === undefined) return
    const wasAway = services.today() - saved.at > briefAbsence
    if (wasAway && [...view.members()].some((member) => member.id !== id && member.joinedAt <= saved.at)) return
    const frames = saved.records
    let [bad, ahead] = [0, 0]
    for (const frame of frames) {
      try {
        const told = this.#context.wire.decodeFrame(frame).facts?.facts ?? []
        const records = told.filter(({ fact }) => fact.isRecord)
        bad += records.length === 0 ? 1 : 0
        this.#settlement.takeIn(records, { peer: this.#context.id })
        ahead += records.filter(({ fact }) => this.#isAhead(fact)).length
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
        bad += 1
      }
    }
    if (bad > 0) this.#context.warn('RECORDS_FILE', `${bad} of ${frames.length} saved records are damaged or forged: they are left out`)
    if (ahead > 0)
      this.#context.warn('RECORDS_FILE', `${ahead} saved records are left out: by the calendar of this node they are of the future`)
  }

  #isAhead({ content }: Fact): boolean {
    const { services, config } = this.#context
    return (
      'statement' in content &&
      isKind(content.statement, 'record') &&
      content.statement.content.expires - services.today() > config.limits.recordLifetime + skew
    )
  }

  #receive(link: Link, message: Message): void {
    const from = link.peer
    const { detector, lazyPush, signals, reconciler } = this.#parts
    if (this.#hasLeft) {
      this.departure.receive(link, message)
      return
    }
    detector.heard(from)
    if (message.hello !== undefined) this.#settlement.handshake.greeted(link, message.hello)
    else if (message.goodbye !== undefined) link.goodbye = true
    else if (message.redirect !== undefined) this.#settlement.handshake.redirected(from, message.redirect.members)
    else if (this.#parts.life.self === undefined) return // this node's own join comes first
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

  /** Handles a broadcast. Returns a verdict on forwarding it. */
  broadcast(data: Data): BroadcastVerdict {
    if (this.#parts.life.self === undefined && !this.#hasLeft) return 'ignore'
    const { reception, broadcaster, reconciler } = this.#parts
    return reception.broadcast(data, (facts, how) => {
      const news = this.#settlement.takeIn(facts, 'topic', how)
      for (const fact of news) broadcaster.suppress(fact.key)
      if (news.length > 0) reconciler.quicken('broadcast')
    })
  }

  #facts(link: Link, { facts, fresh }: Facts): void {
    const { isWhole, view } = this.#context
    const { reconciler, broadcaster } = this.#parts
    // Must precede `takeIn`, which takes in the peer's join. A newcomer sends its join to this node
    // alone. A member sends the join of its next life to all links.
    const isNewcomer = link.incarnation === 0 || view.known(link.peer) === 0
    const news = this.#settlement.takeIn(facts, link)
    if (news.length === 0) return
    reconciler.quicken(broadcaster.isSurge ? 'broadcast' : 'other')
    if (fresh) broadcaster.sendToYoungLinks(news, link.peer)
    broadcaster.passOn(news, link.peer, !fresh ? (isWhole ? 'repair' : 'pool') : isNewcomer ? 'entry' : 'fresh')
  }

  #obey(command: Command): void {
    const { elections, detector, signals, records, life } = this.#parts
    switch (command.type) {
      case 'elect':
        elections.elect(command.election)
        break
      case 'withdraw':
        elections.withdraw(command.election)
        break
      case 'maybeDead':
        detector.suspect(command.id)
        break
      case 'rejoin':
        life.rejoin(command.incarnation)
        break
      case 'signal':
        signals.send(command.ref, command.name, command.to)
        break
      case 'publish':
        records.publish(command.name, command.value, command.lifetime, command.owner)
        break
      case 'unpublish':
        records.unpublish(command.name, command.owner)
        break
      case 'retag':
        this.#announceSelf(life.retag(command.tag))
        break
      case 'setConstant':
        this.#announceSelf(life.setConstant(command.name, command.value))
        break
      case 'broadcast':
        records.broadcast(command.name, command.payload, command.query)
        break
      case 'leave':
        this.departure.begin()
        break
      case 'found':
        this.#found()
        break
    }
  }

  #linkLost(peer: NodeId): void {
    const { reconciler, lazyPush, detector, linkMaintenance, introduction, elections } = this.#parts
    const link = this.#context.links.get(peer)
    if (link === undefined) return
    this.#context.links.delete(peer)
    this.departure.lost(peer)
    for (const part of [reconciler, lazyPush]) part.linkLost(peer)
    detector.linkLost(link)
    linkMaintenance.linkLost(link)
    introduction.linkLost()
    elections.schedule()
  }

  /**
   * Announces a new version of this node's own statement. A change before the entry needs no
   * announcement: the node enters with it.
   */
  #announceSelf(fact: Fact | undefined): void {
    if (fact !== undefined) this.#parts.broadcaster.announce(fact)
  }

  /** Founds the pool, since no introducer will answer. */
  #found(): void {
    this.#context.isUnintroduced = false
    this.#parts.introduction.goAlone()
  }

  get #hasLeft(): boolean {
    return this.#context.phase === 'left'
  }
}
