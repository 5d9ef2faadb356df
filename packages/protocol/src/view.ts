/**
 * The view: who is in the pool as far as this node knows, and the memory of lives that ended.
 *
 * Merging is a join of a semilattice, so that order, repetition and grouping of news don't matter: of one id the
 * higher incarnation wins, and within one incarnation an end wins over the joined-statement, and the member's own word (left)
 * over the word of others (died). No end is ever undone, so no life is resurrected. What is told to the application is derived
 * from the transitions: a later life ends an earlier one, even if the end itself was never heard of.
 */
import type { Certificate } from './certificate.ts'
import type { Config } from './config.ts'
import { makeFact, memberKey, type Fact } from './fact.ts'
import type { FactSet } from './facts.ts'
import type { Member, Milliseconds, NodeId } from './io.ts'
import type { Joined, Left, Statement } from './statement.ts'

export type Change =
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }

interface Life {
  readonly member: Member
  readonly statement: Statement<Joined>
  /** Place in the list for random picks. */
  index: number
}

interface Tombstone {
  readonly incarnation: number
  readonly how: 'left' | 'died'
  readonly born: Milliseconds
  readonly fact: Fact
  /** The last that was known of the life, if it was. */
  readonly member: Member | undefined
}

export class View {
  readonly #alive = new Map<NodeId, Life>()
  readonly #ended = new Map<NodeId, Tombstone>()
  readonly #list: Life[] = []
  readonly #facts: FactSet
  readonly #config: Config
  #nextExpiry = Infinity

  constructor(facts: FactSet, config: Config) {
    this.#facts = facts
    this.#config = config
  }

  get size(): number {
    return this.#list.length
  }

  get full(): boolean {
    return this.#list.length >= this.#config.limits.members
  }

  get(id: NodeId): Member | undefined {
    return this.#alive.get(id)?.member
  }

  statement(id: NodeId): Statement<Joined> | undefined {
    return this.#alive.get(id)?.statement
  }

  /** The fact about this id: its joined-statement or its end. */
  fact(id: NodeId): Fact | undefined {
    const key = memberKey(id)
    const tombstone = this.#ended.get(id)
    if (tombstone !== undefined) return tombstone.fact
    const life = this.#alive.get(id)
    return life === undefined ? undefined : makeFact(key, { statement: life.statement })
  }

  /** True for the current life only. */
  isAlive(id: NodeId, incarnation: number): boolean {
    return this.#alive.get(id)?.member.incarnation === incarnation
  }

