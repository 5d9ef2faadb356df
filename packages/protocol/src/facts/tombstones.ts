/**
 * Tombstones: the memory of lives that ended. Without it a member that was away would bring the dead back as news.
 *
 * A tombstone is told for nine tenths of its lifetime and kept for all of it, so that its expiry reinfects nobody (Demers et al., PODC'87 §2, death
 * certificates). Of what is told about its age the youngest counts.
 */
import type { Config } from '../base/config.ts'
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Fact } from './fact.ts'
import type { FactSet } from './facts.ts'

/** Honest ages of one end differ by less, as it takes time to tell them, ms. Guess. */
const ageSlack = 60_000

/** Share of a tombstone's lifetime after which it is no longer told to others, so that expiry reinfects nobody. Guess. */
export const shareUntil = 0.9

export class Tombstones {
  readonly #facts: FactSet
  readonly #config: Config
  #size = 0
  #nextExpiry = Infinity
  readonly #onForgotten: (id: NodeId) => void

  constructor(facts: FactSet, config: Config, onForgotten: (id: NodeId) => void) {
    this.#facts = facts
    this.#config = config
    this.#onForgotten = onForgotten
  }

  get nextExpiry(): Milliseconds {
    return this.#nextExpiry
  }

  /** As many as can be remembered are. */
  get isFull(): boolean {
    return this.#size >= this.#config.limits.members
  }

  /** Half of those that can be remembered are. */
  get isHalfFull(): boolean {
    return this.#size * 2 >= this.#config.limits.members
  }

  /** Nobody honest tells ends older than this; a lie about the age must not make an end forgotten at once. */
  credible(age: Milliseconds): Milliseconds {
    return Math.min(age, this.#lifetime * shareUntil)
  }

  /** An end is held now. `isMore`: where there was none of this id. */
  added(born: Milliseconds, isMore: boolean): void {
    this.#awaitExpiry(born)
    if (isMore) this.#size += 1
    if (this.#size > this.#config.limits.members) this.#dropOldest()
  }

  /** A later life took its place. */
  replaced(): void {
    this.#size -= 1
  }

  /** A false age must not make an end forgotten early, and bring the life back. */
  rejuvenate(fact: Fact, born: Milliseconds): void {
    const present = this.#facts.rival(fact)
    if (present === undefined || present.member !== undefined || fact.says === 'joined' || !present.equals(fact)) return
    if (born - (this.#facts.born(present) ?? born) <= ageSlack) return
    this.#facts.put(present, born)
    this.#awaitExpiry(born)
  }

  /** Forgets what is too old: first stops telling it, later forgets it. To be called now and then. */
  expire(now: Milliseconds): void {
    if (now < this.#nextExpiry) return
    this.#nextExpiry = Infinity
    const lifetime = this.#lifetime
    for (const [fact, born] of this.#remembered()) {
      const age = now - born
      if (age >= lifetime) this.#forget(fact)
      else if (age >= lifetime * shareUntil) this.#facts.silence(fact)
      if (age < lifetime)
        this.#nextExpiry = Math.min(this.#nextExpiry, born + (age < lifetime * shareUntil ? lifetime * shareUntil : lifetime))
    }
  }

  /** All facts are gone. */
  clear(): void {
    this.#size = 0
    this.#nextExpiry = Infinity
  }

  get #lifetime(): Milliseconds {
    return this.#config.tombstones.lifetime
  }

  #awaitExpiry(born: Milliseconds): void {
    this.#nextExpiry = Math.min(this.#nextExpiry, born + this.#lifetime * shareUntil)
  }

  /** Ends of lives, and when they began. */
  *#remembered(): IterableIterator<[Fact, Milliseconds]> {
    if (this.#size === 0) return
    for (const place of this.#facts.places()) {
      const fact = this.#facts.at(place)
      if (fact?.about !== undefined && fact.member === undefined) yield [fact, this.#facts.born(fact) ?? 0]
    }
  }

  #forget(fact: Fact): void {
    this.#facts.delete(fact)
    this.#size -= 1
    if (fact.about !== undefined) this.#onForgotten(fact.about)
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
