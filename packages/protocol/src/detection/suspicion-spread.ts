/**
 * Who hears of an accusation over a link, and when.
 *
 * It goes to the suspect itself, which gets the chance to refute. The pool hears of it on the topic. Where that was not enough it goes in rounds, ever rarer, to
 * some links, whose own probe may be the accusation that is missing, and to observers without a link.
 */
import type { NodeId } from '../base/io.ts'
import { pickOne, pickSome } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Statement, Suspicion as Accusation } from '../facts/statement.ts'
import type { Outbox } from './outbox.ts'
import type { Suspicion } from './suspicion.ts'
import type { Suspicions } from './suspicions.ts'

/** Told to more members where it was not decided after this long, ms; each later round waits twice as long. Guess: most often the observers suffice. */
export const firstRound = 150

/** Longest wait between two rounds, ms. Guess. */
const longestPause = 2_400

/** Links told in a round. Guess: each is an accuser more, and one is missing most often. */
const peersARound = 3

/** Suspects for which a round comes at a time; the others wait. Guess. */
export const roundsAtOnce = 2

/** Observers without a link that are dialled to be told, at a time. Guess. */
const dialsAtOnce = 4

export class SuspicionSpread {
  readonly #context: Context
  readonly #outbox: Outbox
  readonly #suspicions: Suspicions
  /** Suspects whose suspicions a member is to get when a link to it is up. */
  readonly #undelivered = new Map<NodeId, Set<NodeId>>()

  constructor(context: Context, outbox: Outbox, suspicions: Suspicions) {
    this.#context = context
    this.#outbox = outbox
    this.#suspicions = suspicions
  }

  /** The suspect itself, where a link is up, gets the chance to refute. */
  tellSubject(suspicion: Suspicion, accusation: Statement<Accusation>): void {
    this.#tell(suspicion, suspicion.id, accusation)
  }

  /** Tells more members of what was not decided yet. */
  round(suspicion: Suspicion): void {
    const { links, now } = this.#context
    const { id } = suspicion
    const peers = [...links.keys()].filter((peer) => peer !== id && !this.#isSuspected(peer) && suspicion.newsFor(peer).length > 0)
    for (const peer of pickSome(() => this.#context.random(), peers, peersARound)) {
      for (const accusation of suspicion.newsFor(peer)) this.#tell(suspicion, peer, accusation)
    }
    if (suspicion.spreads > 0 || peers.length === 0) this.#reachOut(id)
    suspicion.schedule('spread', now + this.#context.jitter(Math.min(firstRound * 2 ** suspicion.spreads, longestPause)))
    suspicion.spreads += 1
  }

  /** Sends what waited for this link. */
  linkUp(peer: NodeId): void {
    const suspects = this.#undelivered.get(peer)
    this.#undelivered.delete(peer)
    for (const suspect of suspects ?? []) {
      const suspicion = this.#suspicions.get(suspect)
      for (const accusation of suspicion?.newsFor(peer) ?? []) this.#tell(suspicion as Suspicion, peer, accusation)
    }
  }

  unreachable(peer: NodeId): void {
    this.#undelivered.delete(peer)
  }

  clear(): void {
    this.#undelivered.clear()
  }

  /** Looks for one observer that there is no link to. */
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

  /** Tells one who has not heard it from us, nor we from it. */
  #tell(suspicion: Suspicion, peer: NodeId, accusation: Statement<Accusation>): void {
    if (!this.#context.links.has(peer) || !suspicion.newsFor(peer).includes(accusation)) return
    suspicion.exchange(peer, accusation)
    this.#outbox.tell(peer, accusation)
  }
}
