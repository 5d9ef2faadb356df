/**
 * Introduction: brings a node into a pool.
 *
 * Both ends of a new link send a hello. A hello states the highest incarnation of the other end
 * that the sender knows, so that a newcomer can choose the next one. The newcomer stores its
 * incarnation, signs and sends its joined-statement, and reconciles. Reconciliation transfers all
 * facts of a small pool in one round trip. The introducer publishes the join. If no introducer
 * answers, the node goes on alone and keeps trying. If it meets a pool later, the two sides
 * reconcile in the same way.
 *
 * Members that this node met in an earlier run are introducers, too. The node gives each of them up
 * after a while. They may have gone for good while this node was away.
 */
import { earliest } from '../base/earliest.ts'
import type { DialFailure, Introducer } from '../base/input.ts'
import { pickIndex, pickOne } from '../base/random.ts'
import type { Address, Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'

/**
 * If an introducer did not answer the first try, the node waits for this time before the next try,
 * ms. The wait doubles each time. Guess.
 */
export const retryMin = 500
/** Longest such wait, ms. Guess. */
export const retryMax = 30_000
/**
 * An introducer that accepts connections but stays silent counts as failed after this many tries.
 * The introducer may just be busy. Guess.
 */
const unansweredTries = 2
/**
 * After this many tries the node gives up a member of an earlier run. The waits between the tries
 * take about five minutes in all. Guess: hosts that lost power together are back within this time.
 */
export const rememberedTries = 16
/**
 * Pause between two dials to members of an earlier run, and between two dials to nodes that mDNS
 * found, ms. Mostly the first node that answers lets this node in, and the others need no dial.
 * Nobody signs an answer of mDNS, so a host of the local network can send any number of answers.
 * Guess.
 */
export const dialPace = 100
/**
 * The largest number of addresses from mDNS that wait for a dial. If more come, the node drops
 * random ones. The next address to dial is always a random one, too. With a fixed order, made-up
 * answers could displace the true answers each time. Guess: some hosts with a few addresses each.
 */
export const mostDiscovered = 16

interface Attempt {
  readonly introducer: Introducer
  /** Its place in a series of dials that are {@link dialPace} apart, as a delay, ms. */
  readonly delay: Milliseconds
  failures: number
  nextTry: Milliseconds
  reason: string | undefined
  /**
   * The introducer counts as failed. If all introducers count as failed, this node goes on alone.
   */
  hasFailed: boolean
}

export class Introduction implements Timed {
  readonly #context: Context
  #introducers: readonly Introducer[] = []
  #attempts: Attempt[] = []
  /** Nodes of the local network that this node has not dialled yet. */
  #discovered: readonly Introducer[] = []
  #nextDiscovery: Milliseconds = -Infinity
  #entering = false
  #aloneAt = Infinity
  /** Highest incarnation of this node that others know. */
  #learned = 0

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Introducers that did not answer, each with the reason. Members of an earlier run don't count.
   */
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

  /** Tries all introducers again, regardless of earlier failures. */
  startOver(): void {
    const { now } = this.#context
    let remembered = 0
    this.#attempts = this.#introducers.map((introducer) => {
      const delay = introducer.remembered === true ? dialPace * remembered++ : 0
      return { introducer, delay, failures: 0, nextTry: now + delay, reason: undefined, hasFailed: false }
    })
    this.#arm()
  }

  /**
   * Adds a node that mDNS found on the local network to the nodes that wait for a dial. Dials a
   * random one of these nodes now, if the pause since the last such dial is over.
   */
  discovered(introducer: Introducer): void {
    const isSame = ({ id, address }: Introducer): boolean => id === introducer.id && sameAddress(address, introducer.address)
    const waiting = [...this.#discovered.filter((each) => !isSame(each)), introducer]
    if (waiting.length > mostDiscovered)
      waiting.splice(
        pickIndex(() => this.#context.random(), waiting.length),
        1,
      )
    this.#discovered = waiting
    this.#dialDiscovered()
    this.#arm()
  }

  #dialDiscovered(): void {
    const { now, effects } = this.#context
    this.#discovered = this.#discovered.filter(({ id }) => id !== undefined && id !== this.#context.id && !this.#isReached(id))
    const next = now < this.#nextDiscovery ? undefined : pickOne(() => this.#context.random(), this.#discovered)
    if (next === undefined) return
    this.#discovered = this.#discovered.filter((each) => each !== next)
    this.#nextDiscovery = now + dialPace
    effects.push({ type: 'connect', peer: next.id, addresses: [next.address] })
  }

  /** Sends a hello over a new link. */
  linkUp(peer: NodeId): void {
    const { view, id, services } = this.#context
    for (const attempt of this.#attempts) if (attempt.introducer.id === peer) attempt.reason = undefined
    const known = view.known(peer)
    const ended = known > 0 && view.hasEnded(peer, known)
    const incarnation = view.get(id)?.incarnation ?? 0
    this.#context.send(peer, { hello: { known, ended, incarnation, today: Math.floor(services.today()) } })
  }

  /**
   * Handles the hello of a peer. `known`: the highest incarnation of this node that the peer knows.
   */
  greeted(known: number): void {
    this.#learned = Math.max(this.#learned, known)
    if (!this.#entering) return
    this.#entering = false
    this.#context.outcomes.push({ type: 'enter', learned: this.#learned })
  }

  /** Handles a failed dial to an introducer. */
  unreachable(peer: NodeId | undefined, addresses: readonly Address[], failure: DialFailure, reason: string): void {
    const { now } = this.#context
    const attempt = this.#attempts.find(
      ({ introducer }) => introducer.id === peer && addresses.some((address) => sameAddress(address, introducer.address)),
    )
    if (attempt === undefined) return
    if (failure === 'self') {
      this.#dropSelf(attempt.introducer)
      return
    }
    attempt.failures += 1
    attempt.nextTry = now + this.#context.jitter(Math.min(retryMax, retryMin * 2 ** Math.min(attempt.failures - 1, 16)))
    const isNews = attempt.reason !== reason
    attempt.reason = reason
    const meanwhile = this.#context.isUnintroduced ? ', and stands in no election meanwhile' : ''
    if (isNews && attempt.introducer.remembered !== true)
      this.#context.warn('INTRODUCER_UNREACHABLE', `${reason} (goes on trying${meanwhile})`)
    attempt.hasFailed = failure !== 'unresponsive' || attempt.failures >= unansweredTries
    if (this.#attempts.every(({ hasFailed }) => hasFailed) && !this.#isServed) this.goAlone()
    if (attempt.introducer.remembered === true && attempt.failures >= rememberedTries) this.#forget(attempt.introducer)
    this.#arm()
  }

  /**
   * Goes on alone if that is due, and dials the introducers that are due.
   *
   * A node that has reconciled never goes on alone. A node that has not reconciled goes on alone at
   * `#aloneAt`. If a member has let it in by then, the transfer of a large pool may still be under
   * way. So the node looks again later.
   *
   * A node that has reconciled drops the introducers that it has reached. Any other node keeps
   * them, since they may have to help again. An introducer with a link needs no dial.
   */
  due(): void {
    const { now, links, effects } = this.#context
    if (this.#context.isWhole) this.#aloneAt = Infinity
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
    this.#dialDiscovered()
    this.#arm()
  }

  /**
   * Handles the end of a link. Tries the introducers again soon in two cases.
   *
   * - This node has not reconciled yet, so it depends on its introducers. It goes on with its
   *   attempts to reach them.
   * - This node has reconciled, and this was its last link. It starts over with all introducers,
   *   also with those that it had dropped. No other class dials their addresses, and behind such an
   *   address another node may answer by now.
   */
  linkLost(): void {
    const { now, isWhole, links } = this.#context
    if (isWhole && links.size > 0) return
    const former = new Map(this.#attempts.map(({ introducer, nextTry }) => [introducer, nextTry]))
    if (isWhole) this.startOver()
    // A peer that lets this node in and soon ends the link, again and again, must not put off the
    // tries that are due.
    for (const attempt of this.#attempts)
      attempt.nextTry = Math.min(former.get(attempt.introducer) ?? Infinity, now + retryMin + attempt.delay)
    this.#arm()
  }

  /**
   * Drops an introducer with this node's own address. All hosts may share one list of introducers.
   * If no introducer is left, this node founds the pool.
   */
  #dropSelf(introducer: Introducer): void {
    this.#forget(introducer)
    if (this.#introducers.length > 0) return
    this.#context.isUnintroduced = false
    this.goAlone()
  }

  #forget(introducer: Introducer): void {
    this.#introducers = this.#introducers.filter((each) => each !== introducer)
    this.#attempts = this.#attempts.filter((attempt) => attempt.introducer !== introducer)
    this.#arm()
  }

  /**
   * True if there is a link to this introducer, or if it is a member. Without an id any link
   * counts: only the host knows which peer is at an address.
   */
  #isReached(id: NodeId | undefined): boolean {
    const { links, view } = this.#context
    return id === undefined ? links.size > 0 : links.has(id) || view.get(id) !== undefined
  }

  /** True if a member has let this node in. */
  get #isServed(): boolean {
    for (const { entered, greeted } of this.#context.links.values()) if (entered && greeted) return true
    return false
  }

  /** Notes a failure for each introducer without an answer. Then goes on alone. */
  #giveUpWaiting(): void {
    for (const attempt of this.#attempts) attempt.reason ??= 'no answer yet'
    this.goAlone()
  }

  /** Enters without an answer from an introducer. Keeps trying the introducers. */
  goAlone(): void {
    this.#aloneAt = Infinity
    if (this.#entering) {
      this.#entering = false
      this.#context.outcomes.push({ type: 'enter', learned: this.#learned })
    }
    if (!this.#context.isWhole) this.#context.outcomes.push({ type: 'alone' })
    this.#arm()
  }

  #arm(): void {
    const next = earliest(this.#attempts, ({ nextTry }) => nextTry)
    const discovery = this.#discovered.length === 0 ? Infinity : this.#nextDiscovery
    this.#context.timers.set('introduction', Math.min(this.#aloneAt, next, discovery))
  }
}

function sameAddress(a: Address, b: Address): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
