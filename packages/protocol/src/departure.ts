import { pickSome } from './base/random.ts'
import type { Encoded, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Link } from './context/links.ts'
import type { TimerName } from './context/timers.ts'
import type { Message } from './frames/message.ts'
import type { Parts } from './parts.ts'
import type { Settlement } from './settlement.ts'

/** Timers that run on after the left-statement. A leaver only publishes this statement and news. */
const afterLeaving: ReadonlySet<TimerName> = new Set<TimerName>(['broadcast', 'lazyPush'])

/**
 * A leaver with fewer links dials other members as well. If its few peers leave at the same moment,
 * no remaining member learns that it left. Guess: three do not leave at once.
 */
const enoughLinks = 3

/** Longest wait of a leaver before it stops, ms. Guess: enough for a slow dial and a hello. */
export const longestDeparture = 2_000

/** The time of a node between its left-statement and its stop. */
export class Departure<Data extends Encoded> {
  readonly #context: Context<Data>
  readonly #parts: Parts<Data>
  readonly #settlement: Settlement
  /**
   * Members that this node dials because it leaves. They have yet to receive the end of its life.
   */
  readonly #dialled = new Set<NodeId>()

  constructor(parts: Parts<Data>, settlement: Settlement) {
    this.#context = parts.context
    this.#parts = parts
    this.#settlement = settlement
  }

  /** True while a member that this node dialled has not answered. The node should not stop yet. */
  get isWaiting(): boolean {
    return this.#dialled.size > 0
  }

  /** Announces the end of this life. A node that never entered just stops. */
  begin(): void {
    const fact = this.#parts.life.leave()
    if (fact === undefined) {
      this.#context.phase = 'stopped'
      return
    }
    this.#settlement.settle()
    this.#parts.broadcaster.leave(fact)
    this.#context.timers.retain(afterLeaving)
    this.#context.phase = 'left'
    this.#dialMore()
  }

  /** Handles a message after the leave. Passes on news, and answers requests and hellos. */
  receive(link: Link, message: Message): void {
    const { peer } = link
    const { broadcaster, lazyPush } = this.#parts
    if (message.facts?.fresh === true) broadcaster.passOnLeaving(this.#settlement.takeIn(message.facts.facts, link), peer)
    else if (message.want !== undefined) lazyPush.answer(peer, message.want.items)
    else if (message.hello !== undefined) this.#sendEnd(peer)
  }

  /** A link ended, or a dial failed. */
  lost(peer: NodeId): void {
    this.#dialled.delete(peer)
  }

  /**
   * Sends the end of this life to a peer that connects after this node left. Otherwise the peer
   * would consider this node dead.
   */
  #sendEnd(peer: NodeId): void {
    const end = this.#context.view.fact(this.#context.id)
    if (end !== undefined) this.#context.sendFacts(peer, [end], true)
    this.#dialled.delete(peer)
  }

  #dialMore(): void {
    const { links, view, effects, id } = this.#context
    const few = enoughLinks - [...links.values()].filter((link) => link.entered).length
    if (few <= 0) return
    const others = [...view.members()].filter((member) => member.id !== id && !links.has(member.id))
    for (const member of pickSome(() => this.#context.random(), others, few)) {
      this.#dialled.add(member.id)
      effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
    }
  }
}
