/**
 * The confirmation decides when accusations of a member make a death (SWIM's Confirm, §4.2).
 *
 * A death needs a quorum of different accusers (`quorum.ts`). They must cite about the same time,
 * and the member must not have refuted their accusations. For each accusation the member gets the
 * time in which a refutation would come back (the suspicion time-out of SWIM §4.2). Four observers,
 * chosen by lot, publish their accusations at once. While four are not enough, the other observers
 * follow one by one.
 *
 * As in SWIM each node decides by itself. An accuser needs a quorum of the member's observers. Any
 * other node needs a quorum of all members. One accuser publishes the certificate at once, for
 * nodes that missed an accusation. If that accuser does not, the next accuser publishes the
 * certificate.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import { heartbeatWindow, certify, type Certificate } from '../../facts/certificate.ts'
import { factOf } from '../../facts/fact.ts'
import type { Statement, Accusation } from '../../facts/statement.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import type { Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'
import { firstRound } from './accusation-spread.ts'
import { mostAccusers, Quorum } from './quorum.ts'
import type { Refutations } from './refutations.ts'

/**
 * For this time after its own accusation an accuser needs as many accusers as other nodes need, ms.
 * Afterwards a quorum of the observers suffices. Measured: two halves of twelve nodes saw all
 * members 0.8 s after the partition healed (median of 24 runs). With 300 ms they needed 1.8 s. In 2
 * s each observer has probed.
 */
const generousFor = 2_400

/**
 * Round trips for an accusation to reach the member and for the refutation to come back: some four
 * hops of gossip each way. Measured (a hundred nodes, 10 ms apart): with 120 ms in all, a living
 * member was pronounced dead in one of two runs.
 */
const refutationTrips = 6
/**
 * The time of two waits, ms: the accusation and the refutation wait for others that share their
 * broadcast. Measured with `refutationTrips`.
 */
const refutationTime = 100
/**
 * Replaces `refutationTime` if this node suspects a single member whose host refuses, ms. Each of
 * the two waits then takes 20 ms (`delay` in broadcaster.ts), so this time covers both. A single
 * refusal means a dead process: a firewall that refuses takes several members away at once.
 * Measured (simulated): all twenty nodes know the death after 111 ms instead of 161 ms. Measured
 * with a hundred nodes and a firewall that refuses connections between all nodes except three: if
 * several members get only this time, three times as many lives end falsely.
 */
const refusedTime = 50
/**
 * Additional time for a member whose host did not refuse this node, ms. The member may be cut off
 * from all its peers in the topic's mesh. Then lazy gossip (IHAVE, IWANT) brings it the accusation
 * at the next heartbeat of gossipsub. This takes up to 2 s, but links bring most accusations
 * earlier. A refusing host needs no such time: links break at once, and nodes that still have a
 * link send the accusation. A node that did not probe the member can't tell the cases apart, so it
 * waits, too. Measured: no life ended falsely in 300 seeds of `three-sites-narrow`. With a whole
 * second the death of a silent host is known 0.6 s later.
 */
const lazyGossip = 500
/**
 * Upper bound of the time for a refutation, without additions, ms. Guess: if answers take longer,
 * the machine is overloaded, not the network.
 */
const longestRefutation = 2_000

/**
 * Additional wait before accusations go over links, and before a second accuser publishes the
 * certificate, ms. Guess: on an overloaded machine news from the topic waits for a second.
 */
const settling = 1_000

/**
 * Nodes with the same news take turns until one of them has published it. A turn is this time, ms,
 * plus `turnTrips` round trips: the news waits for a batch, and the batch travels. Guess.
 */
const turnLength = 60
/** Round trips of a turn, beside `turnLength`. Guess: the news passes a few hops. */
const turnTrips = 3
/** A turn takes no longer than this, ms. Guess: longer round trips come from overload. */
const longestTurn = 5_000

/**
 * An accusation waits for this time, so that others can share its broadcast, ms. Measured
 * (simulated, 18 of 60 nodes die): without the wait 99 % of the deaths are known after 3.5 s
 * instead of 3.1 s.
 */
const company = 40

export interface ConfirmationParts {
  readonly suspicions: Suspicions
  readonly scheduler: ProbeScheduler
  readonly refutations: Refutations
}

export class Confirmation {
  readonly quorum: Quorum
  readonly #context: Context
  readonly #parts: ConfirmationParts

  constructor(context: Context, parts: ConfirmationParts) {
    this.#context = context
    this.#parts = parts
    this.quorum = new Quorum(context, parts.suspicions)
  }

