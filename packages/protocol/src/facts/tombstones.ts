/**
 * Tombstones: the memory of ended lives. Without it a member that was away would bring the dead
 * back as news.
 *
 * A node sends a tombstone for nine tenths of its lifetime, and keeps the tombstone for all of it.
 * So no node gets a tombstone back after its expiry (Demers et al., PODC'87 §2, death
 * certificates). Of several received ages the youngest counts.
 */
import type { Config } from '../base/config.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Fact } from './fact.ts'
import type { FactSet } from './fact-set.ts'

/** Honest ages of one end differ by at most this, because of transmission, ms. Guess. */
const ageSlack = 60_000

/**
 * A node sends a tombstone only until this share of its lifetime, so that no node gets the
 * tombstone back after its expiry. Guess.
 */
export const shareUntil = 0.9

/**
 * A life is short if it ended within this time after this node learned of it, ms. Guess: made-up
 * members are cheap if they need not stay.
 */
export const shortLife = 60_000
/**
 * If there are too many ends, this node drops one. It drops an end of a short life if such ends
 * have more than this share of the places. Guess: enough for honest members that come and go.
 */
const shortShare = 0.1
/**
 * A scan finds the oldest ends, up to this share of the places. So this node need not scan again
 * each time it drops an end. Guess. A scan of 50,000 ends takes some 50 ms.
 */
const scanShare = 0.01
/**
 * Least time between two scans for expired ends, ms. Anybody can send an end of any age, and each
 * would cause a scan. Guess: far less than the honest difference of ages.
 */
const scanInterval = 10_000

export interface TombstoneEvents {
  onForgotten(id: NodeId): void
  /** Call `expire` at this time. It replaces the time that the last call of `onExpiry` gave. */
  onExpiry(at: Milliseconds): void
}

export class Tombstones {
  readonly #facts: FactSet
  readonly #config: Config
  #size = 0
  #nextExpiry = Infinity
  #scannedAt = -Infinity
  /**
   * Beginnings of lives within the last minute, oldest first. This node notes them only while at
   * least half of the places are taken.
   */
  readonly #begun = new Map<NodeId, Milliseconds>()
  /** Ids whose last life was short, in the order of their ends. */
  readonly #short = new Set<NodeId>()
  /** The oldest ends at the last scan, the oldest one last. */
  #oldest: (readonly [Fact, Milliseconds])[] = []
  readonly #events: TombstoneEvents

  constructor(facts: FactSet, config: Config, events: TombstoneEvents) {
    this.#facts = facts
    this.#config = config
    this.#events = events
  }

  /** The number of remembered ends has reached its limit. */
  get isFull(): boolean {
    return this.#size >= this.#config.limits.members
  }

  /** The number of remembered ends has reached half of its limit. */
  get isHalfFull(): boolean {
    return this.#size * 2 >= this.#config.limits.members
  }

