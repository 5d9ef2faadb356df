/**
 * Rumours: fresh facts on their way to the pool's broadcast topic, in batches.
 *
 * One broadcast costs every node processor time, and a node that just started is heard by nobody, so the member that hears a fact
 * first, not its author, publishes it, after a short wait for company. Several may have heard it (a leaver tells all its links,
 * observers certify a death together): they wait a little longer, each a different time, and keep silent when the fact comes
 * in by broadcast before their turn. In a crowd of newcomers nothing is published: most nodes have one link then, the links are a tree, and what is
 * handed on along a tree reaches each node once. What gets lost on the way reconciliation finds.
 */
import type { Context, Timed } from './context.ts'
import { memberKey, type Fact } from './fact.ts'
import type { Milliseconds, NodeId } from './io.ts'

interface Rumour {
  readonly fact: Fact
  due: Milliseconds
  /** Others may tell it first: worth another moment if this process is late. */
  isShared: boolean
}

export class Rumours implements Timed {
  readonly #context: Context
  readonly #waiting = new Map<string, Rumour>()
  /** Batches published within the last second, and members that entered. */
  #recent: Milliseconds[] = []
  #arrivals: Milliseconds[] = []
  #nextDue = Infinity
  /** Joins of a crowd, and who told them. */
  readonly #crowd = new Map<string, { readonly fact: Fact; readonly from: NodeId | undefined }>()
  #crowdDue = Infinity

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    return Math.min(this.#nextDue, this.#crowdDue)
  }

  /** A member entered, whoever made it known. */
  arrived(): void {
    const { now } = this.#context
    this.#arrivals = this.#arrivals.filter((time) => now - time < 1_000)
    this.#arrivals.push(now)
  }

  /**
   * Publish this soon. `turn`: others heard it too and may be first; how many of them, at a guess or by a lot, go before. Each gets the time
   * in which its message can be heard.
   */
  tell(fact: Fact, turn = 0, from?: NodeId): void {
    const { rumours } = this.#context.config
    const { now } = this.#context
    this.#recent = this.#recent.filter((time) => now - time < 1_000)
    this.#arrivals = this.#arrivals.filter((time) => now - time < 1_000)
    if (fact.says === 'joined' && this.#arrivals.length > rumours.crowd) {
      this.#crowd.set(fact.key, { fact, from })
      this.#crowdDue = Math.min(this.#crowdDue, now + rumours.crowdDelay)
      return
    }
    const wait = Math.min(rumours.delayMax, rumours.delay * 2 ** Math.min(this.#recent.length, 16))
    const due = now + wait + turn * rumours.patience
    this.#waiting.set(fact.key, { fact, due, isShared: turn > 0 })
    this.#nextDue = Math.min(this.#nextDue, due)
  }

  /** Somebody published this fact or a newer one with the same key. */
  overheard(key: string): void {
    this.#waiting.delete(key)
  }

  due(): void {
    const { now, config } = this.#context
    if (now >= this.#crowdDue) this.#handRound()
    if (now < this.#nextDue) return
    this.#putOff()
    const ripe = [...this.#waiting.values()].some(({ due }) => due <= now)
    if (ripe) {
      // Everything that waits goes along: a message costs more than a fact. But never more than a batch.
      const batch = [...this.#waiting.values()].slice(0, config.rumours.batch).map(({ fact }) => fact)
      this.#waiting.clear()
      this.publish(batch)
    }
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

  /** Tells the crowd to all links but those it came over. */
  #handRound(): void {
    const crowd = [...this.#crowd.values()]
    this.#crowd.clear()
    this.#crowdDue = Infinity
    for (const peer of this.#context.links.keys()) {
      const news = crowd.filter(({ fact, from }) => from !== peer && fact.key !== memberKey(peer))
      this.#context.sendFacts(
        peer,
        news.map(({ fact }) => fact),
        true,
      )
    }
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
