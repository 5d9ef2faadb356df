/**
 * The view: the members of the pool that this node knows, and the memory of ended lives.
 *
 * Merging is a join of a semilattice, so the order, repetition and grouping of news don't matter.
 * For one id the higher incarnation wins. Within one incarnation an end wins over the
 * joined-statement, and the member's own left-statement wins over a death that others certified.
 * Nothing undoes an end, so no ended life comes back. Each transition becomes a notification for
 * the application. A later life ends an earlier life, even if the end itself never arrived.
 *
 * The fact set holds a joined-statement for each member, and an end for each ended life that is
 * remembered. The view stores little more than counts.
 */
import type { Config } from '../base/config.ts'
import type { Member, Milliseconds, NodeId } from '../base/values.ts'
import type { Fact } from './fact.ts'
import type { FactSet } from './fact-set.ts'
import { partOf, parts } from './fingerprint-grid.ts'
import { isKind, type Joined, type Statement } from './statement.ts'
import { Tombstones } from './tombstones.ts'

export type Change =
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }
  /** Addresses, tag, constants or reach changed in a life that goes on. */
  | { readonly type: 'updated'; readonly member: Member }

const none: readonly Change[] = []

export class View {
  readonly #facts: FactSet
  readonly #config: Config
  /** Ended lives, as far as this node remembers them. */
  readonly tombstones: Tombstones
  #size = 0
  /**
   * The highest incarnation that each id itself signed. An id has an entry only if others certified
   * the end of a later life.
   */
  readonly #signed = new Map<NodeId, number>()
  /** Ids of which only ends ever arrived. Anybody can sign an end with a new key. */
  readonly #unseen = new Set<NodeId>()
  /** Members in each part of the fact set's grid. A random pick must not walk over all members. */
  readonly #sizes = new Int32Array(parts)

  /** `onExpiry` receives the time at which the next tombstone expires, when that time changes. */
  constructor(facts: FactSet, config: Config, onExpiry: (at: Milliseconds) => void = () => {}) {
    this.#facts = facts
    this.#config = config
    const onForgotten = (id: NodeId): void => {
      this.#signed.delete(id)
      this.#unseen.delete(id)
    }
    this.tombstones = new Tombstones(facts, config, { onForgotten, onExpiry })
  }

  get size(): number {
    return this.#size
  }

  get full(): boolean {
    return this.#size >= this.#config.limits.members
  }

  get(id: NodeId): Member | undefined {
    return this.#facts.about(id)?.member
  }

  /** Returns the joined-statement of a member. */
  statement(id: NodeId): Statement<Joined> | undefined {
    const fact = this.#facts.about(id)
    return fact?.member === undefined || !('statement' in fact.content) ? undefined : (fact.content.statement as Statement<Joined>)
  }

  /** Returns the fact about this id: its joined-statement or its end. */
  fact(id: NodeId): Fact | undefined {
    return this.#facts.about(id)
  }

  /** True if this is the present life of a member. */
  isAlive(id: NodeId, incarnation: number): boolean {
    return this.get(id)?.incarnation === incarnation
  }

  /** True if the id at this place in the registry is a member at present. */
  isAliveAt(place: number): boolean {
    return this.#facts.at(place)?.member !== undefined
  }

  /** True if this node knows that this life is over. */
  hasEnded(id: NodeId, incarnation: number): boolean {
    const fact = this.#facts.about(id)
    if (fact === undefined) return false
    return fact.member === undefined ? fact.incarnation >= incarnation : fact.incarnation > incarnation
  }

  /** Returns the highest known incarnation, 0 for none. */
  known(id: NodeId): number {
    return this.#facts.about(id)?.incarnation ?? 0
  }

  /**
   * Returns the highest incarnation that this id itself signed, as far as this node remembers; 0
   * for none. Others may make up higher ones.
   */
  signed(id: NodeId): number {
    return this.#signed.get(id) ?? this.known(id)
  }

  /** True if this id is or was a member, as far as this node remembers. */
  knows(id: NodeId): boolean {
    return this.#facts.about(id) !== undefined
  }

  /** Returns the end of the last known life of this id. */
  ending(id: NodeId): Fact | undefined {
    const fact = this.#facts.about(id)
    return fact?.member === undefined ? fact : undefined
  }

  /**
   * Iterates over the members in the order of the fact set. Don't keep the iterator across changes.
   */
  *members(): IterableIterator<Member> {
    for (const place of this.#facts.ranges.places()) {
      const member = this.#facts.at(place)?.member
      if (member !== undefined) yield member
    }
  }