  /**
   * Returns the wait before a node with this turn publishes shared news, ms. Each turn waits for
   * all earlier turns.
   */
  waitFor(turn: number): Milliseconds {
    return turn * Math.min(turnLength + this.#parts.scheduler.roundTrip * turnTrips, longestTurn)
  }

  /** The time for a refutation before accusations become a certificate, ms. */
  get refutationTime(): Milliseconds {
    return Math.min(refutationTime + this.#parts.scheduler.roundTrip * refutationTrips, longestRefutation)
  }

  /** Wait before accusations go over links, ms: the topic needs time to bring enough. */
  get spreadTime(): Milliseconds {
    return firstRound + Math.min(this.#parts.scheduler.roundTrip * turnTrips, 3 * longestTurn)
  }

  /**
   * Schedules the publication of this node's accusation. Four observers publish at once. The other
   * observers publish only if these four don't suffice.
   */
  accused(suspicion: Suspicion): void {
    const { suspicions } = this.#parts
    const turn = Math.max(0, suspicions.rankAmong(suspicions.observersOf(suspicion.id), suspicion.id) + 1 - mostAccusers)
    suspicion.schedule('publish', this.#context.now + this.waitFor(turn))
  }

  /**
   * Counts one more accusation. Once one accusation is public, the member's time to refute begins
   * anew with each further accusation that the death needs. The path of the accusation does not
   * matter: the member may receive only the last accusation. A member whose host refuses gets the
   * time once, and less if this node misses no other member.
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
    // Until then no other node needs to probe the member. A slow machine needs `settling` more.
    const spread = suspicion.at('spread')
    if (spread < Infinity) suspicion.schedule('spread', Math.max(spread, suspicion.judgedFrom + settling))
  }

  /** Counts a published accusation. */
  published({ signer, content }: Statement<Accusation>): void {
    const suspicion = this.#parts.suspicions.get(content.suspect)
    if (suspicion !== undefined) this.added(suspicion, signer, true)
  }

  /**
   * Publishes this node's accusation in its turn. Pronounces the member dead if the accusers
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
      if (!isEnough || suspicion.judgedFrom === Infinity) this.#publish(suspicion)
    }
    if (!isEnough || (now < suspicion.judgedFrom && view.size > 2)) return
    const rank = this.#parts.suspicions.rankAmong(
      accusers.map(({ signer }) => signer),
      suspicion.id,
    )
    this.#died(accusers, rank === 0 ? 0 : settling + this.waitFor(rank))
  }

  /** Publishes this node's accusation. The member's time to refute it begins. */
  #publish(suspicion: Suspicion): void {
    const own = suspicion.accusations.get(this.#context.id)
    if (own === undefined) return
    const after = this.#parts.suspicions.own > 1 ? company : 0
    this.#context.outcomes.push({ type: 'publish', fact: factOf({ statement: own }), after })
    this.published(own)
  }

  /** Judges a member that others accuse. */
  #judgeHeard(suspicion: Suspicion): void {
    const { now, links } = this.#context
    if (suspicion.judgedFrom === Infinity || now < suspicion.judgedFrom || links.has(suspicion.id)) return
    if (this.suffices(suspicion)) this.#died(this.#together(suspicion), undefined)
  }

  /** True if the member has enough accusers for any node to believe its death. */
  suffices(suspicion: Suspicion): boolean {
    return this.#together(suspicion).length >= this.quorum.toBelieve(suspicion.id)
  }

  /** Believes a certified death that this node doubted at first. */
  believe(certificate: Certificate): void {
    const accusers = certificate.accusers.map(({ signer }) => signer)
    this.#pronounce(certificate, this.waitFor(this.#parts.suspicions.rankAmong(accusers, certificate.suspect)))
  }

  #died(accusers: readonly Statement<Accusation>[], after: Milliseconds | undefined): void {
    this.#pronounce(certify(accusers.slice(0, this.#context.config.limits.accusers)), after)
  }

  #pronounce(certificate: Certificate, after: Milliseconds | undefined): void {
    this.#context.outcomes.push({ type: 'certified', certificate, after, isLone: !this.#parts.suspicions.areSeveral })
  }

  /** Returns the largest group of valid accusations whose heartbeats are close enough together. */
  #together({ byHeartbeat }: Suspicion): Statement<Accusation>[] {
    // If an accusation is valid, all accusations of later heartbeats are valid.
    const firstValid = byHeartbeat.findIndex(({ content }) => this.#parts.refutations.isValid(content))
    if (firstValid < 0) return []
    let start = firstValid
    let [from, to] = [start, start]
    for (let end = start; end < byHeartbeat.length; end++) {
      const { heartbeat } = (byHeartbeat[end] as Statement<Accusation>).content
      while (heartbeat > (byHeartbeat[start] as Statement<Accusation>).content.heartbeat + heartbeatWindow) start += 1
      if (end + 1 - start > to - from) [from, to] = [start, end + 1]
    }
    return byHeartbeat.slice(from, to)
  }
}
