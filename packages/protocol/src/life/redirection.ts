/**
 * Redirection: if many newcomers come at once, an introducer names other members instead of serving
 * all newcomers.
 *
 * The bootstrap node was the bottleneck of the paper's distributed implementation (JEL §6.1.1). A
 * redirected newcomer asks a named member. It comes back to the introducer only if nobody answers.
 * The introducer names members in turn. So the newcomers form a tree of bounded width, along which
 * they learn of each other. A newcomer that has entered closes the link to the introducer. If all
 * newcomers come at the same moment, the introducer has no members to name, and serves all of them.
 */
import { earliest } from '../base/earliest.ts'
import { FrameError } from '../base/errors.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { pickIndex } from '../base/random.ts'
import { Recent } from '../base/recent.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import { earlyLinks } from '../context/links.ts'
import type { Fact, AgedFact } from '../facts/fact.ts'

/**
 * An introducer serves this many newcomers in {@link servedWindow}, and redirects the next ones to
 * other members. Guess: a redirection costs one more link, 11 ms of processor time.
 */
export const servedAtOnce = 64
/** Time in which an introducer serves {@link servedAtOnce} newcomers, ms. Guess. */
export const servedWindow = 1_000
/** Members named in a redirection. The newcomer asks the first. The others are spares. Guess. */
export const namedMembers = 3
/** A redirected newcomer comes back to the redirector after this time, ms. Guess. */
export const redirectGrace = 3_000

export class Redirection implements Timed {
  readonly #context: Context
  readonly #newcomers: Recent
  /** Index of the next member to name. */
  #turn = 0
  /** Peers that redirected this node, each with the deadline for the named members' answers. */
  readonly #redirectedBy = new Map<NodeId, Milliseconds>()
  /** Members that each redirector named. */
  readonly #named = new Map<NodeId, readonly AgedFact[]>()

  constructor(context: Context) {
    this.#context = context
    this.#newcomers = new Recent(servedAtOnce, servedWindow)
  }

  /**
   * Handles an unknown peer. Redirects it if too many newcomers come at once, and the pool has
   * enough members to name.
   */
  receive(peer: NodeId): void {
    const { now, view } = this.#context
    this.#newcomers.note(now)
    if (this.#newcomers.isOften(now) && view.size > servedAtOnce) this.#redirect(peer)
  }

  #redirect(peer: NodeId): void {
    const { view, id, links } = this.#context
    const names: NodeId[] = []
    for (let tries = 0; names.length < namedMembers && tries < 16; tries++) {
      // The newcomer asks the first named member, so members take turns there. The others are
      // random.
      const index = names.length === 0 ? this.#turn++ % view.size : pickIndex(() => this.#context.random(), view.size)
      const member = view.at(index)
      if (member !== undefined && member.id !== id && member.id !== peer && !names.includes(member.id)) names.push(member.id)
    }
    const link = links.get(peer)
    if (link !== undefined) link.redirected = true
    this.#context.send(peer, { redirect: { members: names.flatMap((name) => view.fact(name) ?? []) } })
  }

  /** Handles a redirection. Throws {@link FrameError}. */
  accept(from: NodeId, members: readonly AgedFact[]): void {
    const { codec, now } = this.#context
    if (members.length > namedMembers)
      throw new FrameError(`at most ${namedMembers} members are named to a newcomer, not ${members.length}`)
    // Checks the signatures here, so that a forgery counts against its sender. This node takes in
    // the facts later, when it enters through another peer or alone.
    for (const { fact } of members) {
      if (fact.member === undefined) throw new FrameError('a redirection names somebody who is no member')
      if (!fact.isTrue(codec)) throw new FrameError(`a forged signature under the key of ${fact.member.id}`)
    }
    this.#redirectedBy.set(from, now + redirectGrace)
    this.#arm()
    this.#named.set(from, members)
    const link = this.#context.links.get(from)
    if (link !== undefined) link.redirected = true
  }

  /** Returns the named members that no earlier call returned, by redirector. */
  takeNamed(): [NodeId, readonly AgedFact[]][] {
    const named = [...this.#named]
    this.#named.clear()
    return named
  }

  /** Dials some of the named members. */
  ask(members: readonly Fact[]): void {
    const { effects } = this.#context
    for (const { member } of members.slice(0, earlyLinks))
      if (member !== undefined) effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
  }

  /**
   * True for a peer that redirected this node, for as long as this node should not ask that peer.
   */
  hasRedirected(peer: NodeId): boolean {
    return this.#redirectedBy.has(peer)
  }

  /**
   * True if a peer redirected this node, and the named members still have time to answer. False
   * after a reconciliation.
   */
  get isUnderWay(): boolean {
    return this.#redirectedBy.size > 0
  }

  /**
   * This node has entered the pool. It asks no more named members, and closes the links to its
   * redirectors. They have enough links.
   */
  settle(): void {
    for (const peer of this.#redirectedBy.keys()) this.#context.closeLink(peer, 'handed on')
    this.#redirectedBy.clear()
    this.#named.clear()
    this.#arm()
  }

  due(): void {
    const { now, links } = this.#context
    for (const [peer, until] of this.#redirectedBy) {
      if (now < until) continue
      this.#redirectedBy.delete(peer)
      const link = links.get(peer)
      if (link === undefined) continue
      link.redirected = false
      this.#context.outcomes.push({ type: 'introduce', peer })
    }
    this.#arm()
  }

  #arm(): void {
    this.#context.timers.set(
      'redirection',
      earliest(this.#redirectedBy.values(), (until) => until),
    )
  }
}
