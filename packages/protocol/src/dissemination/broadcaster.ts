/**
 * The broadcaster: fresh facts on their way to the pool's broadcast topic, in batches.
 *
 * One broadcast costs every node processor time, and a node that just started is heard by nobody, so the member that hears a fact
 * first, not its author, publishes it, after a short wait for company. Several may have heard it (a leaver tells all its links,
 * observers certify a death together): they wait a little longer, each a different time, and are silent when the fact comes
 * in by broadcast before their turn (duplicate suppression, as in SRM, Floyd et al., SIGCOMM'95). The entries and ends of a surge are not
 * published: they are pushed lazily along the links, where each reaches a node once. What gets lost on the way reconciliation finds.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { Recent } from '../base/recent.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Link } from '../context/links.ts'
import type { Fact } from '../facts/fact.ts'
import type { Change } from '../facts/membership-view.ts'
import type { LazyPush } from './lazy-push.ts'

/** Wait for company before news of one's own or of a newcomer is published, ms. Target: one join known in 0.3 s. */
export const delay = 20
/** Each batch within the last second doubles the wait up to this, ms. Guess. */
export const delayMax = 1_000
/** Where others have the same news, each waits this much longer than the one before, ms. Guess: a way across a continent. */
export const turnLength = 40
/**
 * More than so many within a second are a surge. Joins and leaves measured (simulated, 100 nodes): half the bytes of publishing them. Deaths come
 * in heaps and are urgent: guess.
 */
const surge = { joined: 4, left: 4, died: 32 }
const second = 1_000
/** A node or a link this young is in no mesh of the topic yet, ms. Measured: one to two seconds. */
export const meshTime = 3_000

interface News {
  readonly fact: Fact
  readonly from: NodeId | undefined
  due: Milliseconds
  /** Others may publish it first: worth another moment if this process is late. */
  isShared: boolean
}

export class Broadcaster implements Timed {
  readonly #context: Context
  readonly #lazyPush: LazyPush
  readonly #waiting = new Map<string, News>()
  /** Batches published within the last second. */
  #recent: Milliseconds[] = []
  /** What happened of late. */
  readonly #changes: Readonly<Record<Exclude<Change['type'], 'updated'>, Recent>>
  #nextDue = Infinity
  #isLeaving = false

  constructor(context: Context, lazyPush: LazyPush) {
    this.#context = context
    this.#lazyPush = lazyPush
    const { joined, left, died } = surge
    this.#changes = { joined: new Recent(joined, second), left: new Recent(left, second), died: new Recent(died, second) }
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** A member entered or is gone, whoever made it known. */
  changed(what: Exclude<Change['type'], 'updated'>): void {
    this.#changes[what].note(this.#context.now)
  }

  /** Many enter or end at present: facts of that kind are pushed lazily. */
  get isSurge(): boolean {
    const { joined, left, died } = this.#changes
    return [joined, left, died].some((recent) => recent.isOften(this.#context.now))
  }

  /**
   * Publish this soon. `after`: the news gets so much longer, ms. Others that know it, too, may publish it first, or more for the same batch comes.
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
    this.#nextDue = Math.min(this.#nextDue, due)
  }

  #isOfSurge(fact: Fact): boolean {
    return fact.says !== undefined && this.#changes[fact.says].isOften(this.#context.now)
  }

  /** Somebody published this fact or a newer one with the same key. */
  suppress(key: string): void {
    this.#waiting.delete(key)
  }

  /** This node leaves, as this fact says: from now on nothing waits longer than it must. */
  leave(fact: Fact): void {
    this.#isLeaving = true
    this.#lazyPush.leave()
    this.announce(fact)
  }

  /** This is about this node itself: all links hear it at once, the others soon. */
  announce(fact: Fact): void {
    for (const peer of this.#context.links.keys()) this.#context.sendFacts(peer, [fact], true)
    this.queue(fact)
  }

  /**
   * News that came over a link goes on as it came. `entry`: from somebody who was no member, and so may tell nobody else; `fresh`: from a member, and others
   * heard it, too. `repair`: reconciliation found it; where it came before an offer it must not end here, as whoever offered it thinks that it goes
   * on. `pool`: to a newcomer everything is news.
   */
  passOn(news: readonly Fact[], from: NodeId, how: 'entry' | 'fresh' | 'repair' | 'pool'): void {
    for (const fact of news) {
      this.#lazyPush.received(fact)
      if (how === 'repair' || this.#isOfSurge(fact)) this.#lazyPush.add(fact, from)
      else if (how !== 'pool') this.queue(fact, this.#turn(fact, from, how === 'entry') * turnLength, from)
    }
  }

  /** How many others, at a guess, publish it first: each gets the time in which its message can be heard. */
  #turn(fact: Fact, from: NodeId, isEntry: boolean): number {
    const isOwn = fact.about === from
    // A newcomer hands its join to us alone. What a member says of itself all its links hear, and the member publishes it first.
    if (isOwn && isEntry && fact.says === 'joined') return 0
    return (isOwn ? 1 : 0) + this.#context.random() * 3
  }

  /**
   * Sends leaves that came over a link along young links as well. A member that has no others hears no
   * broadcast, and would take the leaver for dead.
   */
  tellYoungLinks(news: readonly Fact[], from: NodeId): void {
    const left = news.filter(({ says }) => says === 'left')
    if (left.length === 0) return
    const { links, view, now } = this.#context
    const isYoung = ({ peer, since }: Link): boolean => now - since < meshTime && peer !== from && view.get(peer) !== undefined
    for (const link of links.values()) if (isYoung(link)) this.#context.sendFacts(link.peer, left, true)
  }

  /** What somebody who leaves still hears is published, and told to a few who stay: who told it may be leaving, too, and know nobody else. */
  passOnLeaving(news: readonly Fact[], from: NodeId): void {
    for (const fact of news) {
      this.queue(fact, 0, from)
      this.#lazyPush.add(fact, from)
    }
  }

  /** What waits is no longer true for sure. */
  clear(): void {
    this.#waiting.clear()
    this.#nextDue = Infinity
  }

  due(): void {
    const { now } = this.#context
    if (now < this.#nextDue) return
    this.#postpone()
    const isRipe = [...this.#waiting.values()].some(({ due }) => due <= now)
    if (isRipe) this.#publishWaiting()
    this.#nextDue = Math.min(Infinity, ...[...this.#waiting.values()].map(({ due }) => due))
  }

  /** A timer that fires late says that this process is busy: what others told meanwhile may wait in its sockets. So it looks there first. */
  #postpone(): void {
    const { now } = this.#context
    for (const news of this.#waiting.values()) {
      if (!news.isShared || now - news.due < turnLength / 2) continue
      news.due = now + delay
      news.isShared = false
    }
  }

  /** Everything that waits goes along: a message costs more than a fact. But never more than a batch. */
  #publishWaiting(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    const batch: Fact[] = []
    for (const { fact, from } of waiting) {
      // What began as a few has become a surge meanwhile.
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
    const told = facts.map((fact) => this.#context.facts.told(fact, this.#context.now))
    const data = this.#context.wire.encodeBroadcast({ nonce, facts: told })
    this.#context.effects.push({ type: 'broadcast', data })
  }
}
