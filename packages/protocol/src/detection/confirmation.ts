/**
 * The confirmation: when accusations of a member make its death (SWIM's Confirm, §4.2).
 *
 * That takes a quorum of different accusers that speak of about the same time (`quorum.ts`), none that the member has refuted since, and for each of them the time in
 * which a refutation would have come back (the suspicion time-out of SWIM §4.2). Four observers publish their accusations at once, by lot; the others follow one by
 * one while these are not enough.
 *
 * As in SWIM each node concludes by itself. An accuser needs a quorum of the member's observers, any other node the accusers of any death. So one accuser publishes the
 * certificate at once, for those who missed an accusation, and the others where it did not.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'
import { beatWindow, certify, type Certificate } from '../facts/certificate.ts'
import type { Statement, Suspicion as Accusation } from '../facts/statement.ts'
import { mostAccusers, Quorum } from './quorum.ts'
import type { Suspicion } from './suspicion.ts'
import type { Suspicions } from './suspicions.ts'

/**
 * So long an accuser wants as many accusers as all others do; then a quorum of the observers must do, ms. Measured: two halves of twelve
 * were whole 0.8 s after the heal (median of 24 runs), and after 1.8 s with 300 ms here. In 2 s each observer has probed.
 */
const generousFor = 2_400

/**
 * A suspicion reaches its subject, and the refutation comes back, in so many round trips (some four hops of gossip each way), and as both wait for company before they
 * are published, so long, ms. Measured: of a hundred nodes 10 ms apart, 120 ms in all ended a life in one of two runs.
 */
const refutationTrips = 6
const refutationTime = 100
/**
 * The same where the host of a single member refuses, ms: two waits for company, and a little. That is a dead process: a firewall that refuses takes several members away
 * at once. Measured: of twenty nodes known by all after 111 ms instead of 161 (simulated); with it for several members, too, three times as many lives end falsely where a
 * firewall refuses between all but three of a hundred nodes.
 */
const refusedTime = 50
/**
 * A member whose host is silent may be cut from all its peers of the topic's mesh: then lazy gossip (IHAVE, IWANT) brings it the suspicion, at the next heartbeat of
 * gossipsub. So long it gets for that, ms, though a heartbeat takes up to 2 s: the links bring most. A refusal breaks links at once, and who is linked with the member tells it. A node that did not probe the member
 * can't tell one from the other. Measured: no life ended in 300 seeds of `three-sites-narrow`; a whole second makes the death of a silent host known 0.6 s later.
 */
const lazyGossip = 500
/** Ms. Guess: where answers take longer the machine has too much to do, not the network. */
const longestRefutation = 2_000

/**
 * So much later accusations go over links, and certificates come from others than the first accuser, ms. Guess: on a machine with too much to do what the topic brought
 * waits for a second.
 */
const settling = 1_000

/**
 * What several nodes know they publish one after the other, while nobody did: in between a batch waits for company and travels, ms, beside so many round trips. Guess.
 */
const turnLength = 60
export const turnTrips = 3
export const longestTurn = 5_000

export interface ConfirmationParts {
  readonly suspicions: Suspicions
  /** Neither refuted nor outlived. */
  isValid(suspect: NodeId, accusation: Accusation): boolean
  /** How long answers take, ms. */
  roundTrip(): Milliseconds
}

export interface ConfirmationEvents {
  /** The pool is to be told that this node accuses the member. */
  onTurn(suspicion: Suspicion): void
  /** A death. `after`: others get so long, ms, to publish it; undefined: the pool knows without being told. */
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

  /** When this node is to publish what others know, too, ms from now: each waits for the ones before it. */
  waitFor(turn: number): Milliseconds {
    return turn * Math.min(turnLength + this.#parts.roundTrip() * turnTrips, longestTurn)
  }

  /** A refutation gets this long before suspicions become a certificate, ms. */
  get refutationTime(): Milliseconds {
    return Math.min(refutationTime + this.#parts.roundTrip() * refutationTrips, longestRefutation)
  }

  /** This node accuses the member. As many as make a death publish at once, the others only where these don't suffice. */
  accused(suspicion: Suspicion): void {
    const { suspicions } = this.#parts
    const turn = Math.max(0, suspicions.rankAmong(suspicions.observersOf(suspicion.id), suspicion.id) + 1 - mostAccusers)
    suspicion.schedule('publish', this.#context.now + this.waitFor(turn))
  }

  /**
   * One more accusation. From the first on that the pool was told of, the member gets the time to refute each that is needed for its death, whichever way that came: it
   * may hear only the last of them. Where its host refuses, it gets that time once, and less if this node misses nobody else.
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
    // Until then, and where the machine is slow some time longer, nobody else needs to probe it.
    const spread = suspicion.at('spread')
    if (spread < Infinity) suspicion.schedule('spread', Math.max(spread, suspicion.judgedFrom + settling))
  }

  /** Publishes this node's accusation if it is its turn; pronounces the member dead if its accusers suffice. */
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

  /** Others accuse it. */
  #judgeHeard(suspicion: Suspicion): void {
    const { now, links } = this.#context
    if (suspicion.judgedFrom === Infinity || now < suspicion.judgedFrom || links.has(suspicion.id)) return
    if (this.suffices(suspicion)) this.#died(this.#together(suspicion), undefined)
  }

  /** Its accusers are enough for any death. */
  suffices(suspicion: Suspicion): boolean {
    return this.#together(suspicion).length >= this.quorum.toBelieve(suspicion.id)
  }

  #died(accusers: readonly Statement<Accusation>[], after: Milliseconds | undefined): void {
    this.#events.onDeath(certify(accusers.slice(0, this.#context.config.limits.accusers)), after)
  }

  /** The most valid suspicions whose beats are close enough together. */
  #together({ id, accusations }: Suspicion): Statement<Accusation>[] {
    const valid = [...accusations.values()].filter(({ content }) => this.#parts.isValid(id, content))
    valid.sort((a, b) => a.content.beat - b.content.beat || (a.signer < b.signer ? -1 : 1))
    let most: Statement<Accusation>[] = []
    for (const [i, { content }] of valid.entries()) {
      const group = valid.slice(i).filter((other) => other.content.beat <= content.beat + beatWindow)
      if (group.length > most.length) most = group
    }
    return most
  }
}
