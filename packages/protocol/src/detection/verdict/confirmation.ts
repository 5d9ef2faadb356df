/**
 * The confirmation decides when accusations of a member make a death (SWIM's Confirm, §4.2).
 *
 * A death needs a quorum of different accusers that cite about the same time (`quorum.ts`). The
 * member must not have refuted their accusations since. For each of them it gets the time in which
 * a refutation would have come back (the suspicion time-out of SWIM §4.2). Four observers, chosen
 * by lot, publish their accusations at once. The others follow one by one while these are not
 * enough.
 *
 * As in SWIM each node concludes by itself. An accuser needs a quorum of the member's observers,
 * any other node the accusers of any death. So one accuser publishes the certificate at once, for
 * nodes that missed an accusation. The other accusers publish it if that one did not.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow, certify, type Certificate } from '../../facts/certificate.ts'
import type { Statement, Accusation } from '../../facts/statement.ts'
import { mostAccusers, Quorum } from './quorum.ts'
import type { Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'

/**
 * For this time an accuser wants as many accusers as all other nodes do, ms. Then a quorum of the
 * observers suffices. Measured: two halves of twelve were whole 0.8 s after the heal (median of 24
 * runs), and after 1.8 s with 300 ms here. In 2 s each observer has probed.
 */
const generousFor = 2_400

/**
 * The time for a suspicion to reach its subject and for the refutation to come back. The round
 * trips are some four hops of gossip each way. The second constant covers the waits of both for
 * company before they are published, ms. Measured: of a hundred nodes 10 ms apart, 120 ms in all
 * ended a life in one of two runs.
 */
const refutationTrips = 6
const refutationTime = 100
/**
 * The same where the host of a single member refuses, ms: two waits for company, and a little. That
 * is a dead process, since a firewall that refuses takes several members away at once. Measured:
 * all of twenty nodes know it after 111 ms instead of 161 (simulated). With this time for several
 * members, too, three times as many lives end falsely where a firewall refuses between all but
 * three of a hundred nodes.
 */
const refusedTime = 50
/**
 * Additional time for a member whose host is silent, ms. It may be cut off from all its peers of
 * the topic's mesh. Then lazy gossip (IHAVE, IWANT) brings it the suspicion at the next heartbeat
 * of gossipsub. A heartbeat takes up to 2 s, but the links bring most suspicions. A refusal breaks
 * links at once, and nodes that are linked with the member send it the suspicion. A node that did
 * not probe the member can't distinguish the two. Measured: no life ended in 300 seeds of
 * `three-sites-narrow`. A whole second makes the death of a silent host known 0.6 s later.
 */
const lazyGossip = 500
/** Ms. Guess: where answers take longer, the machine is overloaded, not the network. */
const longestRefutation = 2_000

/**
 * Additional wait before accusations go over links, and before others than the first accuser
 * publish certificates, ms. Guess: on an overloaded machine news from the topic waits for a second.
 */
const settling = 1_000

/**
 * Nodes with the same news publish it one after the other, until one has. Between two turns a batch
 * waits for company and travels: for this time, ms, and this many round trips. Guess.
 */
const turnLength = 60
export const turnTrips = 3
export const longestTurn = 5_000

export interface ConfirmationParts {
  readonly suspicions: Suspicions
  /** True if neither refuted nor outlived. */
  isValid(suspect: NodeId, accusation: Accusation): boolean
  /** The usual round trip, ms. */
  roundTrip(): Milliseconds
}

export interface ConfirmationEvents {
  /** It is this node's turn to publish its accusation of the member. */
  onTurn(suspicion: Suspicion): void
  /**
   * A death. `after`: others get this time to publish it, ms; undefined: the pool knows it anyway.
   */
  onDeath(certificate: Certificate, after: Milliseconds | undefined): void
}

export class Confirmation {
  readonly quorum: Quorum
  readonly #context: Context
  readonly #parts: ConfirmationParts
  readonly #events: ConfirmationEvents

  constructor(context: Context, parts: ConfirmationParts, events: ConfirmationEvents) {
    this.#context = context
    this.#parts = parts
    this.#events = events
    this.quorum = new Quorum(context, parts.suspicions)
  }