  /** True if this life is known to be over. */
  hasEnded(id: NodeId, incarnation: number): boolean {
    const tombstone = this.#ended.get(id)
    return (tombstone !== undefined && tombstone.incarnation >= incarnation) || (this.#alive.get(id)?.member.incarnation ?? 0) > incarnation
  }

  /** The highest incarnation heard of, 0 for none. */
  known(id: NodeId): number {
    return this.#alive.get(id)?.member.incarnation ?? this.#ended.get(id)?.incarnation ?? 0
  }

  /** Whether this id is or was a member, as far as is remembered. */
  knows(id: NodeId): boolean {
    return this.#alive.has(id) || this.#ended.has(id)
  }

  /** How the last known life of this id ended. */
  ending(
    id: NodeId,
  ): { readonly incarnation: number; readonly how: 'left' | 'died'; readonly fact: Fact; readonly member: Member | undefined } | undefined {
    return this.#ended.get(id)
  }

  /** In no particular order; don't keep it across changes. */
  *members(): IterableIterator<Member> {
    for (const { member } of this.#list) yield member
  }

  /** The i-th of {@link size} members, in no particular order: for random picks. */
  at(index: number): Member | undefined {
    return this.#list[index]?.member
  }

  /** Would these change anything? To be asked before a signature is checked. */
  isNewsJoined(id: NodeId, incarnation: number, signature: Uint8Array): boolean {
    const known = this.known(id)
    if (incarnation !== known) return incarnation > known
    const present = this.#alive.get(id)
    return present !== undefined && compareBytes(signature, present.statement.signature) > 0
  }

  isNewsEnded(id: NodeId, incarnation: number, how: 'left' | 'died'): boolean {
    const tombstone = this.#ended.get(id)
    if (tombstone === undefined) return incarnation >= this.known(id)
    return incarnation > tombstone.incarnation || (incarnation === tombstone.incarnation && how === 'left' && tombstone.how === 'died')
  }

  /**
   * Takes in a verified joined-statement. Two statements of one life (only a faulty or dishonest member signs two) are put in order by
   * their signatures, so that all nodes keep the same.
   */
  mergeJoined(statement: Statement<Joined>): Change[] {
    const { signer: id, content } = statement
    if (!this.isNewsJoined(id, content.incarnation, statement.signature)) return []
    const changes: Change[] = []
    const previous = this.#alive.get(id)
    const member: Member = {
      id,
      incarnation: content.incarnation,
      addresses: content.addresses,
      location: content.location,
      tag: content.tag,
    }
    const isReplacement = previous !== undefined && previous.member.incarnation === content.incarnation
    if (previous !== undefined && !isReplacement) changes.push({ type: 'died', member: previous.member })
    this.#ended.delete(id)
    const life: Life = { member, statement, index: previous?.index ?? this.#list.length }
    this.#alive.set(id, life)
    this.#list[life.index] = life
    this.#facts.put(makeFact(memberKey(id), { statement }))
    if (!isReplacement) changes.push({ type: 'joined', member })
    return changes
  }

  /** Takes in a verified left-statement that began `age` ago. */
  mergeLeft(statement: Statement<Left>, now: Milliseconds, age: Milliseconds): Change[] {
    const { signer: id, content } = statement
    if (!this.isNewsEnded(id, content.incarnation, 'left')) return []
    return this.#end(id, content.incarnation, 'left', makeFact(memberKey(id), { statement }, now - this.#credible(age)))
  }

  /** Takes in a verified and sufficient death certificate that began `age` ago. */
  mergeDied(certificate: Certificate, now: Milliseconds, age: Milliseconds): Change[] {
    const { suspect: id, incarnation } = certificate
    if (!this.isNewsEnded(id, incarnation, 'died')) return []
    return this.#end(id, incarnation, 'died', makeFact(memberKey(id), { certificate }, now - this.#credible(age)))
  }

  /** Forgets what is too old: first stops telling it, later forgets it. To be called now and then. */
  expire(now: Milliseconds): void {
    if (now < this.#nextExpiry) return
    this.#nextExpiry = Infinity
    const { lifetime, shareUntil } = this.#config.tombstones
    for (const [id, { born, fact }] of this.#ended) {
      const age = now - born
      if (age >= lifetime) this.#ended.delete(id)
      if (age >= lifetime * shareUntil) this.#facts.delete(fact)
      if (age < lifetime)
        this.#nextExpiry = Math.min(this.#nextExpiry, born + (age < lifetime * shareUntil ? lifetime * shareUntil : lifetime))
    }
  }

  get nextExpiry(): Milliseconds {
    return this.#nextExpiry
  }

  /** Forgets everything. Whoever calls this must not report the members that vanish as new when they come back. */
  clear(): void {
    this.#alive.clear()
    this.#ended.clear()
    this.#list.length = 0
    this.#nextExpiry = Infinity
  }

  #end(id: NodeId, incarnation: number, how: 'left' | 'died', fact: Fact): Change[] {
    const born = fact.born ?? 0
    const life = this.#alive.get(id)
    const member = life?.member ?? this.#ended.get(id)?.member
    if (life !== undefined) this.#remove(life)
    this.#ended.delete(id) // so that the map stays in the order in which ends arrived
    this.#ended.set(id, { incarnation, how, born, fact, member })
    this.#facts.put(fact)
    this.#nextExpiry = Math.min(this.#nextExpiry, born + this.#config.tombstones.lifetime * this.#config.tombstones.shareUntil)
    if (this.#ended.size > this.#config.limits.members) this.#dropOldest()
    if (life === undefined) return []
    // A later life ended unseen: all that is sure of the one we knew is that it is over.
    return [{ type: life.member.incarnation === incarnation ? how : 'died', member: life.member }]
  }

  /** Nobody honest tells ends older than this; a lie about the age must not make an end forgotten at once. */
  #credible(age: Milliseconds): Milliseconds {
    return Math.min(age, this.#config.tombstones.lifetime * this.#config.tombstones.shareUntil)
  }

  #remove(life: Life): void {
    this.#alive.delete(life.member.id)
    const last = this.#list.pop() as Life
    if (last !== life) {
      last.index = life.index
      this.#list[life.index] = last
    }
  }

  #dropOldest(): void {
    for (const [id, { fact }] of this.#ended) {
      this.#ended.delete(id)
      this.#facts.delete(fact)
      return
    }
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
