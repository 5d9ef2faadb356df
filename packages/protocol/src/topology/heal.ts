/**
 * Healing: finds the other side of a partition again.
 *
 * After a partition both sides have pronounced each other dead, and have no reason to dial each
 * other. So for a day each node remembers a member pronounced dead, with its addresses. Each node
 * dials such a member now and then, with a probability that falls with the size of the pool. So the
 * whole pool makes a bounded number of attempts. One link is enough. Reconciliation over it shows
 * each side the deaths of its own members, and these members enter again.
 *
 * A node never gives up the introducers that its operator chose as entry points. An introducer that
 * left may come back and know nobody.
 */
import type { Introducer } from '../base/input.ts'
import type { Member, Milliseconds, NodeId } from '../base/values.ts'
import { pickOne } from '../base/random.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import { grown } from '../facts/sorted-places.ts'

/**
 * Longest wait before one node dials the same lost member again, ms. Guess: a pool is whole within
 * 20 s of a heal, as docs/specification.md asks.
 */
const longestWait = 30_000
/**
 * Longest wait before one node dials the same introducer again, ms, if the introducer left or was
 * lost longer ago than `healing.memory`. Guess: perhaps nobody ever listens there again.
 */
const longestWaitForIntroducer = 300_000

/** A loss within this time is recent, ms. Guess. */
const recently = 60_000

/**
 * If a dialled member came back lately, the node waits for this time before it dials a member with
 * a contested death, ms. Guess: the pause between two dials of a node.
 */
const nextContested = 200
/** A dialled member that came back within this time did so lately, ms. Guess: a few turns. */
const foundLately = 10_000

/** Dials to a lost member. One node dials only few of the lost members. */
interface Attempts {
  count: number
  nextTry: Milliseconds
}

