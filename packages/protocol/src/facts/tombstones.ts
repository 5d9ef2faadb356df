/**
 * Tombstones: the memory of ended lives. Without it a member that was away would bring the dead
 * back as news.
 *
 * A tombstone is sent for nine tenths of its lifetime and kept for all of it. So no node gets it
 * back after its expiry (Demers et al., PODC'87 §2, death certificates). Of several received ages
 * the youngest counts.
 */
import type { Config } from '../base/config.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Fact } from './fact.ts'
import type { FactSet } from './fact-set.ts'

/** Honest ages of one end differ by at most this, because of transmission, ms. Guess. */
const ageSlack = 60_000

/**
 * After this share of its lifetime a tombstone is not sent any more, so that no node gets it back
 * after its expiry. Guess.
 */
export const shareUntil = 0.9

export interface TombstoneEvents {
  onForgotten(id: NodeId): void
  /** The next time to call `expire` changed. */
  onExpiry(at: Milliseconds): void
}

export class Tombstones {
  readonly #facts: FactSet
  readonly #config: Config
  #size = 0
  #nextExpiry = Infinity
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
  added(born: Milliseconds, isMore: boolean): void {
    this.#awaitExpiry(born)
    if (isMore) this.#size += 1
    if (this.#size > this.#config.limits.members) this.#dropOldest()
  }

  /** Notes that a later life replaced an end. */
  replaced(): void {
    this.#size -= 1
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
   * Drops old tombstones: stops sending them first, and forgets them later. Call it now and then.
   */
  expire(now: Milliseconds): void {
    if (now < this.#nextExpiry) return
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
    this.#expireAt(Infinity)
  }

  get #lifetime(): Milliseconds {
    return this.#config.tombstones.lifetime
  }

  #awaitExpiry(born: Milliseconds): void {
    this.#expireAt(Math.min(this.#nextExpiry, born + this.#lifetime * shareUntil))
  }

  #expireAt(at: Milliseconds): void {
    this.#nextExpiry = at
    this.#events.onExpiry(at)
  }

  /** Yields each end with the time when it began. */
  *#remembered(): IterableIterator<[Fact, Milliseconds]> {
    if (this.#size === 0) return
    for (const place of this.#facts.ranges.places()) {
      const fact = this.#facts.at(place)
      if (fact?.about !== undefined && fact.member === undefined) yield [fact, this.#facts.born(fact) ?? 0]
    }
  }

  #forget(fact: Fact): void {
    this.#facts.delete(fact)
    this.#size -= 1
    if (fact.about !== undefined) this.#events.onForgotten(fact.about)
  }

  #dropOldest(): void {
    let oldest: Fact | undefined
    let first = Infinity
    for (const [fact, born] of this.#remembered()) {
      if (born >= first) continue
      first = born
      oldest = fact
    }
    if (oldest !== undefined) this.#forget(oldest)
  }
}