  /**
   * Returns the wait of this turn before the node publishes shared news, ms. Each turn waits for
   * the ones before it.
   */
  waitFor(turn: number): Milliseconds {
    return turn * Math.min(turnLength + this.#parts.roundTrip() * turnTrips, longestTurn)
  }

  /** The time for a refutation before suspicions become a certificate, ms. */
  get refutationTime(): Milliseconds {
    return Math.min(refutationTime + this.#parts.roundTrip() * refutationTrips, longestRefutation)
  }

  /**
   * Schedules the publication of this node's accusation. As many observers as make a death publish
   * at once, the others only if these don't suffice.
   */
  accused(suspicion: Suspicion): void {
    const { suspicions } = this.#parts
    const turn = Math.max(0, suspicions.rankAmong(suspicions.observersOf(suspicion.id), suspicion.id) + 1 - mostAccusers)
    suspicion.schedule('publish', this.#context.now + this.waitFor(turn))
  }

  /**
   * Counts one more accusation. From the first published one on, the member gets time to refute
   * each that its death needs, by whichever path it came: the member may receive only the last of
   * them. A member whose host refuses gets that time once, and less if this node misses no other
   * member.
   */
  added(suspicion: Suspicion, accuser: NodeId, isPublished: boolean): void {
    const { awaited, id, judgedFrom } = suspicion
    const isRefused = suspicion.evidence === 'refused'
    if (!isPublished && judgedFrom === Infinity) return
    if (awaited.has(accuser) || awaited.size >= this.quorum.toBelieve(id)) return
    awaited.add(accuser)
    if (isRefused && judgedFrom < Infinity) return
    const ofSome = this.#parts.suspicions.areSeveral ? 0 : refusedTime - refutationTime
    const more = isRefused ? ofSome : lazyGossip
    suspicion.judgedFrom = this.#context.now + this.refutationTime + more
    suspicion.schedule('judge', suspicion.judgedFrom)
    // Nobody else needs to probe it until then, or somewhat later on a slow machine.
    const spread = suspicion.at('spread')
    if (spread < Infinity) suspicion.schedule('spread', Math.max(spread, suspicion.judgedFrom + settling))
  }

  /**
   * Publishes this node's accusation in its turn. Pronounces the member dead if its accusers
   * suffice.
   */
  judge(suspicion: Suspicion): void {
    const { now, view } = this.#context
    if (now >= suspicion.at('judge')) suspicion.schedule('judge', now < suspicion.judgedFrom ? suspicion.judgedFrom : Infinity)
    if (!view.isAlive(suspicion.id, suspicion.incarnation)) return
    if (suspicion.state === 'accused') this.#judgeOwn(suspicion)
    else if (suspicion.state !== 'relayed') this.#judgeHeard(suspicion)
  }

  #judgeOwn(suspicion: Suspicion): void {
    const { id, now, view } = this.#context
    const accusers = this.#together(suspicion)
    const believed = this.quorum.toBelieve(suspicion.id)
    const isGenerous = now - suspicion.since < generousFor
    const needed = Math.max(this.quorum.toCertify(suspicion.id), isGenerous ? believed : 0)
    const isEnough = accusers.some(({ signer }) => signer === id) && accusers.length >= needed
    if (now >= suspicion.at('publish')) {
      suspicion.schedule('publish', Infinity)
      if (!isEnough || suspicion.judgedFrom === Infinity) this.#events.onTurn(suspicion)
    }
    if (!isEnough || (now < suspicion.judgedFrom && view.size > 2)) return
    const rank = this.#parts.suspicions.rankAmong(
      accusers.map(({ signer }) => signer),
      suspicion.id,
    )
    this.#died(accusers, rank === 0 ? 0 : settling + this.waitFor(rank))
  }

  /** Judges a member that others accuse. */
  #judgeHeard(suspicion: Suspicion): void {
    const { now, links } = this.#context
    if (suspicion.judgedFrom === Infinity || now < suspicion.judgedFrom || links.has(suspicion.id)) return
    if (this.suffices(suspicion)) this.#died(this.#together(suspicion), undefined)
  }

  /** True if its accusers are enough for any death. */
  suffices(suspicion: Suspicion): boolean {
    return this.#together(suspicion).length >= this.quorum.toBelieve(suspicion.id)
  }

  #died(accusers: readonly Statement<Accusation>[], after: Milliseconds | undefined): void {
    this.#events.onDeath(certify(accusers.slice(0, this.#context.config.limits.accusers)), after)
  }

  /** Returns the largest group of valid suspicions whose heartbeats are close enough together. */
  #together({ id, accusations }: Suspicion): Statement<Accusation>[] {
    const valid = [...accusations.values()].filter(({ content }) => this.#parts.isValid(id, content))
    valid.sort((a, b) => a.content.heartbeat - b.content.heartbeat || (a.signer < b.signer ? -1 : 1))
    let most: Statement<Accusation>[] = []
    for (const [i, { content }] of valid.entries()) {
      const group = valid.slice(i).filter((other) => other.content.heartbeat <= content.heartbeat + heartbeatWindow)
      if (group.length > most.length) most = group
    }
    return most
  }
}