export class Healer implements Timed {
  readonly #context: Context
  /** Lost members in the order of their loss, and the times. A found member becomes undefined. */
  #lost: (Member | undefined)[] = []
  #since: Milliseconds[] = []
  #size = 0
  /**
   * `#recentFrom` is the index of the first member lost within the last minute, as of the last call
   * of `recentlyLost`. `#recent` is the number of members from this index on that are still lost.
   */
  #recentFrom = 0
  #recent = 0
  /**
   * By place in the registry: 1 if a lost member may have this place. This saves a search at each
   * join.
   */
  #mayBeLost = new Uint8Array(0)
  /** A lost member had no place in the registry, so it may get any place. */
  #anyMayBeLost = false
  readonly #tried = new Map<NodeId, Attempts>()
  /**
   * The last lost member that a peer considered alive. One is enough, since peers contest a false
   * death again. While a large pool detects a partition, peers contest many deaths for a moment. A
   * node that remembered all these members dialled them for half an hour (1,000 simulated nodes).
   */
  #contested: NodeId | undefined
  /** Time when a dialled member came back. The return shows that the path works again. */
  #foundAt: Milliseconds = -Infinity
  readonly #introducers = new Set<NodeId>()
  /** Introducers that are neither members nor remembered as lost. */
  readonly #waysIn = new Map<NodeId, Member>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Sets the introducers. */
  start(introducers: readonly Introducer[]): void {
    for (const { id, remembered } of introducers)
      if (id !== undefined && id !== this.#context.id && remembered !== true) this.#introducers.add(id)
  }

  /** Number of remembered lost members. */
  get size(): number {
    return this.#size
  }

  /** Returns the number of members pronounced dead within the last minute. */
  recentlyLost(): number {
    for (; this.#recentFrom < this.#lost.length; this.#recentFrom++) {
      if (this.#context.now - (this.#since[this.#recentFrom] as number) < recently) break
      if (this.#lost[this.#recentFrom] !== undefined) this.#recent -= 1
    }
    return this.#recent
  }

  lost(member: Member): void {
    const { now, config, id } = this.#context
    if (member.id === id) return
    this.#drop(member.id)
    this.#lost.push(member)
    this.#since.push(now)
    this.#size += 1
    this.#recent += 1
    this.#mark(member.id)
    if (this.#size > config.limits.lost) this.#giveUp(this.#lost.findIndex((each) => each !== undefined))
    this.#arm()
  }

  /** Forgets a member that left, unless it is an introducer. */
  left(member: Member): void {
    this.#drop(member.id)
    this.#remain(member)
  }

  /**
   * Notes that a peer considers this lost member alive. A small part of the pool may pronounce
   * members dead that all others reach. The others don't accept the word of so few. So a node that
   * believes the death dials the member, and the member enters again.
   */
  contested(id: NodeId): void {
    if (this.#indexOf(id) < 0) return
    this.#contested = id
    const { now, timers } = this.#context
    if (now - this.#foundAt < foundLately) timers.advance('healing', now + this.#context.jitter(nextContested))
  }

  /** Handles the return of a member. */
  found(id: NodeId): void {
    if (this.#tried.has(id)) this.#foundAt = this.#context.now
    this.#drop(id)
  }

  due(): void {
    const { now, config, view, links } = this.#context
    this.#expire()
    if (this.#size > 0 || this.#waysIn.size > 0) this.#arm()
    const isTurn = this.#context.random() < config.healing.attempts / Math.max(view.size, 1)
    if (!isTurn && this.#contested === undefined) return
    const isReady = (member: Member | undefined, since: Milliseconds): boolean => {
      // The registry may give the place of a lost member to another key. Then {@link found} does
      // not find the member. So a member that is back may still be listed.
      if (member === undefined || links.has(member.id) || view.get(member.id) !== undefined) return false
      return (this.#tried.get(member.id)?.nextTry ?? since + config.healing.interval) <= now
    }
    const ready = this.#lost.filter((each, i): each is Member => isReady(each, this.#since[i] as number))
    for (const introducer of this.#waysIn.values()) if (isReady(introducer, -Infinity)) ready.push(introducer)
    const contested = ready.filter(({ id }) => id === this.#contested)
    const member = pickOne(() => this.#context.random(), contested.length > 0 || !isTurn ? contested : ready)
    if (member === undefined) return
    if (member.id === this.#contested) this.#contested = undefined
    const attempts = this.#tried.get(member.id) ?? { count: 0, nextTry: 0 }
    this.#tried.set(member.id, attempts)
    attempts.count += 1
    const longest = this.#waysIn.has(member.id) ? longestWaitForIntroducer : longestWait
    attempts.nextTry = now + Math.min(longest, config.healing.interval * 2 ** Math.min(attempts.count, 16))
    this.#context.effects.push({ type: 'connect', peer: member.id, addresses: member.addresses })
  }

  /** Stops remembering this member as lost. */
  #drop(id: NodeId): void {
    if (this.#waysIn.delete(id)) this.#tried.delete(id)
    const index = this.#indexOf(id)
    if (index >= 0) this.#forget(index)
  }

  #indexOf(id: NodeId): number {
    if (this.#size === 0) return -1
    const place = this.#context.facts.registry.memberPlace(id)
    if (!this.#anyMayBeLost && place !== undefined && (this.#mayBeLost[place] ?? 0) === 0) return -1
    return this.#lost.findIndex((each) => each?.id === id)
  }

  /** Forgets members that this node has remembered for long enough, and closes the gaps. */
  #expire(): void {
    const { now, config } = this.#context
    for (let i = 0; i < this.#lost.length && now - (this.#since[i] as number) >= config.healing.memory; i++)
      if (this.#lost[i] !== undefined) this.#giveUp(i)
    if (this.#lost.length < 2 * this.#size + 16) return
    this.#recentFrom = this.#size - this.recentlyLost()
    this.#since = this.#since.filter((_, i) => this.#lost[i] !== undefined)
    this.#lost = this.#lost.filter((member) => member !== undefined)
  }

  #arm(): void {
    const { timers, now, config } = this.#context
    if (timers.at('healing') === Infinity) timers.set('healing', now + this.#context.jitter(config.healing.interval))
  }

  /** Keeps dialling this member if it is an introducer. */
  #remain(member: Member): void {
    if (!this.#introducers.has(member.id)) return
    this.#waysIn.set(member.id, member)
    this.#arm()
  }

  /** Gives up a member whose loss was too long ago. */
  #giveUp(index: number): void {
    const member = this.#lost[index]
    this.#forget(index)
    if (member !== undefined) this.#remain(member)
  }

  #forget(index: number): void {
    const member = this.#lost[index]
    if (member === undefined) return
    this.#tried.delete(member.id)
    if (member.id === this.#contested) this.#contested = undefined
    this.#lost[index] = undefined
    this.#size -= 1
    if (index >= this.#recentFrom) this.#recent -= 1
    if (this.#size === 0) this.#anyMayBeLost = false
  }

  #mark(id: NodeId): void {
    const { registry } = this.#context.facts
    const place = registry.memberPlace(id)
    if (place === undefined) this.#anyMayBeLost = true
    else {
      if (place >= this.#mayBeLost.length) this.#mayBeLost = grown(this.#mayBeLost, registry.places - 1)
      this.#mayBeLost[place] = 1
    }
  }
}
