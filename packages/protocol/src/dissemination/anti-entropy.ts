/**
 * Reconciliation: two nodes make their fact sets equal, with bytes in proportion to the difference
 * (anti-entropy). This file decides when a node reconciles, and with which peer.
 * `range-reconciliation.ts` has the content of the messages.
 *
 * A node reconciles with a random link at intervals. A change shortens the interval. While nothing
 * changes, the interval doubles each time. A node begins one reconciliation at a time. If one takes
 * long, its peer may be gone, so the node begins a second. A message with ranges gets one answer.
 * If both sides begin at once, only one exchange goes on.
 */
import { FrameError } from '../base/errors.ts'
import { hashSpace } from '../base/hash.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import type * as wire from '../wire/messages.js'
import { mayAsk } from './page.ts'
import { RangeAnswer } from './range-reconciliation.ts'

/**
 * First intervals after a change, ms. The interval doubles while nothing changes. `other` suits a
 * flash join (target). `broadcast` applies after a change that a broadcast brought, and in a surge.
 * Guess: such a change shows that dissemination works.
 */
export const intervals = { other: 250, broadcast: 500 } as const
/** Longest interval, ms. Target: idle traffic. */
export const intervalMax = 30_000
/**
 * In a larger pool broadcasts come more often. So the interval after a broadcast grows in
 * proportion to the pool, at most eight times. Measured (simulated, 1,000 nodes, one-hour
 * sessions): otherwise reconciliation was more than half of all bytes.
 */
const largePool = 500
/**
 * While a node's own reconciliation is under way, its timer begins no other one. The reconciliation
 * counts as under way for this time after its last message, ms. Measured (simulated, 40 nodes on
 * two processors of half the usual speed, after a partition): the pool was whole after 8 to 11 s.
 * With 1,000 ms it took 8 to 15 s. With 0 it took 10 to 20 s.
 */
export const oneAtATime = 2_500
/** A reconciliation ends if no answer comes for this time, ms. Guess. */
export const timeout = 5_000

/**
 * A node may begin other reconciliations once its present one has taken this time, ms. Guess: the
 * time that 50,000 members with the largest tags take at 10 Mbit/s.
 */
const longest = 60_000

interface Exchange {
  /** True if this node began the exchange. */
  readonly isOwn: boolean
  /**
   * True if this node began a reconciliation of all facts with this peer. An exchange that the peer
   * began may have replaced it.
   */
  readonly isSought: boolean
  readonly begun: Milliseconds
  /** Time of its last message. */
  heard: Milliseconds
  round: number
}

export class AntiEntropy implements Timed {
  readonly #context: Context
  /** Reconciliations in progress. */
  readonly #exchanges = new Map<NodeId, Exchange>()
  /** Exchanges whose answer did not come in time. On a slow machine it may still come. */
  readonly #late = new Map<NodeId, Exchange>()
  #interval: Milliseconds = intervals.other

  constructor(context: Context) {
    this.#context = context
  }

  /** Shortens the interval after a change. */
  quicken(cause: keyof typeof intervals): void {
    const size = cause === 'other' ? 1 : this.#context.view.size / largePool
    const wanted = intervals[cause] * Math.min(Math.max(size, 1), 8)
    this.#interval = Math.min(this.#interval, wanted)
    this.#context.timers.advance('reconciliation', this.#context.now + this.#context.jitter(this.#interval))
  }

