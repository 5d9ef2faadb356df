/**
 * The broadcaster: publishes fresh facts on the pool's topic, in batches.
 *
 * A broadcast costs every node processor time, so facts wait a moment for a batch. A newcomer
 * reaches nobody by the topic, so the member that receives the newcomer's join publishes the join.
 * Often several members have the same news: a leaver sends its leave to all links, and observers
 * certify a death together. Each of them waits for a different time. A member stays silent if the
 * fact arrives by broadcast before its turn (duplicate suppression, as in SRM, Floyd et al.,
 * SIGCOMM'95). In a surge, nodes do not publish joins and ends. These facts go by lazy push along
 * the links, and mostly reach each node once. Reconciliation repairs losses.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import { Recent } from '../base/recent.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import type { Link } from '../context/links.ts'
import type { Fact } from '../facts/fact.ts'
import type { Change } from '../facts/membership-view.ts'
import type { LazyPush } from './lazy-push.ts'

/**
 * Batching delay of own news and of a newcomer's join, ms. Target: all nodes know a single join in
 * 0.3 s.
 */
export const delay = 20
/** Longest batching delay, ms. Each batch within the last second doubles the delay. Guess. */
export const delayMax = 1_000
/**
 * If several members have the same news, each waits this much longer than the member before, ms.
 * Guess: the time of a message across a continent.
 */
export const turnLength = 40
/**
 * More changes than this within a `second` are a surge. Joins and leaves: measured (simulated, 100
 * nodes), lazy push then takes half the bytes of publishing each change. Deaths: guess. Many deaths
 * often come together, and they are urgent.
 */
const surge = { joined: 4, left: 4, died: 32 }
/** The time in which changes count together, ms. By definition. */
const second = 1_000
/** A younger node or link is in no mesh of the topic yet, ms. Measured: one to two seconds. */
export const meshTime = 3_000

interface News {
  readonly fact: Fact
  readonly from: NodeId | undefined
  due: Milliseconds
  /** Other members may publish the fact first. So it waits once more if this process is late. */
  isShared: boolean
}

export class Broadcaster implements Timed {
  readonly #context: Context
  readonly #lazyPush: LazyPush
  readonly #waiting = new Map<string, News>()
  /** Times of the batches published within the last second. */
  #recent: Milliseconds[] = []
  /** Recent joins and ends. */
  readonly #changes: Readonly<Record<Exclude<Change['type'], 'updated'>, Recent>>
  #isLeaving = false

  constructor(context: Context, lazyPush: LazyPush) {
    this.#context = context
    this.#lazyPush = lazyPush
    const { joined, left, died } = surge
    this.#changes = { joined: new Recent(joined, second), left: new Recent(left, second), died: new Recent(died, second) }
  }

  /** Notes that a member entered or is gone, from any source. */
  changed(what: Exclude<Change['type'], 'updated'>): void {
    this.#changes[what].note(this.#context.now)
  }

