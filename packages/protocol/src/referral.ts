/**
 * Referral: when many knock at once, an introducer names other members instead of serving all.
 *
 * The bootstrap node was the bottleneck of the paper's distributed implementation (JEL §6.1.1). Somebody handed on asks those it was
 * named, and comes back to who handed it on only when they don't answer.
 */
import type { Context, Timed } from './context.ts'
import { FrameError } from './errors.ts'
import type { Fact, Told } from './fact.ts'
import type { Milliseconds, NodeId } from './io.ts'
import { pickSome } from './random.ts'

export class Referral implements Timed {
  readonly #context: Context
  readonly #onDisappointed: (peer: NodeId) => void
  /** Newcomers within the window. */
  #newcomers: Milliseconds[] = []
  /** Who handed this node on, and until when the others have time to answer. */
  readonly #referredBy = new Map<NodeId, Milliseconds>()
  /** Whom they named. */
  readonly #named = new Map<NodeId, readonly Told[]>()

  /** `onDisappointed`: nobody whom this peer named has answered. */
  constructor(context: Context, onDisappointed: (peer: NodeId) => void) {
    this.#context = context
    this.#onDisappointed = onDisappointed
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    if (this.#referredBy.size > 0) for (const until of this.#referredBy.values()) next = Math.min(next, until)
    return next
  }

  /** Names other members to a newcomer if it comes in a crowd. */
  handOn(peer: NodeId): void {
    const { now, config, view, id } = this.#context
    const { crowd, crowdWindow, referrals } = config.introduction
    this.#newcomers = [...this.#newcomers.filter((time) => now - time < crowdWindow), now]
    if (this.#newcomers.length <= crowd || view.size <= crowd) return
    const members = pickSome(() => this.#context.random(), [...view.members()], referrals + 2)
    const others = members.filter((member) => member.id !== id && member.id !== peer).slice(0, referrals)
    this.#context.send(peer, {
      redirect: { members: others.flatMap((member) => view.fact(member.id) ?? []) },
    })
  }

  /** A peer handed this node on to these members. Throws {@link FrameError}. */
  accept(from: NodeId, members: readonly Told[]): void {
    const { config, now } = this.#context
    const { referrals } = config.introduction
    if (members.length > referrals) throw new FrameError(`at most ${referrals} members are named to a newcomer, not ${members.length}`)
    this.#referredBy.set(from, now + config.introduction.referralGrace)
    this.#named.set(from, members)
  }

  /** Members that were named and not looked at yet, by who named them. */
  takeNamed(): [NodeId, readonly Told[]][] {
    const named = [...this.#named]
    this.#named.clear()
    return named
  }

  /** Dials some of the members that were named. */
  ask(members: readonly Fact[]): void {
    const { config, effects } = this.#context
    for (const { member } of members.slice(0, config.links.early))
      if (member !== undefined) effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
  }

  /** True for a peer that named others and does not want to be asked itself. */
  isReferrer(peer: NodeId): boolean {
    return this.#referredBy.has(peer)
  }

  /** This node is in: nobody needs to be asked any more. */
  settle(): void {
    this.#referredBy.clear()
    this.#named.clear()
  }

  due(): void {
    for (const [peer, until] of this.#referredBy) {
      if (this.#context.now < until) continue
      this.#referredBy.delete(peer)
      if (this.#context.links.has(peer)) this.#onDisappointed(peer)
    }
  }
}