  /**
   * True if this node has seen this id as a member. Ids of which only an end arrived don't count.
   */
  wasMember(id: NodeId): boolean {
    return this.knows(id) && !this.#unseen.has(id)
  }

  /** Returns the i-th of {@link size} members, for random picks. */
  at(index: number): Member | undefined {
    let left = index
    let part = 0
    while (part < parts && left >= (this.#sizes[part] as number)) left -= this.#sizes[part++] as number
    if (part === parts) return undefined
    for (const place of this.#facts.ranges.placesOf(part)) {
      const member = this.#facts.at(place)?.member
      if (member !== undefined && left-- === 0) return member
    }
    return undefined
  }

  /**
   * True if this joined-statement or end of a life would change anything. Call this before a check
   * of the signature.
   */
  isNews(fact: Fact): boolean {
    const present = this.#facts.rival(fact)
    if (present === undefined) return true
    if (present === fact || fact.incarnation < present.incarnation) return false
    if (fact.incarnation > present.incarnation) return true
    if (fact.says === 'joined') return present.says === 'joined' && isLaterStatement(fact, present)
    return present.says === 'joined' || (fact.says === 'left' && present.says === 'died')
  }

  /**
   * Takes in a verified joined-statement or end of a life. `age`: the age of an end, ms. Of the
   * statements of one life the highest version counts. Only a faulty or dishonest member signs two
   * statements of one version. Then the signatures decide, so that all nodes keep the same
   * statement.
   */
  merge(fact: Fact, now: Milliseconds, age: Milliseconds): readonly Change[] {
    if (!this.isNews(fact)) {
      this.tombstones.rejuvenate(fact, now - age)
      return none
    }
    return fact.says === 'joined' ? this.#begin(fact, now) : this.#end(fact, now, now - this.tombstones.credible(age))
  }

  /**
   * Forgets everything. The caller must not report the vanished members as new when they come back.
   */
  clear(): void {
    for (const place of this.#facts.ranges.places()) {
      const fact = this.#facts.at(place)
      if (fact?.about !== undefined) this.#facts.delete(fact)
    }
    this.#size = 0
    this.#sizes.fill(0)
    this.#signed.clear()
    this.#unseen.clear()
    this.tombstones.clear()
  }

  #begin(fact: Fact, now: Milliseconds): Change[] {
    const before = this.#facts.rival(fact)
    const id = fact.about as NodeId
    this.#signed.delete(id)
    this.#unseen.delete(id)
    const { member } = this.#facts.put(fact) as { readonly member: Member }
    if (before?.member !== undefined && before.incarnation === fact.incarnation) return [{ type: 'updated', member }]
    this.tombstones.began(id, now, before !== undefined && before.member === undefined)
    if (before?.member !== undefined)
      return [
        { type: 'died', member: before.member },
        { type: 'joined', member },
      ]
    this.#count(fact, 1)
    return [{ type: 'joined', member }]
  }

  #end(fact: Fact, now: Milliseconds, born: Milliseconds): Change[] {
    const before = this.#facts.rival(fact)
    const id = fact.about as NodeId
    if (before === undefined) this.#unseen.add(id)
    const signed = fact.says === 'left' ? fact.incarnation : this.signed(id)
    if (signed === fact.incarnation) this.#signed.delete(id)
    else this.#signed.set(id, signed)
    this.#facts.put(fact, born)
    if (before?.member !== undefined) this.#count(before, -1)
    this.tombstones.added(id, now, born, before === undefined || before.member !== undefined)
    if (before?.member === undefined) return []
    // The end may be that of a later life. Then it is only certain that the known life is over.
    return [{ type: before.incarnation === fact.incarnation && fact.says === 'left' ? 'left' : 'died', member: before.member }]
  }

  #count({ position }: Fact, more: 1 | -1): void {
    this.#size += more
    const part = partOf(position)
    this.#sizes[part] = (this.#sizes[part] as number) + more
  }
}

function isLaterStatement(fact: Fact, present: Fact): boolean {
  const difference = versionOf(fact) - versionOf(present)
  return difference === 0 ? compareBytes(signatureOf(fact), signatureOf(present)) > 0 : difference > 0
}

function versionOf({ content }: Fact): number {
  return 'statement' in content && isKind(content.statement, 'joined') ? content.statement.content.version : 0
}

function signatureOf({ content }: Fact): Uint8Array {
  return 'statement' in content ? content.statement.signature : new Uint8Array(0)
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