  /**
   * Caps an age at the oldest that honest nodes send. A false age must not make this node forget an
   * end at once.
   */
  credible(age: Milliseconds): Milliseconds {
    return Math.min(age, this.#lifetime * shareUntil)
  }

  /** Notes a new end. `isMore`: this id had no end before. */
  added(id: NodeId, now: Milliseconds, born: Milliseconds, isMore: boolean): void {
    this.#awaitExpiry(born)
    if (!isMore) return
    this.#size += 1
    if (now - (this.#begun.get(id) ?? -Infinity) < shortLife) this.#short.add(id)
    if (this.#size > this.#config.limits.members) this.#dropOne()
  }

  /** Notes that a new life began. `isAfterEnd`: it takes the place of a remembered end. */
  began(id: NodeId, now: Milliseconds, isAfterEnd: boolean): void {
    if (isAfterEnd) this.#size -= 1
    this.#short.delete(id)
    this.#begun.delete(id)
    if (this.isHalfFull) this.#begun.set(id, now)
    for (const [oldest, since] of this.#begun) {
      if (now - since < shortLife) break
      this.#begun.delete(oldest)
    }
  }

  /**
   * Takes a younger age of a held end. Otherwise a false, old age would make this node forget the
   * end early, and the life could come back.
   */
  rejuvenate(fact: Fact, born: Milliseconds): void {
    const present = this.#facts.rival(fact)
    if (present === undefined || present.member !== undefined || fact.says === 'joined' || !present.equals(fact)) return
    if (born - (this.#facts.born(present) ?? born) <= ageSlack) return
    this.#facts.put(present, born)
    this.#awaitExpiry(born)
  }

  /**
   * Drops old tombstones: stops sending them first, and forgets them later. Call this at the time
   * that the last call of `onExpiry` gave.
   */
  expire(now: Milliseconds): void {
    if (now < this.#nextExpiry) return
    this.#scannedAt = now
    const lifetime = this.#lifetime
    let next = Infinity
    for (const [fact, born] of this.#remembered()) {
      const age = now - born
      if (age >= lifetime) this.#forget(fact)
      else if (age >= lifetime * shareUntil) this.#facts.silence(fact)
      if (age < lifetime) next = Math.min(next, born + (age < lifetime * shareUntil ? lifetime * shareUntil : lifetime))
    }
    this.#expireAt(next)
  }

  /** Resets, since all facts are gone. */
  clear(): void {
    this.#size = 0
    this.#begun.clear()
    this.#short.clear()
    this.#oldest = []
    this.#expireAt(Infinity)
  }

  get #lifetime(): Milliseconds {
    return this.#config.tombstones.lifetime
  }

  #awaitExpiry(born: Milliseconds): void {
    this.#expireAt(Math.min(this.#nextExpiry, born + this.#lifetime * shareUntil))
  }

  #expireAt(at: Milliseconds): void {
    this.#nextExpiry = Math.max(at, this.#scannedAt + scanInterval)
    this.#events.onExpiry(this.#nextExpiry)
  }

  /** Yields each end with the time when its age was 0. */
  *#remembered(): IterableIterator<[Fact, Milliseconds]> {
    if (this.#size === 0) return
    for (const place of this.#facts.ranges.places()) {
      const fact = this.#facts.at(place)
      if (fact?.about !== undefined && fact.member === undefined) yield [fact, this.#facts.bornAt(place) ?? 0]
    }
  }

  #forget(fact: Fact): void {
    this.#facts.delete(fact)
    this.#size -= 1
    if (fact.about === undefined) return
    this.#short.delete(fact.about)
    this.#events.onForgotten(fact.about)
  }

  /**
   * Makes room. Members that come and go at once push out one another's ends. Otherwise they would
   * push out the ends of honest members.
   */
  #dropOne(): void {
    const [first] = this.#short
    const isCrowd = this.#short.size > this.#config.limits.members * shortShare
    const fact = isCrowd && first !== undefined ? this.#facts.about(first) : this.#nextOldest()
    if (fact !== undefined) this.#forget(fact)
  }

  #nextOldest(): Fact | undefined {
    const isHeld = ([fact, born]: readonly [Fact, Milliseconds]): boolean =>
      this.#facts.rival(fact) === fact && this.#facts.born(fact) === born
    let next = this.#oldest.pop()
    while (next !== undefined && !isHeld(next)) next = this.#oldest.pop()
    if (next !== undefined) return next[0]
    const count = Math.max(1, Math.floor(this.#config.limits.members * scanShare))
    const all = [...this.#remembered()]
    // A sort of numbers is much quicker than a sort of all ends.
    const latest = Float64Array.from(all, ([, born]) => born).sort()[count - 1] ?? Infinity
    this.#oldest = all
      .filter(([, born]) => born <= latest)
      .sort(([, a], [, b]) => a - b)
      .slice(0, count)
      .toReversed()
    return this.#oldest.pop()?.[0]
  }
}
