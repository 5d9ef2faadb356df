/**
 * The spread of accusations over links.
 *
 * An accusation goes to the suspect itself, so that the suspect can refute it. The pool receives it
 * on the topic. If the accusers are still too few, the accusation goes to some linked peers in ever
 * rarer rounds, and to observers without a link. These nodes probe the suspect, and may become the
 * missing accusers.
 */
import type { NodeId } from '../../base/values.ts'
import { pickOne, pickSome } from '../../base/random.ts'
import type { Context } from '../../context/context.ts'
import type { Statement, Accusation } from '../../facts/statement.ts'
import type { Batcher } from '../suspicion/batcher.ts'
import type { Suspicion } from '../suspicion/suspicion.ts'
import type { Suspicions } from '../suspicion/suspicions.ts'

/**
 * An undecided accusation goes to more members after this time, ms. Each later round waits twice as
 * long. Guess: most often the observers suffice.
 */
export const firstRound = 150

/** Longest wait between two rounds, ms. Guess. */
const longestPause = 2_400

/**
 * Linked peers that receive an accusation in a round. Guess: each may accuse, and most often one
 * accuser is missing.
 */
const peersARound = 3

/**
 * The largest number of accusations against one suspect that a peer receives in a round. This node
 * draws them at random. Thousands of keys may accuse one member. Guess: more than the honest
 * accusers of a member, and a third of the signatures that a peer checks in a second.
 */
export const accusationsARound = 64

/**
 * Largest number of suspects for which rounds go on at the same time. Other suspects wait. Guess.
 */
export const roundsAtOnce = 2

/** The largest number of observers without a link that a node dials at a time. Guess. */
const dialsAtOnce = 4

export class AccusationSpread {
  readonly #context: Context
  readonly #batcher: Batcher
  readonly #suspicions: Suspicions
  /**
   * Suspects by member. The member gets the accusations against these suspects as soon as a link to
   * the member is up.
   */
  readonly #undelivered = new Map<NodeId, Set<NodeId>>()

  constructor(context: Context, batcher: Batcher, suspicions: Suspicions) {
    this.#context = context
    this.#batcher = batcher
    this.#suspicions = suspicions
  }

  /** Sends an accusation to the suspect, if a link is up, so that the suspect can refute it. */
  sendToSubject(suspicion: Suspicion, accusation: Statement<Accusation>): void {
    this.#send(suspicion, suspicion.id, accusation)
  }

  /** Sends undecided accusations to more members. */
  round(suspicion: Suspicion): void {
    const { links, now } = this.#context
    const { id } = suspicion
    const peers = [...links.keys()].filter((peer) => peer !== id && !this.#isSuspected(peer) && suspicion.newsFor(peer).length > 0)
    for (const peer of pickSome(() => this.#context.random(), peers, peersARound)) this.#sendNews(suspicion, peer)
    if (suspicion.spreads > 0 || peers.length === 0) this.#reachOut(id)
    suspicion.schedule('spread', now + this.#context.jitter(Math.min(firstRound * 2 ** suspicion.spreads, longestPause)))
    suspicion.spreads += 1
  }

  /** Sends the accusations that waited for this link. */
  linkUp(peer: NodeId): void {
    const suspects = this.#undelivered.get(peer)
    this.#undelivered.delete(peer)
    for (const suspect of suspects ?? []) {
      const suspicion = this.#suspicions.get(suspect)
      if (suspicion !== undefined) this.#sendNews(suspicion, peer)
    }
  }

  unreachable(peer: NodeId): void {
    this.#undelivered.delete(peer)
  }

  clear(): void {
    this.#undelivered.clear()
  }

  /** Dials one observer without a link. */
  #reachOut(id: NodeId): void {
    const { links, id: self } = this.#context
    if (this.#undelivered.size >= dialsAtOnce) return
    const isFit = (observer: NodeId): boolean =>
      observer !== self && !links.has(observer) && !this.#isSuspected(observer) && this.#undelivered.get(observer)?.has(id) !== true
    const observer = pickOne(() => this.#context.random(), [...this.#suspicions.observersOf(id)].filter(isFit))
    if (observer === undefined) return
    this.#undelivered.set(observer, (this.#undelivered.get(observer) ?? new Set()).add(id))
    this.#context.connect(observer)
  }

  #isSuspected(id: NodeId): boolean {
    return this.#suspicions.get(id) !== undefined
  }

  #sendNews(suspicion: Suspicion, peer: NodeId): void {
    const news = suspicion.newsFor(peer)
    const few = news.length <= accusationsARound ? news : pickSome(() => this.#context.random(), news, accusationsARound)
    for (const accusation of few) this.#send(suspicion, peer, accusation)
  }

  /** Sends an accusation to a peer, unless the peer received it from this node or sent it. */
  #send(suspicion: Suspicion, peer: NodeId, accusation: Statement<Accusation>): void {
    if (!this.#context.links.has(peer) || suspicion.hasExchanged(peer, accusation)) return
    suspicion.exchange(peer, accusation)
    this.#batcher.send(peer, accusation)
  }
}