  due(): void {
    const { now, links, timers } = this.#context
    for (const [peer, exchange] of this.#exchanges) {
      if (this.#isAlive(exchange)) continue
      this.#exchanges.delete(peer)
      this.#late.set(peer, exchange)
    }
    const peers = [...links.values()]
      .filter((link) => link.entered && !link.redirected && !this.#exchanges.has(link.peer))
      .map((link) => link.peer)
    const peer = this.#isBusy() ? undefined : pickOne(() => this.#context.random(), peers)
    if (peer !== undefined) this.begin(peer)
    timers.set('reconciliation', now + this.#context.jitter(this.#interval))
    this.#interval = Math.min(intervalMax, this.#interval * 2)
  }

  /** Begins a reconciliation, unless this node already has one with this peer in progress. */
  begin(peer: NodeId): void {
    const { now } = this.#context
    const exchange = this.#exchanges.get(peer)
    if (exchange?.isOwn === true && this.#isAlive(exchange)) return
    this.#exchanges.set(peer, { isOwn: true, isSought: true, begun: now, heard: now, round: 1 })
    this.#context.send(peer, { reconcile: { round: 1, ranges: [new RangeAnswer(this.#context.facts.ranges).describe(0, hashSpace)] } })
  }

  #isAlive({ heard }: Exchange): boolean {
    return this.#context.now - heard < timeout
  }

  /**
   * True if a reconciliation that this node began is in progress. If many nodes share a processor,
   * answers take seconds, and more exchanges would slow all of them down.
   */
  #isBusy(): boolean {
    const { now } = this.#context
    for (const { isOwn, begun, heard } of this.#exchanges.values())
      if (isOwn && now - heard < oneAtATime && now - begun < longest) return true
    return false
  }

  linkLost(peer: NodeId): void {
    this.#exchanges.delete(peer)
    this.#late.delete(peer)
  }

  /** Answers one message. Throws {@link FrameError} on invalid ranges. */
  receive(from: NodeId, { round, ranges }: wire.Reconcile): void {
    const { config, links, now } = this.#context
    const link = links.get(from)
    if (link === undefined) return
    link.entered = true
    const exchange = this.#exchanges.get(from)
    // Both sides began at the same time. Only the exchange of the lower id goes on. Otherwise both
    // sides would send everything twice.
    if (round === 1 && exchange?.isOwn === true && exchange.round === 1 && this.#isAlive(exchange) && this.#context.id < from) return
    if (ranges.length === 0) {
      // Without this check any member could make a newcomer believe that it knows the whole pool.
      if (exchange !== undefined || this.#late.has(from)) this.#ended(from)
      return
    }
    if (ranges.length > config.limits.rangesPerFrame)
      throw new FrameError(`a frame has at most ${config.limits.rangesPerFrame} ranges, not ${ranges.length}`)
    // The ranges must be in order and disjoint, so that nobody requests a fact twice.
    ranges.forEach(({ from: start, to }, i) => {
      if (!Number.isSafeInteger(start) || to > hashSpace || start < 0 || start >= to) throw new FrameError(`no range: ${start} to ${to}`)
      if (i > 0 && start < (ranges[i - 1] as wire.Range).to) throw new FrameError('ranges that overlap')
    })
    if (!mayAsk(this.#context, link)) return
    const reply = new RangeAnswer(this.#context.facts.ranges)
    reply.answer(ranges, config.limits.rangesPerFrame)
    reply.page.send(this.#context, link, false)
    this.#context.send(from, { reconcile: { round: Math.min(round, 1_000_000) + 1, ranges: reply.ranges } })
    if (reply.ranges.length === 0) this.#ended(from)
    else if (round === 1 || exchange === undefined) {
      const former = exchange ?? this.#late.get(from)
      const isSought = former?.isSought === true
      this.#exchanges.set(from, { isOwn: false, isSought, begun: isSought ? former.begun : now, heard: now, round })
    } else Object.assign(exchange, { heard: now, round })
  }

  #ended(peer: NodeId): void {
    const { now, services } = this.#context
    const exchange = this.#exchanges.get(peer)
    if (exchange?.isOwn === true) services.measure?.({ what: 'reconciliation', took: now - exchange.begun })
    const ended = exchange ?? this.#late.get(peer)
    this.#exchanges.delete(peer)
    this.#late.delete(peer)
    if (!this.#context.isUnintroduced || this.#isEnough(ended)) this.#context.outcomes.push({ type: 'reconciled', peer })
    else if (ended?.isSought === true) this.quicken('other')
  }

  /**
   * True if this exchange shows a newcomer the whole pool. A peer could begin and end an exchange
   * of no facts, or answer with nothing while an introducer still sends the pool. So this node must
   * have begun the exchange, and no earlier one may be in progress. An exchange with a redirector
   * does not count here, since a redirector does not send the pool.
   */
  #isEnough(ended: Exchange | undefined): boolean {
    if (ended?.isSought !== true) return false
    const { links, now } = this.#context
    return ![...this.#exchanges].some(
      ([peer, exchange]) =>
        exchange.isSought &&
        exchange.begun <= ended.begun &&
        this.#isAlive(exchange) &&
        now - exchange.begun < longest &&
        !this.#late.has(peer) &&
        links.get(peer)?.redirected !== true,
    )
  }
}
