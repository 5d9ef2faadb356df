/**
 * Rumours: fresh facts on their way to the pool's broadcast topic, in batches.
 *
 * One broadcast costs every node processor time, and a node that just started is heard by nobody, so the member that hears a fact
 * first, not its author, publishes it, after a short wait for company. Several may have heard it (a leaver tells all its links,
 * observers certify a death together): they wait a little longer, each a different time, and keep silent when the fact comes
 * in by broadcast before their turn. The entries and ends of a crowd are not published: they are offered along the links, where each
 * reaches a node once. What gets lost on the way reconciliation finds.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import { Recent } from '../base/recent.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Fact } from '../facts/fact.ts'
import type { Change } from '../facts/view.ts'
import type { Offers } from './offers.ts'

/** A crowd is so many within this time, ms. */
const second = 1_000

type Event = Change['type']

interface Rumour {
  readonly fact: Fact
  readonly from: NodeId | undefined
  due: Milliseconds
  /** Others may tell it first: worth another moment if this process is late. */
  isShared: boolean
}

export class Rumours implements Timed {
  readonly #context: Context
  readonly #offers: Offers
  readonly #waiting = new Map<string, Rumour>()
  /** Batches published within the last second. */
  #recent: Milliseconds[] = []
  /** What happened of late: where it is much, it is a crowd. */
  readonly #often: Readonly<Record<Event, Recent>>
  #nextDue = Infinity
  #parting = false

  constructor(context: Context, offers: Offers) {
    this.#context = context
    this.#offers = offers
    const { crowd, deaths } = context.config.rumours
    this.#often = { joined: new Recent(crowd, second), left: new Recent(crowd, second), died: new Recent(deaths, second) }
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** A member entered or is gone, whoever made it known. */
  happened(what: Event): void {
    this.#often[what].note(this.#context.now)
  }

  /** Many enter or end at present: facts of that kind travel as offers. */
  get isCrowded(): boolean {
    const { joined, left, died } = this.#often
    return [joined, left, died].some((recent) => recent.isOften(this.#context.now))
  }

  /**
   * Make this known soon. `turn`: others heard it too and may be first; how many of them, at a guess or by a lot, go before. Each gets the
   * time in which its message can be heard.
   */
  tell(fact: Fact, turn = 0, from?: NodeId): void {
    if (this.isOfCrowd(fact)) {
      this.#offers.add(fact, from)
      return
    }
    const { rumours } = this.#context.config
    const { now } = this.#context
    this.#recent = this.#recent.filter((time) => now - time < second)
    const wait = this.#parting ? rumours.delay : Math.min(rumours.delayMax, rumours.delay * 2 ** Math.min(this.#recent.length, 16))
    const due = now + wait + turn * rumours.patience
    this.#waiting.set(fact.key, { fact, from, due, isShared: turn > 0 })
    this.#nextDue = Math.min(this.#nextDue, due)
  }

  isOfCrowd(fact: Fact): boolean {
    return fact.says !== undefined && this.#often[fact.says].isOften(this.#context.now)
  }

  /** Somebody published this fact or a newer one with the same key. */
  overheard(key: string): void {
    this.#waiting.delete(key)
  }

  /** This node leaves, as this fact says: from now on nothing waits longer than it must. */
  part(fact: Fact): void {
    this.#parting = true
    this.#offers.part()
    this.cry(fact)
  }

  /** This is about this node itself: all links hear it at once, the others soon. */
  cry(fact: Fact): void {
    this.#context.handRound([fact])
    this.tell(fact)
  }

  /**
   * News that came over a link goes on as it came. `entry`: from somebody who was no member, and so may tell nobody else; `fresh`: from a member, and others
   * heard it, too. `repair`: reconciliation found it; where it came before an offer it must not end here, as whoever offered it thinks that it goes
   * on. `pool`: to a newcomer everything is news.
   */
  passOn(news: readonly Fact[], from: NodeId, how: 'entry' | 'fresh' | 'repair' | 'pool'): void {
    for (const fact of news) {
      if (this.#offers.settle(fact) || how === 'repair' || this.isOfCrowd(fact)) this.#offers.add(fact, from)
      else if (how !== 'pool') this.tell(fact, this.#turn(fact, from, how === 'entry'), from)
    }
  }

  #turn(fact: Fact, from: NodeId, isEntry: boolean): number {
    const isOwn = fact.about === from
    // A newcomer hands its join to us alone. What a member says of itself all its links hear, and the member publishes it first.
    if (isOwn && isEntry && fact.says === 'joined') return 0
    return (isOwn ? 1 : 0) + this.#context.random() * 3
  }

  /** What somebody who leaves still hears is all that it leaves behind: published, and told to a few who stay. */
  bequeath(news: readonly Fact[], from: NodeId): void {
    for (const fact of news) {
      this.tell(fact, 0, from)
      this.#offers.add(fact, from)
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
    this.#putOff()
    const ripe = [...this.#waiting.values()].some(({ due }) => due <= now)
    if (ripe) this.#publishWaiting()
    this.#nextDue = Math.min(Infinity, ...[...this.#waiting.values()].map(({ due }) => due))
  }

  /** A timer that fires late says that this process is busy: what others told meanwhile may wait in its sockets. So it looks there first. */
  #putOff(): void {
    const { now, config } = this.#context
    for (const rumour of this.#waiting.values()) {
      if (!rumour.isShared || now - rumour.due < config.rumours.patience / 2) continue
      rumour.due = now + config.rumours.delay
      rumour.isShared = false
    }
  }

  /** Everything that waits goes along: a message costs more than a fact. But never more than a batch. */
  #publishWaiting(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    const batch: Fact[] = []
    for (const { fact, from } of waiting) {
      // What began as a few has become a crowd meanwhile.
      if (this.isOfCrowd(fact)) this.#offers.add(fact, from)
      else batch.push(fact)
    }
    this.publish(batch.slice(0, this.#context.config.rumours.batch))
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
