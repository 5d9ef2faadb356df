/**
 * Referral: when many newcomers come at once, an introducer names other members instead of serving all.
 *
 * The bootstrap node was the bottleneck of the paper's distributed implementation (JEL §6.1.1). Somebody handed on asks those it was
 * named, and comes back to who handed it on only when they don't answer. Who is named takes turns: the newcomers form a tree of bounded
 * width, along which they hear of each other, and the link to who handed them on is closed. Where all come in the same moment there is nobody to
 * name yet, and they are served.
 */
import { FrameError } from '../base/errors.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import { pickIndex } from '../base/random.ts'
import { Recent } from '../base/recent.ts'
import type { Context, Timed } from '../context/context.ts'
import { earlyLinks } from '../context/links.ts'
import type { Fact, Told } from '../facts/fact.ts'

/** Newcomers served in {@link servedWindow} before the next are handed on to other members. Guess: being handed on costs a link more, 11 ms of processor time. */
export const servedAtOnce = 64
/** ms. Guess. */
export const servedWindow = 1_000
/** Members named to somebody who is handed on; the first is asked, the others are for the case that it does not answer. Guess. */
export const referrals = 3
/** How long somebody handed on may stay connected, ms. Guess. */
export const referralGrace = 3_000

export class Referral implements Timed {
  readonly #context: Context
  readonly #newcomers: Recent
  /** Whose turn it is to be named. */
  #turn = 0
  /** Who handed this node on, and until when the others have time to answer. */
  readonly #referredBy = new Map<NodeId, Milliseconds>()
  /** Whom they named. */
  readonly #named = new Map<NodeId, readonly Told[]>()

  constructor(context: Context) {
    this.#context = context
    this.#newcomers = new Recent(servedAtOnce, servedWindow)
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    if (this.#referredBy.size > 0) for (const until of this.#referredBy.values()) next = Math.min(next, until)
    return next
  }

  /** Somebody unknown is here: others are named to it if too many come at once and there are enough to be named. */
  receive(peer: NodeId): void {
    const { now, view } = this.#context
    this.#newcomers.note(now)
    if (this.#newcomers.isOften(now) && view.size > servedAtOnce) this.#handOn(peer)
    else this.#context.outcomes.push({ type: 'served', peer })
  }

  #handOn(peer: NodeId): void {
    const { view, id, links } = this.#context
    const names: NodeId[] = []
    for (let tries = 0; names.length < referrals && tries < 16; tries++) {
      // The first in turn, as it is the one that is asked; the others by chance.
      const index = names.length === 0 ? this.#turn++ % view.size : pickIndex(() => this.#context.random(), view.size)
      const member = view.at(index)
      if (member !== undefined && member.id !== id && member.id !== peer && !names.includes(member.id)) names.push(member.id)
    }
    const link = links.get(peer)
    if (link !== undefined) link.referred = true
    this.#context.send(peer, { redirect: { members: names.flatMap((name) => view.fact(name) ?? []) } })
    this.#context.outcomes.push({ type: 'served', peer })
  }

  /** A peer handed this node on to these members. Throws {@link FrameError}. */
  accept(from: NodeId, members: readonly Told[]): void {
    const { codec, now } = this.#context
    if (members.length > referrals) throw new FrameError(`at most ${referrals} members are named to a newcomer, not ${members.length}`)
    // Now, as they are taken in when somebody else, or nobody, lets this node in: a forgery must be the fault of who sent it.
    for (const { fact } of members) {
      if (fact.member === undefined) throw new FrameError('somebody is named to a newcomer who is no member')
      if (!fact.isTrue(codec)) throw new FrameError(`a forged signature under the key of ${fact.member.id}`)
    }
    this.#referredBy.set(from, now + referralGrace)
    this.#named.set(from, members)
    const link = this.#context.links.get(from)
    if (link !== undefined) link.referred = true
  }

  /** Members that were named and not looked at yet, by who named them. */
  takeNamed(): [NodeId, readonly Told[]][] {
    const named = [...this.#named]
    this.#named.clear()
    return named
  }

  /** Dials some of the members that were named. */
  ask(members: readonly Fact[]): void {
    const { effects } = this.#context
    for (const { member } of members.slice(0, earlyLinks))
      if (member !== undefined) effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
  }

  /** True for a peer that named others and does not want to be asked itself. */
  isReferrer(peer: NodeId): boolean {
    return this.#referredBy.has(peer)
  }

  /** This node was handed on, and is not whole yet. */
  get isUnderWay(): boolean {
    return this.#referredBy.size > 0
  }

  /** This node is in: nobody needs to be asked any more, and who handed it on has enough links. */
  settle(): void {
    for (const peer of this.#referredBy.keys()) this.#context.closeLink(peer, 'handed on')
    this.#referredBy.clear()
    this.#named.clear()
  }

  due(): void {
    const { now, links } = this.#context
    for (const [peer, until] of this.#referredBy) {
      if (now < until) continue
      this.#referredBy.delete(peer)
      const link = links.get(peer)
      if (link === undefined) continue
      link.referred = false
      this.#context.outcomes.push({ type: 'disappointed', peer })
    }
  }
}