  /** True if many members enter or end at present. Facts of that kind go by lazy push. */
  get isSurge(): boolean {
    const { joined, left, died } = this.#changes
    return [joined, left, died].some((recent) => recent.isOften(this.#context.now))
  }

  /**
   * Publishes a fact soon. `after`: extra wait, ms, in which others may publish it first or more
   * facts may join the batch.
   */
  queue(fact: Fact, after: Milliseconds = 0, from?: NodeId): void {
    if (this.#isOfSurge(fact)) {
      this.#lazyPush.add(fact, from)
      return
    }
    const { now } = this.#context
    this.#recent = this.#recent.filter((time) => now - time < second)
    const wait = this.#isLeaving ? delay : Math.min(delayMax, delay * 2 ** Math.min(this.#recent.length, 16))
    const due = now + wait + after
    this.#waiting.set(fact.key, { fact, from, due, isShared: after > 0 })
    this.#context.timers.advance('broadcast', due)
  }

  #isOfSurge(fact: Fact): boolean {
    return fact.says !== undefined && this.#changes[fact.says].isOften(this.#context.now)
  }

  /** Drops a waiting fact, since another node published it or a newer one with the same key. */
  suppress(key: string): void {
    this.#waiting.delete(key)
  }

  /** Announces this node's leave. From now on facts wait for the shortest delay only. */
  leave(fact: Fact): void {
    this.#isLeaving = true
    this.#lazyPush.leave()
    this.announce(fact)
  }

  /** Sends a fact about this node itself to all links at once, and publishes it soon. */
  announce(fact: Fact): void {
    for (const peer of this.#context.links.keys()) this.#context.sendFacts(peer, [fact], true)
    this.queue(fact)
  }

  /**
   * Passes on news from a link. `entry`: from a non-member, which possibly sends the news to nobody
   * else. `fresh`: from a member, which sent the news to other nodes as well. `repair`: found by
   * reconciliation. This node offers such news to other peers. A peer may have offered it the same
   * fact, and relies on this node to offer the fact further. `pool`: this node is a newcomer, to
   * which everything is news. It publishes nothing. It offers only the facts of a surge, by lazy
   * push.
   */
  passOn(news: readonly Fact[], from: NodeId, how: 'entry' | 'fresh' | 'repair' | 'pool'): void {
    for (const fact of news) {
      this.#lazyPush.received(fact)
      if (how === 'repair' || this.#isOfSurge(fact)) this.#lazyPush.add(fact, from)
      else if (how !== 'pool') this.queue(fact, this.#turn(fact, from, how === 'entry') * turnLength, from)
    }
  }

  /**
   * Estimates how many members publish this fact before this node. Each of these members gets time
   * for its broadcast to arrive.
   */
  #turn(fact: Fact, from: NodeId, isEntry: boolean): number {
    const isOwn = fact.about === from
    // A newcomer sends its join to this node alone. A member sends its own news to all links and
    // publishes it first.
    if (isOwn && isEntry && fact.says === 'joined') return 0
    return (isOwn ? 1 : 0) + this.#context.random() * 3
  }

  /**
   * If left-statements came over a link, this node sends them over its young links as well. A
   * member that has only young links receives no broadcast. It would take the leaver for dead.
   */
  sendToYoungLinks(news: readonly Fact[], from: NodeId): void {
    const left = news.filter(({ says }) => says === 'left')
    if (left.length === 0) return
    const { links, view, now } = this.#context
    const isYoung = ({ peer, since }: Link): boolean => now - since < meshTime && peer !== from && view.get(peer) !== undefined
    for (const link of links.values()) if (isYoung(link)) this.#context.sendFacts(link.peer, left, true)
  }

  /**
   * Publishes news that arrives while this node leaves, and pushes the news to a few members that
   * stay. The sender may be leaving as well, and may have no other link.
   */
  passOnLeaving(news: readonly Fact[], from: NodeId): void {
    for (const fact of news) {
      this.queue(fact, 0, from)
      this.#lazyPush.add(fact, from)
    }
  }

  /** Drops all waiting facts: they may be false. */
  clear(): void {
    this.#waiting.clear()
    this.#context.timers.set('broadcast', Infinity)
  }

  due(): void {
    const { now, timers } = this.#context
    this.#postpone()
    const isRipe = [...this.#waiting.values()].some(({ due }) => due <= now)
    if (isRipe) this.#publishWaiting()
    timers.set('broadcast', Math.min(Infinity, ...[...this.#waiting.values()].map(({ due }) => due)))
  }

  /**
   * Postpones facts that other members may publish. A late timer means that this process is busy.
   * The broadcasts of the others may wait in its sockets, so it reads the sockets first.
   */
  #postpone(): void {
    const { now } = this.#context
    for (const news of this.#waiting.values()) {
      if (!news.isShared || now - news.due < turnLength / 2) continue
      news.due = now + delay
      news.isShared = false
    }
  }

  /** Publishes all waiting facts, due or not, as one batch: a message costs more than a fact. */
  #publishWaiting(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    const batch: Fact[] = []
    for (const { fact, from } of waiting) {
      // A few changes may have become a surge meanwhile.
      if (this.#isOfSurge(fact)) this.#lazyPush.add(fact, from)
      else batch.push(fact)
    }
    // Reconciliation carries the rest.
    this.publish(batch.slice(0, this.#context.config.limits.factsPerBroadcast))
  }

  /** Publishes at once. */
  publish(facts: readonly Fact[]): void {
    if (facts.length === 0) return
    this.#recent.push(this.#context.now)
    const nonce = Math.floor(this.#context.random() * 2 ** 32)
    const aged = facts.map((fact) => this.#context.facts.aged(fact, this.#context.now))
    const data = this.#context.wire.encodeBroadcast({ nonce, facts: aged })
    this.#context.effects.push({ type: 'broadcast', data })
  }
}
