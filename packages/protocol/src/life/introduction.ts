/**
 * Introduction: how a node gets into a pool.
 *
 * Both ends of a new link say hello: the highest incarnation of the other that they know, so that a newcomer can choose the next. The newcomer
 * stores it, signs its joined-statement, hands that over and reconciles, which brings the whole pool in one round trip; whoever
 * it came to makes it known. Where no introducer answers the node goes on alone and keeps trying; meeting a pool later is the same reconciliation between two grown sides.
 *
 * Members of an earlier run are ways in, too, of second rank: each is given up after a while, as it may have gone for good while this node was away.
 */
import type { Address, DialFailure, Introducer, Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'

/** First wait before an introducer that did not answer is tried again, ms; doubles each time. Guess. */
export const retryMin = 500
/** Longest such wait, ms. Guess. */
export const retryMax = 30_000
/** An introducer that accepts and says nothing may only be busy: it is given up after so many tries. Guess. */
const unansweredTries = 2
/** A member of an earlier run is given up after so many tries, in six minutes. Guess: hosts that lost power together are back within this time. */
export const rememberedTries = 16
/** Members of an earlier run are dialled one after the other, ms: mostly the first lets this node in, and the rest need not hear of it. Guess. */
export const rememberedPace = 100

interface Attempt {
  readonly introducer: Introducer
  failures: number
  nextTry: Milliseconds
  reason: string | undefined
  /** It has failed for good enough a reason to go on alone. */
  given: boolean
}

export class Introduction implements Timed {
  readonly #context: Context
  #introducers: readonly Introducer[] = []
  #attempts: Attempt[] = []
  #entering = false
  #aloneAt = Infinity
  /** Highest incarnation of this node that others know. */
  #learned = 0

  constructor(context: Context) {
    this.#context = context
  }

  get nextDue(): Milliseconds {
    let next = this.#aloneAt
    for (const { nextTry } of this.#attempts) next = Math.min(next, nextTry)
    return next
  }

  /** Introducers that did not answer, and why. */
  get failing(): { introducer: Introducer; reason: string }[] {
    return this.#attempts.flatMap(({ introducer, reason }) =>
      reason === undefined || introducer.remembered === true ? [] : [{ introducer, reason }],
    )
  }

  get learned(): number {
    return this.#learned
  }

  start(introducers: readonly Introducer[]): void {
    const { id, now, config } = this.#context
    this.#entering = true
    this.#introducers = introducers.filter((introducer) => introducer.id !== id)
    this.#aloneAt = now + config.introduction.aloneAfter
    if (this.#introducers.length === 0) this.goAlone()
    else this.startOver()
  }

  /** Looks for the introducers, whatever became of them before. */
  startOver(): void {
    const { now } = this.#context
    let remembered = 0
    this.#attempts = this.#introducers.map((introducer) => {
      const nextTry = introducer.remembered === true ? now + rememberedPace * remembered++ : now
      return { introducer, failures: 0, nextTry, reason: undefined, given: false }
    })
  }

  /** Another way in, found on the local network. */
  discovered(introducer: Introducer): void {
    const { links, view, effects } = this.#context
    if (
      introducer.id === undefined ||
      introducer.id === this.#context.id ||
      links.has(introducer.id) ||
      view.get(introducer.id) !== undefined
    )
      return
    effects.push({ type: 'connect', peer: introducer.id, addresses: [introducer.address] })
  }

  /** A link is up: say hello. */
  linkUp(peer: NodeId): void {
    const { view, id, services } = this.#context
    for (const attempt of this.#attempts) if (attempt.introducer.id === peer) attempt.reason = undefined
    const known = view.known(peer)
    const ended = known > 0 && view.hasEnded(peer, known)
    const incarnation = view.get(id)?.incarnation ?? 0
    this.#context.send(peer, { hello: { known, ended, incarnation, today: Math.floor(services.today()) } })
  }

  /** The other end's hello: what it knows of us. */
  greeted(known: number): void {
    this.#learned = Math.max(this.#learned, known)
    if (!this.#entering) return
    this.#entering = false
    this.#context.outcomes.push({ type: 'enter', learned: this.#learned })
  }

  /** A dial that was ours came to nothing. */
  unreachable(peer: NodeId | undefined, addresses: readonly Address[], failure: DialFailure, reason: string): void {
    const { now } = this.#context
    const attempt = this.#attempts.find(
      ({ introducer }) => (introducer.id ?? undefined) === peer && addresses.some((address) => sameAddress(address, introducer.address)),
    )
    if (attempt === undefined) return
    if (failure === 'self') {
      this.#isSelf(attempt.introducer)
      return
    }
    attempt.failures += 1
    attempt.nextTry = now + this.#context.jitter(Math.min(retryMax, retryMin * 2 ** Math.min(attempt.failures - 1, 16)))
    const isNews = attempt.reason !== reason
    attempt.reason = reason
    const meanwhile = this.#context.isUnintroduced ? ', and stands in no election meanwhile' : ''
    if (isNews && attempt.introducer.remembered !== true)
      this.#context.warn('INTRODUCER_UNREACHABLE', `${reason} (goes on trying${meanwhile})`)
    attempt.given = failure !== 'unresponsive' || attempt.failures >= unansweredTries
    if (this.#attempts.every(({ given }) => given) && !this.#isServed) this.goAlone()
    if (attempt.introducer.remembered === true && attempt.failures >= rememberedTries) this.#forget(attempt.introducer)
  }

  due(): void {
    const { now, links, effects } = this.#context
    if (this.#context.isWhole) this.#aloneAt = Infinity
    // The larger the pool, the longer it takes to be told of it.
    else if (now >= this.#aloneAt && this.#isServed) this.#aloneAt = now + retryMin
    else if (now >= this.#aloneAt) this.#giveUpWaiting()
    this.#attempts = this.#attempts.filter(
      ({ introducer: { id } }) => id !== this.#context.id && !(this.#context.isWhole && this.#isReached(id)),
    )
    for (const attempt of this.#attempts) {
      if (now < attempt.nextTry) continue
      const { id, address } = attempt.introducer
      const isLinked = id === undefined ? links.size > 0 : links.has(id)
      attempt.nextTry = now + (isLinked ? retryMin : retryMax)
      if (!isLinked) effects.push({ type: 'connect', peer: id, addresses: [address] })
    }
  }

  /**
   * A link is gone: a newcomer that is not whole yet depends on its introducers. So does a node that has no link any more: those of whom the address
   * alone is known may have been replaced, under another id, and nobody else would find them.
   */
  linkLost(): void {
    const { now, isWhole, links } = this.#context
    if (isWhole && links.size > 0) return
    if (isWhole) this.startOver()
    for (const attempt of this.#attempts) attempt.nextTry = isWhole ? now + retryMin : Math.min(attempt.nextTry, now + retryMin)
  }

  /** It is this node's own address, as where all hosts are given one list: no way in. Where there is no other this node founds the pool. */
  #isSelf(introducer: Introducer): void {
    this.#forget(introducer)
    if (this.#introducers.length > 0) return
    this.#context.isUnintroduced = false
    this.goAlone()
  }

  #forget(introducer: Introducer): void {
    this.#introducers = this.#introducers.filter((each) => each !== introducer)
    this.#attempts = this.#attempts.filter((attempt) => attempt.introducer !== introducer)
  }

  /** Who is behind a bare address only the host knows: there any link will do. */
  #isReached(id: NodeId | undefined): boolean {
    const { links, view } = this.#context
    return id === undefined ? links.size > 0 : links.has(id) || view.get(id) !== undefined
  }

  /** Somebody who is in lets this node in. */
  get #isServed(): boolean {
    for (const { entered, greeted } of this.#context.links.values()) if (entered && greeted) return true
    return false
  }

  /** Whoever has said nothing up to now is one of those that don't answer. */
  #giveUpWaiting(): void {
    for (const attempt of this.#attempts) attempt.reason ??= 'no answer yet'
    this.goAlone()
  }

  /** Enters without a word from an introducer; they are tried on. */
  goAlone(): void {
    this.#aloneAt = Infinity
    if (this.#entering) {
      this.#entering = false
      this.#context.outcomes.push({ type: 'enter', learned: this.#learned })
    }
    if (!this.#context.isWhole) this.#context.outcomes.push({ type: 'alone' })
  }
}

function sameAddress(a: Address, b: Address): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
